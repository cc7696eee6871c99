import { isGrid } from '../../grids.ts';
import { ERROR } from '../../values.ts';
import { define } from '../define.ts';

/** A formula can be longer than a text may be; then there is none to show. */
const MAX_SHOWN = 8192;

/** What files put before the names of newer functions. */
const FILE_PREFIX = /_xl(?:fn|ws)\./gi;

export const FORMULATEXT = define(
  'FORMULATEXT',
  ['any'],
  ([given], context) => {
    if (!isGrid(given) || !given.area) return ERROR['#N/A'];
    const { sheet, top, left } = given.area;
    const formula = context.formula(sheet, top, left);
    if (formula === undefined || formula.length > MAX_SHOWN) return ERROR['#N/A'];
    return formula.replace(FILE_PREFIX, '');
  },
  { takesErrors: true },
);

/** A link shows its second argument; that it can be followed is a matter of who shows the sheet. */
export const HYPERLINK = define(
  'HYPERLINK',
  ['text', 'scalar'],
  ([link, shown]) => (shown === undefined ? link : shown),
  {
    required: 1,
  },
);

/** Workbooks have no pivot tables here, so no reference is to one. */
export const GETPIVOTDATA = define('GETPIVOTDATA', ['any', 'any', 'any'], () => ERROR['#REF!'], {
  required: 2,
  repeats: 1,
  takesErrors: true,
});
