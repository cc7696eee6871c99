import type { FunctionFault } from '../calculation.ts';
import { OutOfTime, TooMuch, Unknown } from './interruptions.ts';

/** Frames of the stack that are enough to find a fault. */
const FRAMES = 4;
/** What the engine throws where a formula exhausts the stack or asks for what cannot be; other RangeErrors are faults. */
const BOMB = /^maximum .+ exceeded|invalid (?:array|string|typed array) length|allocation failed/i;

/** Thrown in place of what a function threw and must not. */
export class FailedFunction extends Error {
  readonly functionName: string;

  constructor(functionName: string, cause: unknown) {
    super(`${functionName} has failed`, { cause });
    this.functionName = functionName;
  }
}

/** Whether a formula has asked for more than can be. */
export function isBomb(thrown: unknown): boolean {
  return thrown instanceof TooMuch || (thrown instanceof RangeError && BOMB.test(thrown.message));
}

/** What to throw for what a function threw: the same where that is in order, else that the function has failed. */
export function namingFunction(name: string, thrown: unknown): unknown {
  const isKnown =
    thrown instanceof Unknown || thrown instanceof OutOfTime || thrown instanceof FailedFunction;
  return isKnown || isBomb(thrown) ? thrown : new FailedFunction(name, thrown);
}

/** Counts faults by functions. Messages are left out of them, for they may hold what stands in cells. */
export class Faults {
  readonly #faults = new Map<string, FunctionFault>();

  note(thrown: unknown): void {
    const name = thrown instanceof FailedFunction ? thrown.functionName : 'the engine';
    const cause = thrown instanceof FailedFunction ? thrown.cause : thrown;
    const times = (this.#faults.get(name)?.times ?? 0) + 1;
    this.#faults.set(name, { function: name, ...siteOf(cause), times });
  }

  /** The faults since they were last taken. */
  take(): FunctionFault[] {
    const taken = [...this.#faults.values()];
    this.#faults.clear();
    return taken;
  }
}

function siteOf(cause: unknown): { kind: string; frames: readonly string[] } {
  if (!(cause instanceof Error)) return { kind: typeof cause, frames: [] };
  const lines = (cause.stack ?? '').split('\n');
  const frames = lines.filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line)).map((line) => line.trim());
  return { kind: cause.constructor.name, frames: frames.slice(0, FRAMES) };
}
