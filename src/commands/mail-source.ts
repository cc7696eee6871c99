import { getSystemErrorMessage } from 'node:util';
import type { MessageMarks } from '../areas/mail/service.ts';

/** One message among files: where it is, and its bytes. */
export interface FoundMessage {
  kind: 'message';
  /** The path, and within a mailbox file the place. */
  source: string;
  /** Rejects with UnreadableSource. */
  content: AsyncIterable<Uint8Array>;
  /**
   * What a Maildir file name, or an export in a mailbox file, states; flags may be read from the message itself where it
   * is in a mailbox file of another program.
   */
  flagsFrom: { maildir: string } | { noted: MessageMarks } | 'status headers' | undefined;
  /** Milliseconds since the epoch: when it was put where it is, as far as the mailbox or the file tells. */
  deliveredAt: number | null;
}

/** Something that is no message, and why. */
export interface SkippedSource {
  kind: 'skipped';
  source: string;
  reason: string;
}

/** How far the reading has come. */
export interface ReadProgress {
  bytes: number;
}

/** A message cannot be read to its end; the message of the error says why. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';
}

export function skipped(path: Buffer, reason: string | Error): SkippedSource {
  return {
    kind: 'skipped',
    source: path.toString(),
    reason: typeof reason === 'string' ? reason : reasonOf(reason),
  };
}

/** The system's words for what went wrong, without the path and the call that Node adds. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  return error.errno === undefined ? error.message : getSystemErrorMessage(error.errno);
}

/** What a call answers, or what it throws. */
export function tried<T>(call: () => T): T | Error {
  try {
    return call();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
