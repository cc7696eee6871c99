import { parentPort, workerData } from 'node:worker_threads';
import type { SheetCells, ShownRun } from '../calculation.ts';
import { GaveWay, OutOfTime } from '../workbook/interruptions.ts';
import { Workbook } from '../workbook/workbook.ts';
import type { Answer, Asked, ThreadData } from './messages.ts';
import { isWithin, portionsOf } from './shown-portions.ts';

/** One workbook may take so much. */
const MAX_BYTES = 1024 ** 3;

const TOO_LARGE = { stopped: { why: 'the workbook needs more memory than one may have', dropped: true } };

/** A change that others wait for goes on for so long. */
const TURN_MS = 50;

const { waiting: othersWait } = workerData as ThreadData;
const areOthersWaiting = () => Atomics.load(othersWait, 0) !== 0;

const workbooks = new Map<string, Workbook>();
/** Workbooks whose cells still come in, and changes that still do, by their transfers. */
const drafts = new Map<number, Workbook>();
const changes = new Map<number, SheetCells[]>();
/** What has to be answered yet and waits until it is asked for, by the question. */
const waiting = new Map<number, Iterator<ShownRun[]>>();

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
  if (draft === undefined) changes.set(transfer, [...(changes.get(transfer) ?? []), portion]);
  else draft.change(portion);
  if (draft === undefined || draft.bytes <= MAX_BYTES) return {};
  drafts.delete(transfer);
  return TOO_LARGE;
}

function open(name: string, transfer: number): Omit<Answer, 'id'> {
  const draft = drafts.get(transfer);
  if (draft === undefined) throw new Error('a workbook is opened that was not begun');
  drafts.delete(transfer);
  workbooks.set(name, draft);
  return sized(name, draft);
}

function change(name: string, transfer: number): Omit<Answer, 'id'> {
  const workbook = workbooks.get(name);
  const portions = changes.get(transfer) ?? [];
  if (workbook === undefined) return gone(transfer);
  const turnEndMs = performance.now() + TURN_MS;
  for (let next = portions.shift(); next !== undefined; next = portions.shift()) {
    workbook.change(next);
    if (performance.now() > turnEndMs && areOthersWaiting()) return { gaveWay: 'progressed' };
  }
  changes.delete(transfer);
  return sized(name, workbook);
}

function gone(transfer: number): Omit<Answer, 'id'> {
  changes.delete(transfer);
  return { isGone: true };
}

function forget(asked: Extract<Asked, { kind: 'drop' | 'cancel' | 'enough' }>): Omit<Answer, 'id'> {
  if (asked.kind === 'drop') workbooks.delete(asked.workbook);
  else if (asked.kind === 'enough') waiting.delete(asked.of);
  else {
    drafts.delete(asked.transfer);
    changes.delete(asked.transfer);
  }
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
  waiting.set(id, portionsOf(rows));
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

function nextRuns(id: number): Omit<Answer, 'id'> {
  const next = waiting.get(id)?.next();
  if (next?.done === false) return { runs: next.value, more: true };
  waiting.delete(id);
  return {};
}
