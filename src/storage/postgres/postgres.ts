import { CompiledQuery, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import { type CustomTypesConfig, Pool, types } from 'pg';
import type { ReadTransaction, WriteTransaction } from '../database.ts';
import type { SchemaTransaction, StorageEngine } from '../schema/schema-transaction.ts';
import { InFlightCalls } from '../sqlite/in-flight-calls.ts';
import { retryLostRaces, type SqlDialect, type Transaction, TransactionRun } from '../transaction.ts';
import { CONNECT_TIMEOUT_MS, type Lent, PostgresConnections } from './connections.ts';
import { commitError, connectError, PostgresSession, StatementNames, type TimedQuery } from './session.ts';
import { SESSION_SETTINGS } from './suitability.ts';

export interface PostgresSettings {
  /** The most connections that are open at a time. */
  readonly connections: number;
  /** How long a statement may take, waiting for locks included, before the database counts as lost. */
  readonly statementTimeoutMs: number;
}

const DEFAULTS: PostgresSettings = { connections: 10, statementTimeoutMs: 60_000 };
/** The server ends a transaction whose node has gone silent, and with it that node's locks. */
const SILENT_NODE_TIMEOUT_MS = 60_000;
/** A migration may build an index over everything. */
const ALTER_TIMEOUT_MS = 24 * 3_600_000;

const WRITE = 'begin isolation level read committed';
const READ = 'begin isolation level repeatable read read only';

const postgresDialect: SqlDialect = {
  engine: 'postgres',
  compiler: new PostgresQueryCompiler(),
  adapter: new PostgresAdapter(),
};

/** Opens the PostgreSQL database that the URL names; connects when first used. */
export function openPostgres(url: string, settings: Partial<PostgresSettings> = {}): StorageEngine {
  const { connections, statementTimeoutMs } = { ...DEFAULTS, ...settings };
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: SILENT_NODE_TIMEOUT_MS,
    keepAlive: true,
    // BEGIN and the first statement share a round trip.
    pipeline: true,
    application_name: 'atrium',
    types: postgresTypes,
  });
  return new PostgresDatabase(pool, connections, statementTimeoutMs);
}

class PostgresDatabase implements StorageEngine {
  readonly engine = 'postgres';
  readonly #pool: Pool;
  readonly #connections: PostgresConnections;
  readonly #timeoutMs: number;
  readonly #names = new StatementNames();
  readonly #lost = new WeakSet<object>();
  readonly #calls = new InFlightCalls();

  constructor(pool: Pool, connections: number, timeoutMs: number) {
    this.#pool = pool;
    this.#connections = new PostgresConnections(pool, connections);
    this.#timeoutMs = timeoutMs;
    // A connection may break at any time: who uses it learns that from the statement, and nobody else needs to.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => this.#lost.add(client));
      // A session without them would promise less than it says: it ends, and its first statement says so.
      client.query(SESSION_SETTINGS).catch(() => {
        this.#lost.add(client);
        return client.end();
      });
    });
  }

  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    return this.#calls.serve(() => retryLostRaces(() => this.#read(work)));
  }

  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    return this.#writeWithin(this.#timeoutMs, work);
  }

  alter<T>(work: (tx: SchemaTransaction) => Promise<T>): Promise<T> {
    return this.#writeWithin(ALTER_TIMEOUT_MS, (tx) => work(tx as unknown as SchemaTransaction));
  }

  /** Other nodes change rows too. */
  versionOf(): undefined {}

  async check(): Promise<void> {
    await this.read((tx) => tx.executeQuery(CompiledQuery.raw('select 1')));
  }

  close(): Promise<void> {
    return this.#calls.close(() => this.#pool.end());
  }

  #writeWithin<T>(timeoutMs: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#calls.serveWrite(work, (work) => retryLostRaces(() => this.#write(work, timeoutMs)));
  }

  async #read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const lent = await this.#lend();
    try {
      return await this.#begin(lent, READ, this.#timeoutMs).run(work);
    } finally {
      // Nothing was written, so nobody waits for the end of the transaction but the connection's next user.
      void this.#end(lent, 'commit');
    }
  }

  async #write<T>(work: (tx: Transaction) => Promise<T>, timeoutMs: number): Promise<T> {
    const lent = await this.#lend();
    const run = this.#begin(lent, WRITE, timeoutMs);
    let result: T;
    try {
      result = await run.run(work);
    } catch (error) {
      await this.#end(lent, 'rollback');
      throw error;
    }
    await this.#commit(lent);
    run.runAfterCommitActions();
    return result;
  }

  async #lend(): Promise<Lent> {
    try {
      return await this.#connections.lend();
    } catch (error) {
      throw connectError(error);
    }
  }

  #begin({ client }: Lent, begin: string, timeoutMs: number): TransactionRun {
    // Where this fails the connection is gone, and the first statement says so.
    client.query(begin).catch(() => undefined);
    const session = new PostgresSession(client, this.#names, () => this.#lost.has(client), timeoutMs);
    return new TransactionRun(postgresDialect, session);
  }

  async #commit({ client, giveBack }: Lent): Promise<void> {
    try {
      const { command } = await client.query(this.#timed('commit'));
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back');
      giveBack(false);
    } catch (error) {
      giveBack(true);
      throw commitError(error);
    }
  }

  #timed(text: string): TimedQuery {
    return { text, query_timeout: this.#timeoutMs };
  }

  /** Ends a transaction that wrote nothing; a connection that cannot even do that is dropped. */
  async #end({ client, giveBack }: Lent, command: 'commit' | 'rollback'): Promise<void> {
    await client.query(this.#timed(command)).then(
      () => giveBack(false),
      () => giveBack(true),
    );
  }
}

const INT8 = 20;
const NUMERIC = 1700;

/** Numbers are numbers, as on SQLite: pg would give sums and counts as text. Other types as pg reads them. */
const postgresTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8 || oid === NUMERIC) return exactNumber;
    return types.getTypeParser(oid, format);
  },
};

function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`A number from the database is too large to be exact: ${text}`);
  }
  return value;
}
