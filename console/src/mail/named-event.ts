import type { Message } from '../../../client/src/index.ts';

/** The event that a calendar part of a message names. */
export interface NamedEvent {
  uid: string;
  /** About when it begins, in milliseconds: its zone is not looked at. */
  at: number;
}

const LARGEST = 200_000;

/** The attachment that is a calendar part; undefined where there is none. */
export function calendarPart({ attachments }: Message): string | undefined {
  return attachments.find(
    ({ declared_type, mime_type, size }) =>
      (/^text\/calendar\b/i.test(declared_type) || mime_type === 'text/calendar') && size < LARGEST,
  )?.id;
}

/** Reads which event an invitation is about (RFC 5545); undefined where it is none. */
export function namedEvent(text: string): NamedEvent | undefined {
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const begin = lines.indexOf('BEGIN:VEVENT');
  if (begin < 0 || !lines.some((line) => /^METHOD:REQUEST\s*$/i.test(line))) return undefined;
  const textOf = (name: string) => {
    const line = lines.slice(begin).find((one) => one.startsWith(`${name}:`) || one.startsWith(`${name};`));
    return line?.slice(line.lastIndexOf(':') + 1).trim();
  };
  const uid = textOf('UID');
  const start = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d))?/.exec(textOf('DTSTART') ?? '');
  if (!uid || !start) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = start
    .slice(1)
    .map((part) => Number(part ?? 0));
  return { uid, at: Date.UTC(year, month - 1, day, hour, minute) };
}
