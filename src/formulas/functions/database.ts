import { type Criterion, criterionOf } from '../criteria.ts';
import { isGrid } from '../grids.ts';
import { average, deviation, sum, variance } from '../numerics/sums.ts';
import { clockTicker, type Spend } from '../steps.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../values.ts';
import { largestOf, orZero, productOf, smallestOf } from './aggregates.ts';
import { type CallContext, define, type FormulaFunction } from './function.ts';

type Condition = readonly { readonly column: number; readonly holds: Criterion }[];

/**
 * The values of a field in the matching records of a database. Database and criteria have labels in their first
 * row. A record matches when it meets all conditions of one criteria row.
 * @param field a label, or a column number from 1; null: one 0 for each record
 */
function selectedValues(
  database: Grid,
  field: Value,
  criteria: Grid,
  context: CallContext,
): Scalar[] | CellError {
  const column = fieldColumn(database, field, context.spend);
  if (column instanceof CellError) return column;
  if (database.rows < 2 || criteria.rows < 2) return ERROR['#VALUE!'];
  const conditions = conditionsOf(database, criteria, context.spend);
  context.spend(database.usedRows * conditions.length);
  const values: Scalar[] = [];
  const tick = clockTicker(context.spend);
  for (let row = 1; row < database.usedRows; row++) {
    const answers = conditions.some((condition) => {
      tick();
      return condition.every(({ column: at, holds }) => holds(database.at(row, at)));
    });
    if (answers) values.push(column === undefined ? 0 : database.at(row, column));
  }
  return values;
}

function fieldColumn(database: Grid, given: Value, spend: Spend): number | undefined | CellError {
  const field = isGrid(given) && given.rows === 1 && given.columns === 1 ? given.at(0, 0) : given;
  if (field === null) return undefined;
  if (field instanceof CellError) return field;
  if (typeof field === 'string') return labelColumn(database, field, clockTicker(spend)) ?? ERROR['#VALUE!'];
  const column = isGrid(field) || field instanceof Union ? -1 : Math.trunc(Number(field)) - 1;
  return column >= 0 && column < database.columns ? column : ERROR['#VALUE!'];
}

function labelColumn(database: Grid, label: Scalar, tick: () => void): number | undefined {
  const wanted = String(label).trim().toLowerCase();
  for (let column = 0; column < database.usedColumns; column++) {
    tick();
    const name = database.at(0, column);
    if (name !== null && String(name).trim().toLowerCase() === wanted) return column;
  }
  return undefined;
}

function conditionsOf(database: Grid, criteria: Grid, spend: Spend): Condition[] {
  const tick = clockTicker(spend);
  return Array.from({ length: Math.max(criteria.rows - 1, 0) }, (_, index) => {
    const condition = [];
    for (let at = 0; at < criteria.usedColumns; at++) {
      tick();
      const wanted = criteria.at(index + 1, at);
      if (wanted === null) continue;
      const column = labelColumn(database, criteria.at(0, at), tick);
      condition.push(column === undefined ? constantCondition(wanted) : { column, holds: criterion(wanted) });
    }
    return condition;
  });
}

/** A column whose label is not in the database holds a formula's result, which applies to every record. */
function constantCondition(made: Exclude<Scalar, null>): Condition[number] {
  const holds = typeof made === 'boolean' || typeof made === 'number' ? Boolean(made) : false;
  return { column: 0, holds: () => holds };
}

/** A text without an operator matches values that start with it. */
function criterion(wanted: Exclude<Scalar, null>): Criterion {
  if (typeof wanted !== 'string' || /^[<>=]/.test(wanted)) return criterionOf(wanted);
  const [equal, begins] = [criterionOf(wanted), criterionOf(`${wanted}*`)];
  return (value) => equal(value) || begins(value);
}

/** Functions whose field is optional. */
const COUNTS = ['DCOUNT', 'DCOUNTA'];

/** Defines a function of the values of a field in the matching records. */
function overRecords(
  name: string,
  compute: (values: readonly Scalar[], spend: Spend) => Scalar,
): FormulaFunction {
  return define(name, ['grid', 'any', 'grid'], ([database, field, criteria], context) => {
    if (field === 0 || (field === null && !COUNTS.includes(name))) return ERROR['#VALUE!'];
    const values = selectedValues(database, field, criteria, context);
    return values instanceof CellError ? values : compute(values, context.spend);
  });
}

/** Like `overRecords`, of numbers only; the first error among the values is the result. */
function overNumbers(
  name: string,
  compute: (numbers: readonly number[], spend: Spend) => Scalar,
): FormulaFunction {
  return overRecords(name, (values, spend) => {
    const wrong = values.find((value) => value instanceof CellError);
    return (
      wrong ??
      compute(
        values.filter((value) => typeof value === 'number'),
        spend,
      )
    );
  });
}

function single(values: readonly Scalar[]): Scalar {
  if (values.length === 0) return ERROR['#VALUE!'];
  return values.length === 1 ? (values[0] ?? null) : ERROR['#NUM!'];
}

/** Functions of tables with labels in the first row. */
export const DATABASE_FUNCTIONS: readonly FormulaFunction[] = [
  overNumbers('DAVERAGE', average),
  overRecords('DCOUNT', (values) => values.filter((value) => typeof value === 'number').length),
  overRecords('DCOUNTA', (values) => values.filter((value) => value !== null).length),
  overRecords('DGET', single),
  overNumbers('DMAX', orZero(largestOf)),
  overNumbers('DMIN', orZero(smallestOf)),
  overNumbers('DPRODUCT', orZero(productOf)),
  overNumbers('DSTDEV', (numbers, spend) => deviation(numbers, 'sample', spend)),
  overNumbers('DSTDEVP', (numbers, spend) => deviation(numbers, 'population', spend)),
  overNumbers('DSUM', sum),
  overNumbers('DVAR', (numbers, spend) => variance(numbers, 'sample', spend)),
  overNumbers('DVARP', (numbers, spend) => variance(numbers, 'population', spend)),
];
