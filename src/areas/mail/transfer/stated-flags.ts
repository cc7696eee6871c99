import type { ParsedMessage } from '../../../formats/messages/message.ts';
import { type Flag, type FlagSet, flagSet } from '../changes/flags.ts';

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
