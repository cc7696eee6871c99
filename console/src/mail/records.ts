import type {
  ListedMessage,
  Message,
  MessageFlags,
  MessageSummary,
  SearchHit,
} from '../../../client/src/index.ts';
import { shownName } from '../parts/shown-name.ts';

export type FlagName = keyof MessageFlags;

/** A message as lists keep it: small, so that a list of 100,000 stays in memory. */
export interface MailRecord {
  id: string;
  folder_id: string;
  thread_id?: string;
  subject: string;
  from: string;
  date: string;
  flags: MessageFlags;
  labels: readonly string[];
  has_attachments: boolean;
  /** How its text begins; absent where the API was not asked for it. */
  preview?: string;
  /** To whom it goes, in lists of sent messages and drafts. */
  recipients?: Recipients;
}

export interface Recipients {
  /** The first of To and Cc, as the message has them. */
  first: readonly string[];
  /** How many it names beside those. */
  more: number;
}

/** What the API answers of a message: a summary, with what was asked for beside it, or all of it. */
export type Summary = MessageSummary &
  Pick<ListedMessage, 'preview' | 'to' | 'cc' | 'more_recipients'> &
  Partial<Pick<Message, 'text'>>;

/** Longer ones are shown whole in the conversation. */
const LONGEST_TEXT = 300;
/** More fits no row. */
const LONGEST_PREVIEW = 160;
const MOST_RECIPIENTS = 5;
const NO_LABELS: readonly string[] = [];
/** There are 32 combinations: messages share them. */
const sharedFlags = new Map<string, MessageFlags>();

export function recordOf(summary: Summary): MailRecord {
  const { id, folder_id, thread_id, subject, from, date, flags, labels, has_attachments } = summary;
  return {
    id,
    folder_id,
    ...(thread_id !== undefined && { thread_id }),
    subject: subject.slice(0, LONGEST_TEXT),
    from: from.slice(0, LONGEST_TEXT),
    date,
    flags: shared(flags),
    labels: labels.length === 0 ? NO_LABELS : labels,
    has_attachments,
    ...previewOf(summary),
    ...recipientsOf(summary),
  };
}

function previewOf({ preview, text }: Summary): Pick<MailRecord, 'preview'> {
  if (preview !== undefined) return { preview: preview.slice(0, LONGEST_PREVIEW) };
  if (text === undefined) return {};
  const beginning = text.slice(0, 4 * LONGEST_PREVIEW);
  return { preview: beginning.replace(/\s+/g, ' ').trim().slice(0, LONGEST_PREVIEW) };
}

function recipientsOf({ to, cc = [], more_recipients = 0 }: Summary): Pick<MailRecord, 'recipients'> {
  if (to === undefined) return {};
  const all = [...to, ...cc];
  const first = all.slice(0, MOST_RECIPIENTS).map((one) => one.slice(0, LONGEST_TEXT));
  return { recipients: { first, more: all.length - first.length + more_recipients } };
}

/** A record with what an earlier one knew beside it: not every answer of the API has all. */
export function completed(record: MailRecord, known: MailRecord | undefined): MailRecord {
  const { preview = known?.preview, recipients = known?.recipients } = record;
  if (preview === record.preview && recipients === record.recipients) return record;
  return { ...record, ...(preview !== undefined && { preview }), ...(recipients && { recipients }) };
}

function shared({ read, starred, answered, draft, deleted }: MessageFlags): MessageFlags {
  const flags = { read, starred, answered, draft, deleted };
  const key = Object.values(flags).join();
  const known = sharedFlags.get(key);
  if (known) return known;
  sharedFlags.set(key, flags);
  return flags;
}

/** The order of lists: newest first, by date and then by id, as the API has it. */
export function byNewest(a: MailRecord, b: MailRecord): number {
  if (a.date !== b.date) return a.date < b.date ? 1 : -1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

/** What is done to messages; also what undoes it. */
export interface Change {
  add_flags?: FlagName[];
  remove_flags?: FlagName[];
  add_labels?: string[];
  remove_labels?: string[];
  /** The id of a folder, never a role: records name folders by their ids. */
  move_to?: string;
}

export function changed(record: MailRecord, change: Change): MailRecord {
  const flags = { ...record.flags };
  for (const flag of change.add_flags ?? []) flags[flag] = true;
  for (const flag of change.remove_flags ?? []) flags[flag] = false;
  const removed = new Set(change.remove_labels);
  const kept = record.labels.filter((label) => !removed.has(label));
  const added = (change.add_labels ?? []).filter((label) => !kept.includes(label));
  return {
    ...record,
    flags: shared(flags),
    labels: [...kept, ...added],
    folder_id: change.move_to ?? record.folder_id,
  };
}

/** What turns `after` into `before`; undefined where they are the same. */
export function inverse(before: MailRecord, after: MailRecord): Change | undefined {
  const names = Object.keys(before.flags) as FlagName[];
  const lost = names.filter((name) => before.flags[name] && !after.flags[name]);
  const got = names.filter((name) => !before.flags[name] && after.flags[name]);
  const lostLabels = before.labels.filter((label) => !after.labels.includes(label));
  const gotLabels = after.labels.filter((label) => !before.labels.includes(label));
  const change: Change = {
    ...(lost.length > 0 && { add_flags: lost }),
    ...(got.length > 0 && { remove_flags: got }),
    ...(lostLabels.length > 0 && { add_labels: lostLabels }),
    ...(gotLabels.length > 0 && { remove_labels: gotLabels }),
    ...(before.folder_id !== after.folder_id && { move_to: before.folder_id }),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

/** "Ann" of `"Ann" <ann@example.org>`; the address where there is no name. */
export function nameIn(from: string): string {
  const bracket = from.lastIndexOf('<');
  const name = bracket < 0 ? from : unquoted(from.slice(0, bracket).trim());
  return shownName(name || addressIn(from));
}

export function addressIn(from: string): string {
  const bracket = from.lastIndexOf('<');
  return bracket < 0 ? from : from.slice(bracket + 1).replace(/>.*$/s, '');
}

function unquoted(name: string): string {
  if (name.length < 2 || !name.startsWith('"') || !name.endsWith('"')) return name;
  return name.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/** What a search has found. */
export interface FoundRow {
  id: string;
  hit: SearchHit;
  /** Of a message. */
  record?: MailRecord;
}
