import { isReference } from '../../grids.ts';
import { ERROR, type Grid, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { addressOf } from '../lookup/address.ts';

type Facts = (grid: Grid, context: CallContext) => Scalar;

/** What CELL knows of the first cell of a reference. Cells have no formats here, so those facts are of an unformatted one. */
const FACTS: Readonly<Record<string, Facts>> = {
  address: (grid, context) => addressIn(grid, context),
  col: (grid) => (grid.area?.left ?? 0) + 1,
  row: (grid) => (grid.area?.top ?? 0) + 1,
  contents: (grid) => grid.at(0, 0) ?? 0,
  type: (grid) => kindOf(grid.at(0, 0)),
  filename: (grid, context) => `[Workbook]${context.sheets[grid.area?.sheet ?? 0] ?? ''}`,
  color: () => 0,
  format: () => 'G',
  parentheses: () => 0,
  prefix: () => '',
  protect: () => 1,
  width: () => 8,
};

export const CELL = define(
  'CELL',
  ['text', 'any'],
  ([wanted, given], context) => {
    const facts = FACTS[wanted.toLowerCase()];
    const grid = given === undefined ? ownCell(context) : given;
    if (facts === undefined || !isReference(grid)) return ERROR['#VALUE!'];
    return facts(grid, context);
  },
  { required: 1, volatile: true, takesErrors: true },
);

function ownCell(context: CallContext): Grid {
  const { sheet, row, column } = context.cell;
  return context.reference({ sheet, top: row, left: column, bottom: row, right: column });
}

/** With the sheet when it is not the formula's own. */
function addressIn({ area }: Grid, context: CallContext): string {
  const { sheet, top, left } = area ?? { sheet: 0, top: 0, left: 0 };
  return addressOf(top + 1, left + 1, sheet === context.cell.sheet ? undefined : context.sheets[sheet]);
}

function kindOf(value: Scalar): string {
  if (value === null) return 'b';
  return typeof value === 'string' ? 'l' : 'v';
}
