import { parentPort, workerData } from 'node:worker_threads';
import type { MostShown, SheetCells, ShownRun, ShownValue } from '../calculation.ts';
import { GaveWay, OutOfTime } from '../workbook/budget.ts';
import { Workbook } from '../workbook/workbook.ts';
import { type Answer, type Asked, piecesOf, type ThreadData } from './messages.ts';

/** One workbook may take so much. */
const MAX_BYTES = 1024 ** 3;

const TOO_LARGE = { stopped: { why: 'the workbook needs more memory than one may have', dropped: true } };

/** Cells that come in, and changes, go on for so long where others wait for it. */
const TURN_MS = 50;

const { waiting: othersWait } = workerData as ThreadData;
const areOthersWaiting = () => Atomics.load(othersWait, 0) !== 0;

const workbooks = new Map<string, Workbook>();
/** Workbooks whose cells still come in, those cells that have come but are not taken in, and changes, by their transfers. */
const drafts = new Map<number, Workbook>();
const arrived = new Map<number, SheetCells[]>();
const changes = new Map<number, SheetCells[]>();
/** What has to be answered yet and waits until it is asked for, by the question: the next portion, and those behind it. */
const waiting = new Map<number, { next: ShownRun[]; readonly rest: Iterator<ShownRun[]> }>();

parentPort?.on('message', (asked: Asked) => parentPort?.postMessage({ id: asked.id, ...answerTo(asked) }));
// The first message says that it is loaded; all others are answers.
parentPort?.postMessage('loaded');

function answerTo(asked: Asked): Omit<Answer, 'id'> {
  try {
    return answer(asked);
  } catch (cause) {
    if (cause instanceof OutOfTime) return { stopped: { why: cause.message, dropped: false } };
    throw cause;
  }
}

function answer(asked: Asked): Omit<Answer, 'id'> {
  switch (asked.kind) {
    case 'begin':
      drafts.set(asked.transfer, new Workbook(asked.sheets, asked.names));
      return {};
    case 'cells':
      return take(asked.transfer, { sheet: asked.sheet, cells: asked.cells });
    case 'open':
      return open(asked.workbook, asked.transfer);
    case 'change':
      return change(asked.workbook, asked.transfer);
    case 'read':
      return read(asked);
    case 'more':
      return nextRuns(asked.id);
    default:
      return forget(asked);
  }
}

/** Cells of a workbook that is new go in at once, those of a change only when all are there. */
function take(transfer: number, portion: SheetCells): Omit<Answer, 'id'> {
  const draft = drafts.get(transfer);
  const cells = listed(draft === undefined ? changes : arrived, transfer);
  for (const piece of piecesOf(portion)) cells.push(piece);
  if (draft === undefined) return {};
  if (takeIn(draft, cells) === 'gave way') return { gaveWay: 'progressed' };
  if (draft.bytes <= MAX_BYTES) return {};
  discard(transfer);
  return TOO_LARGE;
}

function listed(lists: Map<number, SheetCells[]>, transfer: number): SheetCells[] {
  const known = lists.get(transfer) ?? [];
  lists.set(transfer, known);
  return known;
}

/** Takes the first of these cells out of their list and into a workbook, until none is left or others had to wait too long. */
function takeIn(workbook: Workbook, cells: SheetCells[]): 'gave way' | 'took all' {
  const turnEndMs = performance.now() + TURN_MS;
  let taken = 0;
  while (taken < cells.length) {
    if (performance.now() > turnEndMs && areOthersWaiting()) break;
    const next = cells[taken++];
    if (next !== undefined) workbook.change(next);
  }
  cells.splice(0, taken);
  return cells.length > 0 ? 'gave way' : 'took all';
}

function open(name: string, transfer: number): Omit<Answer, 'id'> {
  const draft = drafts.get(transfer);
  if (draft === undefined) throw new Error('a workbook is opened that was not begun');
  discard(transfer);
  workbooks.set(name, draft);
  return sized(name, draft);
}

