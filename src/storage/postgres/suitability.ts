import { CompiledQuery } from 'kysely';
import type { StorageEngine } from '../schema/schema-transaction.ts';

/** A PostgreSQL database that cannot keep what Atrium promises; the message is one sentence that says how to mend it. */
export class UnsuitableDatabase extends Error {
  override readonly name = 'UnsuitableDatabase';
}

/** Settings that end statements in the middle; Atrium bounds the time of each itself. */
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'transaction_timeout'];

/**
 * Sent first on every connection, so that what is changed while the server runs changes no promise: a commit is
 * answered when it is on the disk, also on the standbys that it waits for where the operator chose how; texts are in
 * UTF-8; no statement ends in the middle. `reset_val` is what the server, the database, the role and the URL say.
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

const STATED = `
  select name, reset_val as value
  from pg_settings
  where name in ('server_encoding', 'synchronous_commit', ${TIMEOUTS.map((name) => `'${name}'`).join(', ')})`;

/**
 * Looks at what the database and its settings are. Rejects with UnsuitableDatabase where text would be refused or lost,
 * or where the operator has set what Atrium cannot keep its promises with, and with StorageUnavailable.
 */
export async function refuseUnsuitable(database: StorageEngine): Promise<void> {
  const { rows } = await database.read((tx) =>
    tx.executeQuery<{ name: string; value: string }>(CompiledQuery.raw(STATED)),
  );
  const stated = new Map(rows.map(({ name, value }) => [name, value]));
  const encoding = stated.get('server_encoding') ?? '';
  if (encoding !== 'UTF8') {
    throw new UnsuitableDatabase(
      `The database that ATRIUM_DATABASE_URL names must have the encoding UTF8, not ${encoding}: create it with encoding 'UTF8' template template0.`,
    );
  }
  if (stated.get('synchronous_commit') === 'off') {
    throw new UnsuitableDatabase(
      'The database that ATRIUM_DATABASE_URL names has synchronous_commit = off, which loses answered writes in a crash: set it to on, remote_write or remote_apply.',
    );
  }
  const timeout = TIMEOUTS.find((name) => (stated.get(name) ?? '0') !== '0');
  if (timeout === undefined) return;
  throw new UnsuitableDatabase(
    `The database that ATRIUM_DATABASE_URL names has ${timeout} = ${stated.get(timeout)}, which ends work in the middle: set it to 0 for the role that Atrium connects as.`,
  );
}
