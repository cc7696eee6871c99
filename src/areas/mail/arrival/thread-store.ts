import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsClaim } from '../../../storage/query/insertion.ts';
import { isAmong, textsIn } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { MailboxOwner } from '../owner.ts';

interface Links extends MailboxOwner {
  /** JSON array. */
  links: string;
}

const selectLinks = statement((tx, p: Links) =>
  tx
    .selectFrom('thread_links')
    .select(['link', 'thread_id'])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('link', 'in', tx.selectFrom(textsIn(tx, p.links, 'e')).select('e.value')),
);

/** As `selectLinks`, for one link: the most frequent case, in less time. */
const selectLink = statement((tx, p: MailboxOwner & { link: string }) =>
  tx
    .selectFrom('thread_links')
    .select(['link', 'thread_id'])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('link', '=', p.link),
);

const insertBatch = rowsClaim('thread_links', ['workspace_id', 'user_id', 'link', 'thread_id']);

/** Links of one statement: other requests get a turn between two statements. */
const LINKS_A_STATEMENT = 2_000;

function* portionsOf(links: readonly string[]): Generator<readonly string[]> {
  for (let i = 0; i < links.length; i += LINKS_A_STATEMENT) yield links.slice(i, i + LINKS_A_STATEMENT);
}

/** The threads of the known links. */
export async function findThreads(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  links: readonly string[],
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (const some of portionsOf(links)) {
    const [link = ''] = some;
    const rows =
      some.length === 1
        ? await selectLink(tx, { workspaceId, userId, link })
        : await selectLinks(tx, { workspaceId, userId, links: JSON.stringify(some) });
    for (const row of rows) known.set(row.link, row.thread_id);
  }
  return known;
}

/** Stores links that were found to be unknown under the mailbox lock: nobody else stores one meanwhile. */
export async function insertLinks(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  links: readonly string[],
  threadId: string,
): Promise<void> {
  const rows = links.map((link) => [workspaceId, userId, link, threadId]);
  await insertBatch(tx, rows);
}

/** The number of messages of each of these threads that is not empty. */
export async function countThreads(
  tx: ReadTransaction,
  owner: MailboxOwner,
  threadIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('messages')
    .select(({ fn }) => ['thread_id', fn.countAll<number>().as('messages')])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where(isAmong(tx, 'thread_id', JSON.stringify(threadIds)))
    .groupBy('thread_id')
    .execute();
  return new Map(rows.map((row) => [row.thread_id ?? '', Number(row.messages)]));
}

/**
 * Moves all messages, expunged ones included, and links of some threads to another thread. Returns the ids of the
 * messages that are not expunged.
 */
export async function moveThreads(
  tx: WriteTransaction,
  owner: MailboxOwner,
  from: readonly string[],
  to: string,
): Promise<string[]> {
  const isMailbox = { workspace_id: owner.workspaceId, user_id: owner.userId };
  const isMoved = isAmong(tx, 'thread_id', JSON.stringify(from));
  const move = (table: 'messages' | 'expunged_messages') =>
    tx
      .updateTable(table)
      .set({ thread_id: to, summary: summaryIn(to) })
      .where((eb) => eb.and(isMailbox))
      .where(isMoved);
  const moved = await move('messages').returning('id').execute();
  await move('expunged_messages').execute();
  await tx
    .updateTable('thread_links')
    .set({ thread_id: to })
    .where((eb) => eb.and(isMailbox))
    .where(isMoved)
    .execute();
  return moved.map(({ id }) => id);
}

/** The summary with another thread id. A plain replace is safe: quotes inside its texts are escaped. */
function summaryIn(to: string) {
  const before = sql`'"thread_id":"' || thread_id || '"'`;
  return sql<string>`replace(summary, ${before}, ${`"thread_id":"${to}"`})`;
}