function change(name: string, transfer: number): Omit<Answer, 'id'> {
  const workbook = workbooks.get(name);
  if (workbook !== undefined && takeIn(workbook, listed(changes, transfer)) === 'gave way') {
    return { gaveWay: 'progressed' };
  }
  discard(transfer);
  return workbook === undefined ? { isGone: true } : sized(name, workbook);
}

function discard(transfer: number): void {
  drafts.delete(transfer);
  arrived.delete(transfer);
  changes.delete(transfer);
}

function forget(asked: Extract<Asked, { kind: 'drop' | 'cancel' | 'enough' }>): Omit<Answer, 'id'> {
  if (asked.kind === 'drop') workbooks.delete(asked.workbook);
  else if (asked.kind === 'enough') waiting.delete(asked.of);
  else discard(asked.transfer);
  return {};
}

/** A workbook that has outgrown what one may take is not held any more. */
function sized(name: string, workbook: Workbook): Omit<Answer, 'id'> {
  const { bytes } = workbook;
  if (bytes <= MAX_BYTES) return { bytes };
  workbooks.delete(name);
  return TOO_LARGE;
}

function read({ id, workbook: name, of, most, forMs }: Extract<Asked, { kind: 'read' }>): Omit<Answer, 'id'> {
  const workbook = workbooks.get(name);
  if (workbook === undefined) return { isGone: true };
  const gaveWay = calculate(workbook, forMs);
  if (gaveWay !== undefined) return { gaveWay };
  const size = { ...sized(name, workbook), faults: workbook.takeFaults() };
  if (size.stopped !== undefined) return size;
  if (typeof of === 'number') return { ...size, extent: workbook.extent(of) };
  const rows = [...workbook.rows(of)];
  if (most !== undefined && !isWithin(rows, most)) return { ...size, isTooMuch: true };
  const portions = portionsOf(rows);
  const first = portions.next();
  if (first.done) return size;
  waiting.set(id, { next: first.value, rest: portions });
  return { ...size, ...nextRuns(id) };
}

function calculate(workbook: Workbook, forMs: number): Answer['gaveWay'] {
  const { finished } = workbook;
  try {
    workbook.calculate(forMs, Date.now(), areOthersWaiting);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof GaveWay)) throw thrown;
    return workbook.finished > finished ? 'progressed' : 'stuck';
  }
}

/** The last portion says that it is the last: to ask once more would be to wait behind others once more. */
function nextRuns(id: number): Omit<Answer, 'id'> {
  const portions = waiting.get(id);
  if (portions === undefined) return {};
  const { next: runs, rest } = portions;
  const following = rest.next();
  if (following.done) waiting.delete(id);
  else portions.next = following.value;
  return { runs, more: !following.done };
}

/** Values in one portion, and characters of their texts: to send it, or to take it in, holds up nobody. */
const VALUES = 2_000;
const CHARACTERS = 400_000;

/** Whether rows hold no more than may be answered; empty ones behind the last that is not are left out of an answer. */
function isWithin(rows: readonly (readonly ShownValue[])[], most: MostShown): boolean {
  let cells = 0;
  let characters = 0;
  const end = rows.findLastIndex((row) => row.some((value) => value !== '')) + 1;
  for (const row of rows.slice(0, end)) {
    cells += Math.max(1, row.length);
    for (const value of row) characters += lengthOf(value);
    if (cells > most.cells || characters > most.characters) return false;
  }
  return true;
}

/** Rows in portions; a row with much in it comes in several. */
function* portionsOf(rows: readonly (readonly ShownValue[])[]): Generator<ShownRun[]> {
  let portion: ShownRun[] = [];
  let left = VALUES;
  let room = CHARACTERS;
  for (const [row, values] of rows.entries()) {
    let column = 0;
    for (let end = 0; end < values.length; end++) {
      left--;
      room -= lengthOf(values[end]);
      if (left > 0 && room > 0) continue;
      portion.push({ row, column, values: values.slice(column, end + 1) });
      yield portion;
      portion = [];
      column = end + 1;
      [left, room] = [VALUES, CHARACTERS];
    }
    if (column < values.length) portion.push({ row, column, values: values.slice(column) });
  }
  if (portion.length > 0) yield portion;
}

function lengthOf(value: ShownValue | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}
