import type { ParsedMessage } from '../../formats/messages/message.ts';
import { type Flag, type FlagSet, flagSet } from './flags.ts';

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
  return flagsOf(header('status'), STATUS) | flagsOf(header('x-status'), X_STATUS);
}

function flagsOf(letters: string, meanings: Record<string, Flag>): FlagSet {
  const flags = [...letters].map((letter) => meanings[letter]);
  return flagSet(flags.filter((flag) => flag !== undefined));
}
