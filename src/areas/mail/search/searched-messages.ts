import type { ReadTransaction } from '../../../storage/database.ts';
import type { IndexedField, IndexedObject, IndexedText } from '../../../storage/full-text/full-text-index.ts';
import type { StoredKey } from '../../../storage/query/stored-keys.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { FLAGS, type Flag } from '../changes/flags.ts';
import { withoutTags } from '../filters/html-tags.ts';
import { itemOf } from '../messages/record.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  type FoundRow,
  findListed,
  findTexts,
  listKeysAfter,
  SET_ASIDE,
  type TextRow,
} from './search-store.ts';

/** The members of a stored message that are searched. */
interface SearchedMembers {
  subject: string;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string[];
  text: string;
  html: string;
  attachments: { filename: string }[];
}

/** Messages of a workspace as the full-text index holds them. Those that are expunged or unknown are left out. */
export async function indexedMessages(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<IndexedObject[]> {
  const objects: IndexedObject[] = [];
  for (const row of await findTexts(tx, workspaceId, ids)) {
    objects.push(indexedMessage(workspaceId, row));
    await giveWay();
  }
  return objects;
}

function indexedMessage(workspaceId: string, row: TextRow): IndexedObject {
  const members: SearchedMembers = JSON.parse(`{${row.summary},${row.record}}`);
  return {
    workspaceId,
    kind: 'message',
    id: row.id,
    at: row.date,
    principals: [row.user_id],
    texts: textsOf(members),
    hasAttachment: members.attachments.length > 0,
  };
}

/** The body comes first: a snippet shows it rather than an address. */
function textsOf(members: SearchedMembers): IndexedText[] {
  const { subject, from, to, cc, bcc, reply_to, text, html, attachments } = members;
  const body = text.trim() === '' ? withoutTags(html) : text;
  return [
    ...of('body', [body]),
    ...of('subject', [subject]),
    ...of('from', [from]),
    ...of('to', to),
    ...of('cc', cc),
    ...of('other', [...bcc, ...reply_to]),
    ...of(
      'filename',
      attachments.map(({ filename }) => filename),
    ),
  ];
}

function of(field: IndexedField, texts: readonly string[]): IndexedText[] {
  return texts.filter((text) => text !== '').map((text) => ({ field, text }));
}

/** A message of a mailbox with what a search asks of it. */
export interface FoundMessage {
  readonly id: string;
  /** The summary as ready JSON. */
  readonly record: string;
  readonly title: string;
  readonly at: string;
  readonly folder: {
    readonly id: string;
    readonly name: string;
    readonly role: string | null;
    /** `trash` and `junk`, where the folder has that role or lies below the one that has it. */
    readonly setAside: readonly string[];
  };
  readonly flags: ReadonlySet<Flag>;
  readonly labels: readonly string[];
  /** Bytes. */
  readonly size: number;
}

/** Those of the messages that are in the mailbox, with what a search asks of them. */
export async function foundMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  ids: readonly string[],
): Promise<FoundMessage[]> {
  const rows = await findListed(tx, owner, ids);
  return rows.map(foundMessage);
}

function foundMessage(row: FoundRow): FoundMessage {
  const { subject, date } = JSON.parse(`{${row.summary}}`) as { subject: string; date: string };
  return {
    id: row.id,
    record: itemOf(row, row.folder_id),
    title: subject,
    at: date,
    folder: {
      id: row.folder_id,
      name: row.folder_name,
      role: row.folder_role,
      setAside: SET_ASIDE.filter((role) => row[`in_${role}`] === 1),
    },
    flags: new Set(FLAGS.filter((_, bit) => (row.flags & (1 << bit)) !== 0)),
    labels: JSON.parse(row.labels),
    size: row.size,
  };
}

/** The keys of stored messages of all workspaces after one, for a build of the full-text index. */
export function messageKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
  return listKeysAfter(tx, after, limit);
}
