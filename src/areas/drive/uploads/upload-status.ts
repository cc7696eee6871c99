import { isLive } from './upload-session.ts';
import type { PartRow, SessionRow } from './upload-store.ts';

/** The upload session of the interface. */
export function sessionRecord(row: SessionRow) {
  return {
    session_id: row.id,
    document_id: row.file_id,
    part_size: row.part_size,
    total_size: row.total_size,
  };
}

/** How far an upload has come. */
export function statusRecord(row: SessionRow, parts: readonly PartRow[], now: number) {
  const received = receivedRanges(row, parts, now);
  return {
    ...sessionRecord(row),
    filename: row.filename,
    state: shownState(row, now),
    part_count: row.part_count,
    received_bytes: received.length > 0 ? row.received_bytes : 0,
    received_parts: received,
    missing_parts: rangesBetween(received, row.part_count),
    expires_at: new Date(row.expires_at).toISOString(),
  };
}

/** The parts that have not landed, as [first, last]. */
export function missingParts({ part_count: count }: SessionRow, parts: readonly PartRow[]): PartRange[] {
  return rangesBetween(landed(parts), count);
}

/** Of what is finished everything has come, of what was given up nothing is left. */
function receivedRanges(row: SessionRow, parts: readonly PartRow[], now: number): PartRange[] {
  if (row.state === 'finished') return row.part_count > 0 ? [[1, row.part_count]] : [];
  return isLive(row, now) ? landed(parts) : [];
}

function landed(parts: readonly PartRow[]): PartRange[] {
  return rangesOf(parts.filter((part) => part.is_current === 1).map(({ number }) => number));
}

function shownState(row: SessionRow, now: number): 'open' | 'finished' | 'aborted' | 'expired' {
  if (isLive(row, now)) return 'open';
  return row.state === 'finished' || row.state === 'aborted' ? row.state : 'expired';
}

/** First and last number of parts that follow one another. */
type PartRange = [first: number, last: number];

/** Ascending numbers as ranges. */
function rangesOf(numbers: readonly number[]): PartRange[] {
  const ranges: PartRange[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The ranges from 1 to `count` that lie between those given. */
function rangesBetween(ranges: readonly PartRange[], count: number): PartRange[] {
  const starts = [1, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), count];
  return starts
    .map((start, i): PartRange => [start, ends[i] ?? count])
    .filter(([first, last]) => first <= last);
}
