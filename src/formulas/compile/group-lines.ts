import { compareValues } from '../comparison.ts';
import { lookingUp, mapLooking, type Spend } from '../spending.ts';
import { CellError, type Scalar } from '../values.ts';

/** A row, or a column, of a summary: what it is called, and the records that it sums up. */
export interface GroupLine {
  readonly labels: readonly Scalar[];
  readonly records: readonly number[];
  /** How many fields its records have in common: none in the line of all. */
  readonly level: number;
}

/** How records are grouped along one side of a summary. */
export interface Grouping {
  /** The fields of a record by which it is grouped, the widest first. */
  readonly keys: (record: number) => readonly Scalar[];
  readonly fields: number;
  /** 1 asks for the line of all, 2 for those of the widest groups too, and so on; negative ones stand on top. */
  readonly totals: number;
  /** Fields from 1 on, and behind them values, to sort by; negative ones fall. */
  readonly order: readonly number[];
  /** What groups come to, by which they may be sorted. */
  readonly totalOf: (records: readonly number[], value: number) => Scalar;
  readonly spend: Spend;
}

/** The lines of a summary in their order, with those of totals. */
export function linesOf(records: readonly number[], grouping: Grouping): GroupLine[] {
  const { fields, totals } = grouping;
  const lines = within(records, [], grouping);
  if (totals === 0) return lines;
  const name = Math.abs(totals) > 1 && fields > 1 ? 'Grand Total' : 'Total';
  const all = { labels: filled([name], fields), records, level: 0 };
  return totals < 0 ? [all, ...lines] : [...lines, all];
}

/** The lines of records that have their first fields in common. */
function within(records: readonly number[], common: readonly Scalar[], grouping: Grouping): GroupLine[] {
  const { fields, totals, keys, spend } = grouping;
  const level = common.length;
  if (level === fields) return [{ labels: common, records, level }];
  const groups = new Map<Scalar, { key: Scalar; records: number[] }>();
  const look = lookingUp(spend);
  for (const record of records) {
    look();
    const key = keys(record)[level] ?? '';
    const known = typeof key === 'string' ? key.toLowerCase() : key;
    const group = groups.get(known) ?? { key, records: [] };
    groups.set(known, group);
    group.records.push(record);
  }
  return sorted([...groups.values()], level, grouping).flatMap((group) => {
    look();
    const labels = [...common, group.key];
    const lines = within(group.records, labels, grouping);
    if (labels.length === fields || Math.abs(totals) <= labels.length) return lines;
    const total = { labels: filled(labels, fields), records: group.records, level: labels.length };
    return totals < 0 ? [total, ...lines] : [...lines, total];
  });
}

function filled(labels: readonly Scalar[], fields: number): Scalar[] {
  return [...labels, ...new Array<Scalar>(fields - labels.length).fill('')];
}

interface Group {
  readonly key: Scalar;
  readonly records: readonly number[];
}

/** Groups of one field in the order that is asked for: by a value, or by their own key. */
function sorted(
  groups: Group[],
  level: number,
  { order, fields, totalOf, spend }: Grouping,
): readonly Group[] {
  const by = order.find((one) => Math.abs(one) > fields);
  const own = order.find((one) => Math.abs(one) === level + 1) ?? 1;
  const totalled = ({ records }: Group) =>
    by === undefined ? null : totalOf(records, Math.abs(by) - fields - 1);
  const keyed = mapLooking(groups, (group) => ({ group, value: totalled(group) }), spend);
  const look = lookingUp(spend);
  keyed.sort((a, b) => {
    look();
    return (
      Math.sign(by ?? 1) * compare(a.value, b.value) || Math.sign(own) * compare(a.group.key, b.group.key)
    );
  });
  return mapLooking(keyed, ({ group }) => group, spend);
}

/** Errors come last, and are not told apart. */
function compare(a: Scalar, b: Scalar): number {
  if (a instanceof CellError || b instanceof CellError)
    return Number(a instanceof CellError) - Number(b instanceof CellError);
  return compareValues(a, b);
}
