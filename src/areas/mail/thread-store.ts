import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { MailboxOwner } from './owner.ts';

/** A References header can name thousands; a statement takes only so many values. */
const LINKS_A_STATEMENT = 1_000;

/** The threads of those links that are known. */
export async function findThreads(
  tx: ReadTransaction,
  owner: MailboxOwner,
  links: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const some of inPortions(links)) {
    const rows = await tx
      .selectFrom('thread_links')
      .select(['link', 'thread_id'])
      .where('workspace_id', '=', owner.workspaceId)
      .where('user_id', '=', owner.userId)
      .where('link', 'in', some)
      .execute();
    for (const row of rows) found.set(row.link, row.thread_id);
  }
  return found;
}

export async function insertLinks(
  tx: WriteTransaction,
  owner: MailboxOwner,
  links: readonly string[],
  threadId: string,
): Promise<void> {
  for (const some of inPortions(links)) {
    const rows = some.map((link) => ({
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      link,
      thread_id: threadId,
    }));
    await tx.insertInto('thread_links').values(rows).execute();
  }
}

function* inPortions(links: readonly string[]): Generator<readonly string[]> {
  for (let i = 0; i < links.length; i += LINKS_A_STATEMENT) yield links.slice(i, i + LINKS_A_STATEMENT);
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
  for (const table of ['messages', 'expunged_messages', 'thread_links'] as const) {
    await tx
      .updateTable(table)
      .set({ thread_id: to })
      .where('workspace_id', '=', owner.workspaceId)
      .where('user_id', '=', owner.userId)
      .where('thread_id', '=', from)
      .execute();
  }
}
