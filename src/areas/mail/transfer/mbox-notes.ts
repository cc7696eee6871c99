import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ParsedMessage } from '../../../formats/messages/message.ts';
import { type Flag, type FlagSet, flagSet } from '../changes/flags.ts';
import { Label } from '../schema.ts';

/** The letters by which mail programs write flags in Maildir names (F, R, S …) and in mbox files (A, R …). */
const MAILDIR: Record<string, Flag> = { S: 'read', F: 'starred', R: 'answered', D: 'draft', T: 'deleted' };
const STATUS: Record<string, Flag> = { R: 'read' };
const X_STATUS: Record<string, Flag> = { A: 'answered', F: 'starred', T: 'draft', D: 'deleted' };

/** The flags of a Maildir file name, from the letters after ":2,". */
export function maildirFlags(letters: string): FlagSet {
  return flagsOf(letters, MAILDIR);
}

/** The flags in the headers Status and X-Status of an mbox entry. */
export function statusFlags({ headers }: Pick<ParsedMessage, 'headers'>): FlagSet {
  const header = (name: string) => headers.find(({ name: given }) => given === name)?.value ?? '';
  return letterFlags(header('status'), header('x-status'));
}

/** The flags of these values of Status and X-Status. */
export function letterFlags(status: string, xStatus: string): FlagSet {
  return flagsOf(status, STATUS) | flagsOf(xStatus, X_STATUS);
}

/** The values of Status and X-Status for these flags; "O" means that the message is not new to mail programs. */
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

/** The flags, labels and date of a message in an mbox file. */
export interface FlagsAndLabels {
  flags: FlagSet;
  labels: readonly string[];
  /** Milliseconds since the epoch. */
  date: number;
}

/** A message of an mbox file that an export has written. */
export interface ExportedMessage extends FlagsAndLabels {
  /** Byte for byte as it was exported. */
  raw: Uint8Array;
}

/** The range of accepted dates: RFC 3339, 5.6 has no years after 9999. */
const EARLIEST = Date.UTC(1970, 0);
const LATEST = Date.UTC(10_000, 0) - 1;

const Note = Type.Object({
  size: Type.Integer({ minimum: 0 }),
  date: Type.Integer({ minimum: EARLIEST, maximum: LATEST }),
  labels: Type.Array(Label, { maxItems: 100 }),
});

/**
 * The notes of an export before a message: the first line is for imports of this project, the others for mail programs.
 */
const NOTES = /^X-Atrium-Message: (\{[^\n]*\})\nStatus: ([A-Z]*)\nX-Status: ([A-Z]*)\nContent-Length: \d+\n/;
/** Enough for a hundred labels of 255 characters, each character escaped as `\uXXXX`, and the rest. */
const MOST_NOTED = 200_000;

/** The header lines before a message of `size` bytes in an mbox file. */
export function notesOf({ flags, labels, date }: FlagsAndLabels, size: number): string[] {
  const { status, xStatus } = statusLetters(flags);
  return [
    `X-Atrium-Message: ${ascii(JSON.stringify({ size, date, labels }))}`,
    `Status: ${status}`,
    `X-Status: ${xStatus}`,
  ];
}

/** The message after the notes of an export; undefined if there are none or the size of the message has changed. */
export function readNotes(stored: Uint8Array): ExportedMessage | undefined {
  const [lines, json = '', status = '', xStatus = ''] =
    NOTES.exec(Buffer.from(stored.subarray(0, MOST_NOTED)).toString('latin1')) ?? [];
  const note = lines === undefined ? undefined : parsed(json);
  if (lines === undefined || !Value.Check(Note, note)) return undefined;
  const raw = stored.subarray(lines.length, lines.length + note.size);
  // An export adds a line end (up to two bytes) to a message without one.
  const rest = stored.length - lines.length - note.size;
  if (rest < 0 || rest > 2) return undefined;
  return { raw, flags: letterFlags(status, xStatus), labels: note.labels, date: note.date };
}

/** RFC 5322, 2.2: header fields consist of ASCII characters. */
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
