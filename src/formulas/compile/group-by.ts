import { gridOf } from '../grids.ts';
import { mapLooking } from '../spending.ts';
import { CellError, type Value } from '../values.ts';
import type { Result, Scope } from './code.ts';
import { recordsOf } from './grouped-records.ts';
import type { Summing } from './grouping-arguments.ts';
import { fieldNames, sideLines } from './summary-sides.ts';
import { valueColumns } from './value-columns.ts';

/** GROUPBY: a line for each group of records, and behind what it is called what its values come to. */
export function groupBy(results: readonly Result[], functions: readonly Summing[], scope: Scope): Value {
  const [rowFields = null, values, , headers, totals, order, filter, relation] = results;
  const records = recordsOf([rowFields], values, headers, filter, scope);
  if (records instanceof CellError) return records;
  const columns = valueColumns(records, functions, scope);
  const lines = sideLines(records, 0, columns, { totals, order, relation }, scope);
  if (lines instanceof CellError) return lines;
  const table = mapLooking(
    lines,
    (line) => [...line.labels, ...columns.map(({ sum }) => sum(line.records))],
    scope.host.spend,
  );
  const names = [...fieldNames(records, 0), ...columns.map(({ header }) => header)];
  return gridOf(records.showsHeaders || functions.length > 1 ? [names, ...table] : table, scope.host.spend);
}
