import { CompiledQuery } from 'kysely';
import type { StorageEngine } from '../schema/schema-transaction.ts';

/** A PostgreSQL database that cannot give the guarantees of the storage port; the message says how to fix it. */
export class UnsuitableDatabase extends Error {
  override readonly name = 'UnsuitableDatabase';
}

/** Settings that abort statements; Atrium limits the time of each statement itself. */
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'transaction_timeout'];

/**
 * Sent first on every connection, so that settings changed while the server runs cannot weaken the guarantees: a commit
 * returns when it is on the disk (and, if the operator configured remote_write or remote_apply, on the standbys); texts
 * are UTF-8; no statement is aborted. `reset_val` is the value set by the server, the database, the role or the URL.
 */
export const SESSION_SETTINGS = `
  select set_config(name, case
    when name = 'client_encoding' then 'UTF8'
    when name <> 'synchronous_commit' then '0'
    when reset_val in ('remote_apply', 'remote_write') then reset_val
    else 'on'
  end, false)
  from pg_settings
  where name in ('synchronous_commit', 'client_encoding', ${TIMEOUTS.map((name) => `'${name}'`).join(', ')})`;

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
