import { type Criterion, criterionOf } from '../../criteria.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import type { CallContext } from '../function.ts';

type Condition = readonly { readonly column: number; readonly holds: Criterion }[];

/**
 * The values of a field in the records of a database that answer the criteria: the database and the criteria have
 * labels in their first row, a record answers when every condition of one row of the criteria holds.
 * @param field a label, or a number of a column from 1; null asks for whole records, of which there is 0 each
 */
export function selectedValues(
  database: Grid,
  field: Scalar,
  criteria: Grid,
  context: CallContext,
): Scalar[] | CellError {
  const column = fieldColumn(database, field);
  if (column instanceof CellError) return column;
  const conditions = conditionsOf(database, criteria);
  context.spend(database.usedRows * Math.max(conditions.length, 1));
  const values: Scalar[] = [];
  for (let row = 1; row < database.usedRows; row++) {
    const answers = conditions.some((condition) =>
      condition.every(({ column: at, holds }) => holds(database.at(row, at))),
    );
    if (answers) values.push(column === undefined ? 0 : database.at(row, column));
  }
  return values;
}

function fieldColumn(database: Grid, field: Scalar): number | undefined | CellError {
  if (field instanceof CellError) return field;
  if (field === null || field === 0) return undefined;
  if (typeof field === 'string') return labelColumn(database, field) ?? ERROR['#VALUE!'];
  const column = Math.trunc(Number(field)) - 1;
  return column >= 0 && column < database.columns ? column : ERROR['#VALUE!'];
}

function labelColumn(database: Grid, label: Scalar): number | undefined {
  const wanted = String(label).trim().toLowerCase();
  for (let column = 0; column < database.usedColumns; column++) {
    const name = database.at(0, column);
    if (name !== null && String(name).trim().toLowerCase() === wanted) return column;
  }
  return undefined;
}

function conditionsOf(database: Grid, criteria: Grid): Condition[] {
  return Array.from({ length: Math.max(criteria.rows - 1, 0) }, (_, index) => {
    const condition = [];
    for (let at = 0; at < criteria.usedColumns; at++) {
      const wanted = criteria.at(index + 1, at);
      const column = labelColumn(database, criteria.at(0, at));
      if (wanted !== null && column !== undefined) condition.push({ column, holds: criterion(wanted) });
    }
    return condition;
  });
}

/** A text without an operator asks for what begins with it. */
function criterion(wanted: Exclude<Scalar, null>): Criterion {
  if (typeof wanted !== 'string' || /^[<>=]/.test(wanted)) return criterionOf(wanted);
  const [equal, begins] = [criterionOf(wanted), criterionOf(`${wanted}*`)];
  return (value) => equal(value) || begins(value);
}
