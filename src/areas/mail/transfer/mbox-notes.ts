import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ParsedMessage } from '../../../formats/messages/message.ts';
import { type Flag, type FlagSet, flagSet } from '../changes/flags.ts';
import { Label } from '../schema.ts';

/** The letters with which mail programs state flags, in Maildir names (F, R, S …) and in mailbox files (A, R …). */
const MAILDIR: Record<string, Flag> = { S: 'read', F: 'starred', R: 'answered', D: 'draft', T: 'deleted' };
const STATUS: Record<string, Flag> = { R: 'read' };
const X_STATUS: Record<string, Flag> = { A: 'answered', F: 'starred', T: 'draft', D: 'deleted' };

/** The flags of a Maildir file name, from the letters after ":2,". */
export function maildirFlags(letters: string): FlagSet {
  return flagsOf(letters, MAILDIR);
}

/** The flags that the headers Status and X-Status of a mailbox file state. */
export function statusFlags({ headers }: Pick<ParsedMessage, 'headers'>): FlagSet {
  const header = (name: string) => headers.find(({ name: given }) => given === name)?.value ?? '';
  return letterFlags(header('status'), header('x-status'));
}

/** The flags of these values of Status and X-Status. */
export function letterFlags(status: string, xStatus: string): FlagSet {
  return flagsOf(status, STATUS) | flagsOf(xStatus, X_STATUS);
}

/** The values of Status and X-Status that state these flags; "O": mail programs have seen that it is there. */
export function statusLetters(flags: FlagSet): { status: string; xStatus: string } {
  return { status: `${lettersOf(flags, STATUS)}O`, xStatus: lettersOf(flags, X_STATUS) };
}

function lettersOf(flags: FlagSet, meanings: Record<string, Flag>): string {
  const stated = Object.entries(meanings).filter(([, flag]) => flags & flagSet([flag]));
  return stated.map(([letter]) => letter).join('');
}

function flagsOf(letters: string, meanings: Record<string, Flag>): FlagSet {
  const flags = [...letters].map((letter) => meanings[letter]);
  return flagSet(flags.filter((flag) => flag !== undefined));
}

/** What a mailbox file says of a message beside its bytes. */
export interface MessageMarks {
  flags: FlagSet;
  labels: readonly string[];
  /** Milliseconds since the epoch. */
  date: number;
}

/** A message of a mailbox file that an export has written. */
export interface NotedMessage extends MessageMarks {
  /** Byte for byte as it was exported. */
  raw: Uint8Array;
}

/** The years that the Date of a message is read within: beyond 9999 a time is no date of RFC 3339, 5.6. */
const EARLIEST = Date.UTC(1970, 0);
const LATEST = Date.UTC(10_000, 0) - 1;

const Note = Type.Object({
  size: Type.Integer({ minimum: 0 }),
  date: Type.Integer({ minimum: EARLIEST, maximum: LATEST }),
  labels: Type.Array(Label, { maxItems: 100 }),
});

/** The notes as they stand before a message: the first is for imports here, the others for every mail program. */
const NOTES = /^X-Atrium-Message: (\{[^\n]*\})\nStatus: ([A-Z]*)\nX-Status: ([A-Z]*)\nContent-Length: \d+\n/;
/** A hundred labels of 255 characters, each written as `\uXXXX`, and the rest. */
const MOST_NOTED = 200_000;

/** The header lines that stand before a message of so many bytes in a mailbox file. */
export function notesOf({ flags, labels, date }: MessageMarks, size: number): string[] {
  const { status, xStatus } = statusLetters(flags);
  return [
    `X-Atrium-Message: ${ascii(JSON.stringify({ size, date, labels }))}`,
    `Status: ${status}`,
    `X-Status: ${xStatus}`,
  ];
}

/** The message behind the notes of an export; undefined where there are none, or the bytes have changed since. */
export function readNotes(stored: Uint8Array): NotedMessage | undefined {
  const [lines, json = '', status = '', xStatus = ''] =
    NOTES.exec(Buffer.from(stored.subarray(0, MOST_NOTED)).toString('latin1')) ?? [];
  const note = lines === undefined ? undefined : parsed(json);
  if (lines === undefined || !Value.Check(Note, note)) return undefined;
  const raw = stored.subarray(lines.length, lines.length + note.size);
  // Up to the line end that a message without one gets.
  const rest = stored.length - lines.length - note.size;
  if (rest < 0 || rest > 2) return undefined;
  return { raw, flags: letterFlags(status, xStatus), labels: note.labels, date: note.date };
}

/** RFC 5322, 2.2: header fields are of ASCII. */
function ascii(json: string): string {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
