import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, ReadTransaction } from '../../storage/database.ts';
import { ArchiveError } from '../backup-directory.ts';

const PAUSE_MS = 50;
/** No request of a server takes so long; a backup may. */
const PATIENCE_MS = 60_000;
/** As long as a lease of the outbox, and somewhat longer. */
const LEASE_MS = 65_000;

/** Transactions of other connections to this database, by the lock that each holds on its own number. */
const OTHERS = sql<{ id: string; name: string }>`
  select l.virtualxid as id, concat(a.application_name, ', process ', a.pid) as name
  from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
  where l.locktype = 'virtualxid' and a.datname = current_database()
    and a.backend_type = 'client backend' and l.pid <> pg_backend_pid()`;

/**
 * Resolves when every transaction that had begun before has ended: those that begin later see what is committed by now. On
 * SQLite, whose writes run one after another, that is so already. Rejects with ArchiveError where one takes too long.
 */
export async function settleWrites(database: Database): Promise<void> {
  if (database.engine === 'sqlite') return;
  const before = await database.read(othersOf);
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const now = await database.read(othersOf);
    const left = [...before].find(([id]) => now.has(id));
    if (left === undefined) return;
    if (performance.now() > giveUpAt)
      throw new ArchiveError(
        `A transaction that began before the move does not end: ${left[1]}. The workspace is written again; wait for it, or end it, and move again.`,
      );
    await pause(PAUSE_MS);
  }
}

async function othersOf(tx: ReadTransaction): Promise<Map<string, string>> {
  const { rows } = await tx.executeQuery(OTHERS.compile(tx));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * Resolves when no attempt to send mail of the workspace is under way: none begins while it leaves, and what came of one has
 * to be known, or the mail would be sent twice. An attempt is under way while its lease lasts.
 */
export async function settleOutbox(database: Database, workspaceId: string): Promise<void> {
  while (await database.read((tx) => isAnyLeased(tx, workspaceId))) await pause(PAUSE_MS);
}

async function isAnyLeased(tx: ReadTransaction, workspaceId: string): Promise<boolean> {
  const now = await tx.now();
  const leased = await tx
    .selectFrom('mail_outbox')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('attempts', '>', 0)
    .where('next_attempt_at', '>', now)
    .where('next_attempt_at', '<=', now + LEASE_MS)
    .limit(1)
    .execute();
  return leased.length > 0;
}
