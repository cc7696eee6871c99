import { parentPort, workerData } from 'node:worker_threads';
import type { MostShown, SheetCells, ShownRun, ShownValue } from '../calculation.ts';
import { GaveWay, OutOfTime } from '../workbook/budget.ts';
import { Workbook } from '../workbook/workbook.ts';
import { type CalculationReply, type NumberedRequest, piecesOf, type ThreadData } from './messages.ts';

/** Memory limit of one workbook. */
const MAX_BYTES = 1024 ** 3;

const TOO_LARGE = { stopped: { why: 'the workbook needs more memory than one may have', dropped: true } };

/** When others wait, loading cells and changes yields after this time. */
const TURN_MS = 50;

const { waiting: othersWait } = workerData as ThreadData;
const areOthersWaiting = () => Atomics.load(othersWait, 0) !== 0;

const workbooks = new Map<string, Workbook>();
/** By transfer: workbooks being loaded, received cells not yet applied, and received changes. */
const drafts = new Map<number, Workbook>();
const arrived = new Map<number, SheetCells[]>();
const changes = new Map<number, SheetCells[]>();
/** Prepared portions of a result by request id: the next one, and the iterator of the others. */
const preparedPortions = new Map<number, { next: ShownRun[]; readonly rest: Iterator<ShownRun[]> }>();

parentPort?.on('message', (request: NumberedRequest) =>
  parentPort?.postMessage({ id: request.id, ...replyTo(request) }),
);
// The first message reports that the worker is loaded; all others are replies.
parentPort?.postMessage('loaded');

function replyTo(request: NumberedRequest): Omit<CalculationReply, 'id'> {
  try {
    return handle(request);
  } catch (cause) {
    if (cause instanceof OutOfTime) return { stopped: { why: cause.message, dropped: false } };
    throw cause;
  }
}

function handle(request: NumberedRequest): Omit<CalculationReply, 'id'> {
  switch (request.kind) {
    case 'begin':
      drafts.set(request.transfer, new Workbook(request.sheets, request.names));
      return {};
    case 'cells':
      return addCells(request.transfer, { sheet: request.sheet, cells: request.cells });
    case 'open':
      return open(request.workbook, request.transfer);
    case 'change':
      return change(request.workbook, request.transfer);
    case 'read':
      return read(request);
    case 'more':
      return nextRuns(request.id);
    default:
      return forget(request);
  }
}

/** Applies cells of a new workbook at once; cells of a change are applied when all have arrived. */
function addCells(transfer: number, portion: SheetCells): Omit<CalculationReply, 'id'> {
  const draft = drafts.get(transfer);
  const cells = listOf(draft === undefined ? changes : arrived, transfer);
  for (const piece of piecesOf(portion)) cells.push(piece);
  if (draft === undefined) return {};
  if (applyCells(draft, cells) === 'gave way') return { gaveWay: 'progressed' };
  if (draft.bytes <= MAX_BYTES) return {};
  discard(transfer);
  return TOO_LARGE;
}

function listOf(lists: Map<number, SheetCells[]>, transfer: number): SheetCells[] {
  const known = lists.get(transfer) ?? [];
  lists.set(transfer, known);
  return known;
}

/** Moves cells from the list into a workbook until the list is empty or others have waited too long. */
function applyCells(workbook: Workbook, cells: SheetCells[]): 'gave way' | 'took all' {
  const turnEndMs = performance.now() + TURN_MS;
  let applied = 0;
  while (applied < cells.length) {
    if (performance.now() > turnEndMs && areOthersWaiting()) break;
    const next = cells[applied++];
    if (next !== undefined) workbook.change(next);
  }
  cells.splice(0, applied);
  return cells.length > 0 ? 'gave way' : 'took all';
}

function open(name: string, transfer: number): Omit<CalculationReply, 'id'> {
  const draft = drafts.get(transfer);
  if (draft === undefined) throw new Error('a workbook is opened that was not begun');
  discard(transfer);
  workbooks.set(name, draft);
  return withSize(name, draft);
}

function change(name: string, transfer: number): Omit<CalculationReply, 'id'> {
  const workbook = workbooks.get(name);
  if (workbook !== undefined && applyCells(workbook, listOf(changes, transfer)) === 'gave way') {
    return { gaveWay: 'progressed' };
  }
  discard(transfer);
  return workbook === undefined ? { isGone: true } : withSize(name, workbook);
}

function discard(transfer: number): void {
  drafts.delete(transfer);
  arrived.delete(transfer);
  changes.delete(transfer);
}

function forget(
  request: Extract<NumberedRequest, { kind: 'drop' | 'cancel' | 'enough' }>,
): Omit<CalculationReply, 'id'> {
  if (request.kind === 'drop') workbooks.delete(request.workbook);
  else if (request.kind === 'enough') preparedPortions.delete(request.of);
  else discard(request.transfer);
  return {};
}

/** Drops a workbook that exceeds the memory limit. */
function withSize(name: string, workbook: Workbook): Omit<CalculationReply, 'id'> {
  const { bytes } = workbook;
  if (bytes <= MAX_BYTES) return { bytes };
  workbooks.delete(name);
  return TOO_LARGE;
}

function read({
  id,
  workbook: name,
  of,
  most,
  forMs,
}: Extract<NumberedRequest, { kind: 'read' }>): Omit<CalculationReply, 'id'> {
  const workbook = workbooks.get(name);
  if (workbook === undefined) return { isGone: true };
  const gaveWay = calculate(workbook, forMs);
  if (gaveWay !== undefined) return { gaveWay };
  const size = { ...withSize(name, workbook), faults: workbook.takeFaults() };
  if (size.stopped !== undefined) return size;
  if ('extentOf' in of) return { ...size, extent: workbook.extent(of.extentOf, of.columns) };
  const rows = [...workbook.rows(of)];
  if (most !== undefined && !isWithin(rows, most)) return { ...size, isTooMuch: true };
  const portions = portionsOf(rows);
  const first = portions.next();
  if (first.done) return size;
  preparedPortions.set(id, { next: first.value, rest: portions });
  return { ...size, ...nextRuns(id) };
}

function calculate(workbook: Workbook, forMs: number): CalculationReply['gaveWay'] {
  const { finished } = workbook;
  try {
    workbook.calculate(forMs, Date.now(), areOthersWaiting);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof GaveWay)) throw thrown;
    return workbook.finished > finished ? 'progressed' : 'stuck';
  }
}

/** The last portion is marked as such: a further request would wait behind others again. */
function nextRuns(id: number): Omit<CalculationReply, 'id'> {
  const portions = preparedPortions.get(id);
  if (portions === undefined) return {};
  const { next: runs, rest } = portions;
  const following = rest.next();
  if (following.done) preparedPortions.delete(id);
  else portions.next = following.value;
  return { runs, more: !following.done };
}

/** Values, and characters of texts, in one portion: small enough not to delay others. */
const VALUES = 2_000;
const CHARACTERS = 400_000;

/** Whether rows are within the limits; trailing empty rows do not count, since results omit them. */
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

/** Rows in portions; a long row is split. */
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
