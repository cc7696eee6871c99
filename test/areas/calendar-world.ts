import assert from 'node:assert/strict';
import type { RequestOptions, TestApp } from '../harness.ts';
import { data, freshAddress, makeKey, makeUser } from './accounts.ts';

/** A user with a key for everything about calendars, and their first calendar. */
export interface Person {
  id: string;
  email: string;
  key: string;
  calendar: string;
}

export type Busy = { starts_at: string; ends_at: string }[];

export async function makePerson(app: TestApp, fields: Record<string, unknown> = {}): Promise<Person> {
  const email = freshAddress();
  const { id } = await makeUser(app, { email, ...fields });
  const { key } = await makeKey(
    app,
    ['calendar.events.read', 'calendar.events.write', 'calendar.freebusy.read', 'directory.read'],
    { user_id: id },
  );
  const [{ id: calendar }] = data(await app.get('/v1/calendars', { key }));
  return { id, email, key, calendar };
}

/** An event of a person from an hour to the next, with the fields that are given. */
export async function makeEvent(app: TestApp, person: Person, fields: Record<string, unknown> = {}) {
  const body = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z', ...fields };
  return data(await app.post(`/v1/calendars/${person.calendar}/events`, body, { key: person.key }), 201);
}

export async function makeRoom(app: TestApp): Promise<string> {
  return data(await app.post('/v1/resources', { name: 'Room', kind: 'room' }), 201).id;
}

/** The lines of an iMIP REPLY of an attendee. */
export const replyLines = (uid: string, attendee: string, partstat: string, ...more: string[]) => [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'METHOD:REPLY',
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `ATTENDEE;PARTSTAT=${partstat}:mailto:${attendee}`,
  ...more,
  'END:VEVENT',
  'END:VCALENDAR',
];

/** Who or what is busy, as the person sees it; of March 2026 unless another window is given. */
export async function askFreeBusy(
  app: TestApp,
  asked: Record<string, unknown>,
  options: RequestOptions = {},
) {
  const window = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' };
  return data(await app.post('/v1/freebusy', { ...window, ...asked }, options));
}

/** The busy times of one person as short texts, such as "03-02 09:00–10:00". */
export async function busyOf(
  app: TestApp,
  person: Person,
  window: Record<string, unknown> = {},
): Promise<string[]> {
  const { attendees } = await askFreeBusy(app, { attendees: [person.email], ...window }, { key: person.key });
  return shortTimes(attendees[0].busy);
}

export function shortTimes(busy: Busy): string[] {
  return busy.map(({ starts_at, ends_at }) => {
    const [from, to] = [starts_at, ends_at].map((time) => time.slice(5, 16).replace('T', ' '));
    return `${from}–${from?.slice(0, 5) === to?.slice(0, 5) ? to?.slice(6) : to}`;
  });
}

/** The listed instances of the person's first calendar. */
export async function instancesOf(app: TestApp, person: Person, window: Record<string, string> = {}) {
  const query = new URLSearchParams({
    start: '2026-03-01T00:00:00Z',
    end: '2026-04-01T00:00:00Z',
    limit: '100',
    ...window,
  });
  return data(await app.get(`/v1/calendars/${person.calendar}/events?${query}`, { key: person.key }));
}

// biome-ignore lint/suspicious/noExplicitAny: reports of every shape
type Report = any;

/**
 * The report of an import of this body, in which each line that is told is the one that a component begins with, or the
 * first of what holds none; without these lines.
 */
export function withoutLines(report: Report, body: string | Uint8Array): Report {
  const lines = Buffer.from(body)
    .toString('latin1')
    .split(/\r\n?|\n/);
  const skipped = report.skipped.map(({ line, ...rest }: { line: number }) => {
    assert.match(lines[line - 1] ?? '', line === 1 ? /./ : /^BEGIN[ \t]*:/i);
    return rest;
  });
  return { ...report, skipped };
}
