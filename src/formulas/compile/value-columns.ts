import type { Scalar } from '../values.ts';
import type { Scope } from './code.ts';
import { type Records, summed } from './grouped-records.ts';
import type { Summing } from './grouping-arguments.ts';

/** A column of values that one function sums up. */
export interface ValueColumn {
  readonly header: Scalar;
  /** What the values of some records come to, as a share of all records or of a part of them. */
  readonly sum: (records: readonly number[], whole?: readonly number[]) => Scalar;
}

/** All columns of values by the first function, then all by the next. */
export function valueColumns(
  records: Records,
  functions: readonly Summing[],
  scope: Scope,
): readonly ValueColumn[] {
  const { values, header, rows: all } = records;
  return functions.flatMap((summing) =>
    Array.from({ length: values.columns }, (_, column) => ({
      header: functions.length > 1 ? summing.name : header(values, column, `Value ${column + 1}`),
      sum: (rows: readonly number[], whole = all) => summed(summing, values, column, rows, whole, scope),
    })),
  );
}
