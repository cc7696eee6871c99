import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { arraysIn, textAt, textsIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import type { MailboxOwner } from './owner.ts';

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

const insertUnknown = statement(
  (tx: WriteTransaction, p: MailboxOwner & { link: string; threadId: string }) =>
    tx
      .insertInto('thread_links')
      .values({ workspace_id: p.workspaceId, user_id: p.userId, link: p.link, thread_id: p.threadId })
      .onConflict((conflict) => conflict.doNothing()),
);

const insertEach = statement((tx: WriteTransaction, p: { rows: string }) =>
  tx
    .insertInto('thread_links')
    .columns(['workspace_id', 'user_id', 'link', 'thread_id'])
    .expression(
      tx
        .selectFrom(arraysIn(tx, p.rows, 'e'))
        .select([
          textAt('e', 0).as('workspace_id'),
          textAt('e', 1).as('user_id'),
          textAt('e', 2).as('link'),
          textAt('e', 3).as('thread_id'),
        ]),
    ),
);

/** The threads of those links that are known. */
export async function findThreads(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  links: readonly string[],
): Promise<Map<string, string>> {
  const rows = await selectLinks(tx, { workspaceId, userId, links: JSON.stringify(links) });
  return new Map(rows.map((row) => [row.link, row.thread_id]));
}

/** Answers whether the link was not known. */
export async function insertNewLink(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  link: string,
  threadId: string,
): Promise<boolean> {
  return (await insertUnknown(tx, { workspaceId, userId, link, threadId })) > 0;
}

export async function insertLinks(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  links: readonly string[],
  threadId: string,
): Promise<void> {
  const [only] = links;
  if (only !== undefined && links.length === 1) {
    await insertNewLink(tx, { workspaceId, userId }, only, threadId);
    return;
  }
  const rows = links.map((link) => [workspaceId, userId, link, threadId]);
  if (rows.length > 0) await insertEach(tx, { rows: JSON.stringify(rows) });
}

/** How many messages a thread has. */
export async function countThread(
  tx: ReadTransaction,
  owner: MailboxOwner,
  threadId: string,
): Promise<number> {
  const row = await tx
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('thread_id', '=', threadId)
    .executeTakeFirstOrThrow();
  return Number(row.messages);
}

/** Gives every message and link of one thread to another, expunged messages too. */
export async function moveThread(
  tx: WriteTransaction,
  owner: MailboxOwner,
  from: string,
  to: string,
): Promise<void> {
  const ofThread = { workspace_id: owner.workspaceId, user_id: owner.userId, thread_id: from };
  for (const table of ['messages', 'expunged_messages'] as const) {
    await tx
      .updateTable(table)
      .set({ thread_id: to, summary: summaryIn(from, to) })
      .where((eb) => eb.and(ofThread))
      .execute();
  }
  await tx
    .updateTable('thread_links')
    .set({ thread_id: to })
    .where((eb) => eb.and(ofThread))
    .execute();
}

/** No text in the summary can look like this member: a quote within a text is escaped. */
function summaryIn(from: string, to: string) {
  const [before, after] = [from, to].map((id) => `"thread_id":"${id}"`);
  return sql<string>`replace(summary, ${before}, ${after})`;
}
