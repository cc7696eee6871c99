import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../../storage/database.ts';
import type { FlagSet } from './flags.ts';
import type { MailboxOwner } from './owner.ts';

/** What a summary is made of. */
export interface MessageRow {
  id: string;
  folder_id: string;
  thread_id: string | null;
  date: number;
  flags: FlagSet;
  labels: string;
  summary: string;
}

/** A message's place in the order of every listing: newest first, then by id. */
export interface MessagePlace {
  date: number;
  id: string;
}

/** A part of a mailbox that an index holds in the order of the listing: one folder, one set of flags, or both. */
export interface Stream {
  folderId?: string;
  flags?: FlagSet;
}

/** The streams of a listing, and the labels that every message must carry. */
export interface Selection {
  streams: readonly Stream[];
  labels: readonly string[];
}

/** SQLite takes at most 500 parts in one statement. */
const STREAMS_A_STATEMENT = 200;

/**
 * The newest messages of a selection after a place. Each stream is read from its index up to the limit and no further,
 * so the cost does not depend on how many messages there are, or on how few of them match.
 */
export async function listMessages(
  tx: ReadTransaction,
  owner: MailboxOwner,
  selection: Selection,
  after: MessagePlace | undefined,
  limit: number,
): Promise<MessageRow[]> {
  const found: MessageRow[] = [];
  for (let i = 0; i < selection.streams.length; i += STREAMS_A_STATEMENT) {
    const parts = selection.streams
      .slice(i, i + STREAMS_A_STATEMENT)
      .map((stream) => streamPart(owner, stream, selection.labels, after, limit));
    found.push(...(await newest(parts, limit).execute(tx)).rows);
  }
  return selection.streams.length > STREAMS_A_STATEMENT ? found.sort(newestFirst).slice(0, limit) : found;
}

function newest(parts: RawBuilder<MessageRow>[], limit: number): RawBuilder<MessageRow> {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const all = parts.map((part) => sql`SELECT * FROM (${part}) AS s`);
  return sql`${sql.join(all, sql` UNION ALL `)} ORDER BY date DESC, id DESC LIMIT ${limit}`;
}

function newestFirst(a: MessageRow, b: MessageRow): number {
  return b.date - a.date || (a.id < b.id ? 1 : -1);
}

type After = MessagePlace | undefined;

function streamPart(
  owner: MailboxOwner,
  stream: Stream,
  labels: readonly string[],
  after: After,
  limit: number,
): RawBuilder<MessageRow> {
  const [label, ...others] = labels;
  const body =
    label === undefined ? folderPart(owner, stream, after) : labelPart(owner, stream, label, others, after);
  return sql<MessageRow>`
    SELECT m.id, m.folder_id, m.thread_id, m.date, m.flags, m.labels, m.summary ${body} LIMIT ${limit}`;
}

function folderPart(owner: MailboxOwner, { folderId, flags }: Stream, after: After): RawBuilder<unknown> {
  return sql`FROM messages AS m
    WHERE m.workspace_id = ${owner.workspaceId} AND m.user_id = ${owner.userId}
    ${folderId === undefined ? sql`` : sql`AND m.folder_id = ${folderId}`}
    ${flags === undefined ? sql`` : sql`AND m.flags = ${flags}`}
    ${after ? sql`AND (m.date, m.id) < (${after.date}, ${after.id})` : sql``}
    ORDER BY m.date DESC, m.id DESC`;
}

/** Reads along the index of the first label; the others are looked up message by message. */
function labelPart(
  owner: MailboxOwner,
  { folderId, flags }: Stream,
  label: string,
  others: readonly string[],
  after: After,
): RawBuilder<unknown> {
  const carried = others.map(
    (other) => sql`AND EXISTS (SELECT 1 FROM message_labels AS o
      WHERE o.workspace_id = l.workspace_id AND o.message_id = l.message_id AND o.label = ${other})`,
  );
  return sql`FROM message_labels AS l
    JOIN messages AS m ON m.workspace_id = l.workspace_id AND m.id = l.message_id
    WHERE l.workspace_id = ${owner.workspaceId} AND l.user_id = ${owner.userId} AND l.label = ${label}
    ${folderId === undefined ? sql`` : sql`AND l.folder_id = ${folderId}`}
    ${flags === undefined ? sql`` : sql`AND l.flags = ${flags}`}
    ${after ? sql`AND (l.date, l.message_id) < (${after.date}, ${after.id})` : sql``}
    ${carried.length > 0 ? sql.join(carried, sql` `) : sql``}
    ORDER BY l.date DESC, l.message_id DESC`;
}

/** Of several labels the one that fewest messages carry, as far as looking at some tells; the others follow. */
export async function rarestFirst(
  tx: ReadTransaction,
  owner: MailboxOwner,
  labels: readonly string[],
): Promise<string[]> {
  if (labels.length < 2) return [...labels];
  const counted = await Promise.all(
    labels.map(async (label) => ({ label, messages: await countUpTo(tx, owner, label, ENOUGH_TO_COMPARE) })),
  );
  return counted.sort((a, b) => a.messages - b.messages).map(({ label }) => label);
}

/** Counting stops here: among labels this common the order of reading matters little. */
const ENOUGH_TO_COMPARE = 500;

async function countUpTo(
  tx: ReadTransaction,
  owner: MailboxOwner,
  label: string,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ messages: number }>`
    SELECT count(*) AS messages FROM (
      SELECT 1 FROM message_labels
      WHERE workspace_id = ${owner.workspaceId} AND user_id = ${owner.userId} AND label = ${label} LIMIT ${most}
    ) AS counted`.execute(tx);
  return Number(rows[0]?.messages ?? 0);
}
