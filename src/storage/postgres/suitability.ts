import { CompiledQuery } from 'kysely';
import type { PoolClient } from 'pg';
import type { StorageEngine } from '../schema/schema-transaction.ts';

/** A PostgreSQL database that cannot give the guarantees of the storage port; the message says how to fix it. */
export class UnsuitableDatabase extends Error {
  override readonly name = 'UnsuitableDatabase';
}

/** Settings that abort statements; Atrium limits the time of each statement itself. */
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'transaction_timeout'];

/** The server aborts the transaction of a node that is silent for so long, which releases its locks. */
const SILENT_NODE_TIMEOUT_MS = 60_000;

/**
 * Sent first on every connection, so that settings changed while the server runs cannot weaken the guarantees: a commit
 * returns when it is on the disk (and, if the operator configured remote_write or remote_apply, on the standbys); texts
 * are UTF-8; no statement is aborted; the transaction of a silent node is; warnings arrive, because one says that a commit may
 * be on no standby. `reset_val` is the value set by the server, the database, the role or the URL.
 */
const SESSION_SETTINGS = `
  select name, pg_backend_pid() as backend, to_regclass('pg_catalog.pg_dist_partition') is not null as is_cluster,
  set_config(name, case
    when name = 'client_encoding' then 'UTF8'
    when name = 'client_min_messages' then 'warning'
    when name = 'idle_in_transaction_session_timeout' then '${SILENT_NODE_TIMEOUT_MS}'
    when name <> 'synchronous_commit' then '0'
    when reset_val in ('remote_apply', 'remote_write') then reset_val
    else 'on'
  end, false) as value
  from pg_settings
  where name in ('synchronous_commit', 'client_encoding', 'client_min_messages', 'idle_in_transaction_session_timeout',
    ${TIMEOUTS.map((name) => `'${name}'`).join(', ')})`;

/** The number of the server's process as the connection was told, a member of pg that its types lack. */
interface KeyData {
  readonly processID?: number;
}

/** Poolers keep it for each client. */
const KEPT_BY_POOLERS = 'client_encoding';

/** What a new connection has told. */
interface PreparedSession {
  /** Statements that give one transaction the settings; "" where the session keeps them. */
  readonly settings: string;
  /** Whether the database has the extension Citus. */
  readonly isCluster: boolean;
}

/**
 * Gives the session of a new connection its settings. Behind a pooler each transaction may run in another session, and has to
 * begin with them. Whether there is one shows in the number of the server's process: a pooler gives its clients numbers of
 * its own. Rejects with the errors of pg.
 */
export async function prepareSession(client: PoolClient & KeyData): Promise<PreparedSession> {
  const { rows } = await client.query<{ name: string; backend: number; is_cluster: boolean; value: string }>(
    SESSION_SETTINGS,
  );
  const isCluster = rows.some(({ is_cluster }) => is_cluster);
  if (rows.every(({ backend }) => backend === client.processID)) return { settings: '', isCluster };
  const settings = rows
    .filter(({ name }) => name !== KEPT_BY_POOLERS)
    .map(({ name, value }) => `; set local ${name} = '${value}'`)
    .join('');
  return { settings, isCluster };
}

const SETTINGS_QUERY = `
  select name, reset_val as value
  from pg_settings
  where name in ('server_encoding', 'synchronous_commit', ${TIMEOUTS.map((name) => `'${name}'`).join(', ')})`;

/**
 * Checks the encoding and the settings of the database. Rejects with UnsuitableDatabase when text would be refused or
 * lost or a setting would break the guarantees, and with StorageUnavailable.
 */
export async function refuseUnsuitable(database: StorageEngine): Promise<void> {
  const { rows } = await database.read((tx) =>
    tx.executeQuery<{ name: string; value: string }>(CompiledQuery.raw(SETTINGS_QUERY)),
  );
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  const encoding = settings.get('server_encoding') ?? '';
  if (encoding !== 'UTF8') {
    throw new UnsuitableDatabase(
      `The database that ATRIUM_DATABASE_URL names must have the encoding UTF8, not ${encoding}: create it with encoding 'UTF8' template template0.`,
    );
  }
  if (settings.get('synchronous_commit') === 'off') {
    throw new UnsuitableDatabase(
      'The database that ATRIUM_DATABASE_URL names has synchronous_commit = off, which loses answered writes in a crash: set it to on, remote_write or remote_apply.',
    );
  }
  const timeout = TIMEOUTS.find((name) => (settings.get(name) ?? '0') !== '0');
  if (timeout === undefined) return;
  throw new UnsuitableDatabase(
    `The database that ATRIUM_DATABASE_URL names has ${timeout} = ${settings.get(timeout)}, which ends work in the middle: set it to 0 for the role that Atrium connects as.`,
  );
}
