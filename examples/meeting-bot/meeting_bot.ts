/**
 * A bot that arranges meetings: "Meet for 45 minutes" as the subject of a message to it, and everybody who is to meet in To or
 * Cc. It finds a time and a room, invites, finds another time when somebody declines, and writes when all have accepted.
 *
 * Usage: ATRIUM_KEY=… node meeting_bot.ts
 */
import {
  Atrium,
  AtriumError,
  ConnectionError,
  type EventDetails,
  type FindTimeBody,
  type Message,
} from '@atrium/client';

const address = process.env.ATRIUM_URL ?? 'http://127.0.0.1:8080';
const atrium = new Atrium({ address, key: process.env.ATRIUM_KEY ?? '' });

/** Labels: requests that are yet to be read, and those whose meeting not all have accepted yet. */
const [WANTED, PENDING] = ['meet', 'meeting'];
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const me = await atrium.directory.getOwnUser();
const [calendar = await atrium.calendar.createCalendar({ name: 'Meetings' })] =
  await atrium.calendar.listCalendars();
const rooms = (await atrium.directory.listResources().all()).filter(({ kind }) => kind === 'room');

/** The first time of the next two weeks at which all can meet, in the working hours of each. */
async function firstTime(
  from: number,
  minutes: number,
  people: string[],
  further: Partial<FindTimeBody> = {},
) {
  const start = Math.ceil(from / (15 * MINUTE)) * 15 * MINUTE;
  const { slots } = await atrium.calendar.findTime({
    attendees: people,
    any_of_resources: rooms.map(({ id }) => id),
    start: new Date(start).toISOString(),
    end: new Date(start + 14 * DAY).toISOString(),
    duration_minutes: minutes,
    working_hours: 'each',
    max_results: 1,
    ...further,
  });
  const [slot] = slots;
  if (!slot) throw new Error('There is no time within two weeks at which everybody and a room are free.');
  const { starts_at, ends_at, resource_id } = slot;
  return { starts_at, ends_at, resources: resource_id === undefined ? [] : [resource_id] };
}

/** Everybody whom a message names, but the bot. */
function peopleOf({ addresses: { from, to, cc } }: Message): string[] {
  const all = [...from, ...to, ...cc].map((one) => one.address.toLowerCase());
  return [...new Set(all)].filter((one) => one !== me.email);
}

/** Writes to everybody of a request; the same occasion once. */
async function tell(request: Message, text: string, occasion: string): Promise<void> {
  const message = { to: peopleOf(request), text, reply_to_message_id: request.id };
  await atrium.mail.sendMessage(message, { idempotencyKey: `${request.id}/${occasion}` });
}

async function arrange(id: string): Promise<void> {
  const request = await atrium.mail.getMessage(id);
  const minutes = Number(/\d+/.exec(request.subject)?.[0] ?? 30);
  const labels: string[] = [];
  try {
    // Whoever writes from elsewhere may write under any name.
    if (request.received) throw new Error('Only users of the workspace can ask for a meeting.');
    const attendees = peopleOf(request);
    const time = await firstTime(Date.now(), minutes, attendees);
    const event = await atrium.calendar.createEvent(calendar.id, { ...time, attendees, notify: 'all' });
    labels.push(PENDING, event.id);
    console.log(`Invited ${attendees.join(', ')} for ${event.starts_at}`);
  } catch (error) {
    if (request.received) console.log(`Not arranged: ${id} came by SMTP`);
    else await tell(request, sorry(error), 'refused');
  }
  const done = {
    add_flags: ['read' as const],
    remove_labels: [WANTED],
    add_labels: labels,
    move_to: 'archive',
  };
  await atrium.mail.changeMessages({ message_ids: [id], ...done });
}

/** Moves an event that somebody has declined, and tells when all have accepted. Its request has its id as a label. */
async function react(eventId: string): Promise<void> {
  const [summary] = (await atrium.mail.listMessages({ label: eventId }).first()).items;
  if (!summary) return;
  const request = await atrium.mail.getMessage(summary.id);
  const event = await atrium.calendar.getEvent(calendar.id, eventId);
  const given = new Set(event.attendees.map(({ response }) => response));
  if (given.has('declined')) await move(request, event);
  else if (given.size === 1 && given.has('accepted'))
    await settle(request, `Everybody comes on ${timeText(event.starts_at)}.`, `settled/${event.starts_at}`);
}

async function move(request: Message, { id, starts_at, ends_at, attendees }: EventDetails): Promise<void> {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  const people = attendees.map(({ address }) => address);
  try {
    const time = await firstTime(end, (end - start) / MINUTE, people, { ignore_event_id: id });
    await atrium.calendar.updateEvent(calendar.id, id, { ...time, notify: 'all' });
    console.log(`Moved to ${time.starts_at}`);
  } catch (error) {
    await settle(request, sorry(error), `stuck/${starts_at}`);
  }
}

/** Tells how a request ended. */
async function settle(request: Message, text: string, occasion: string): Promise<void> {
  await tell(request, text, occasion);
  await atrium.mail.changeMessages({ message_ids: [request.id], remove_labels: [PENDING] });
  console.log(text);
}

/** What people are told of a refusal. What passes ends the bot instead: the request waits for its next start. */
function sorry(error: unknown): string {
  if (!(error instanceof Error) || error instanceof ConnectionError) throw error;
  if (error instanceof AtriumError && error.status >= 500) throw error;
  return `This cannot be arranged. ${error.message}`;
}

function timeText(time: string): string {
  const format = { dateStyle: 'full', timeStyle: 'long', timeZone: me.time_zone } as const;
  return new Intl.DateTimeFormat('en', format).format(new Date(time));
}

async function makeFilter(): Promise<void> {
  const filters = await atrium.mail.listMailFilters().all();
  if (filters.some(({ name }) => name === WANTED)) return;
  const conditions = [{ field: 'subject', op: 'starts_with', value: 'meet for' } as const];
  const actions = [{ type: 'add_label', label: WANTED } as const];
  await atrium.mail.createMailFilter({ name: WANTED, priority: 10, rule: { conditions, actions } });
}

async function readRequests(): Promise<void> {
  for (const { id } of await atrium.mail.listMessages({ folder_id: 'inbox', label: WANTED }).all())
    await arrange(id);
}

await makeFilter();
// The cursor comes first: what happens while the rest is done is in the feed.
const { cursor } = await atrium.changes.readChanges();
await readRequests();
for (const { labels } of await atrium.mail.listMessages({ label: PENDING }).all())
  for (const label of labels) if (label.startsWith('evt_')) await react(label);
console.log('Waiting for requests and answers.');
for await (const { type, ids } of atrium.changes.follow(cursor, {
  types: ['message.created', 'event.responded'],
}))
  await (type === 'event.responded' ? react(String(ids.event_id)) : readRequests());
