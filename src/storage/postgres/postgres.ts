import { CompiledQuery, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import type { ReadTransaction, WriteTransaction } from '../database.ts';
import type { SchemaTransaction, StorageEngine } from '../schema/schema-transaction.ts';
import { InFlightCalls } from '../sqlite/in-flight-calls.ts';
import { retryLostRaces, type SqlDialect, type Transaction, TransactionRun } from '../transaction.ts';
import { CONNECT_TIMEOUT_MS, type LentConnection, PostgresConnections, type Purpose } from './connections.ts';
import { Conversation, type TimedQuery } from './conversation.ts';
import {
  commitError,
  connectError,
  isRefusal,
  PostgresSession,
  type Servers,
  StatementNames,
  warningsOf,
} from './session.ts';
import { type Maintenance, Statistics } from './statistics.ts';
import { prepareSession } from './suitability.ts';
import { WorkerProbe } from './worker-probe.ts';
import { HomeUnknown, Workers } from './workers.ts';

export interface PostgresSettings {
  /** The maximum number of open connections. */
  readonly connections: number;
  /** How long a statement may take, including waits for locks, before the database counts as lost. */
  readonly statementTimeoutMs: number;
}

const DEFAULTS: PostgresSettings = { connections: 10, statementTimeoutMs: 60_000 };
/** A migration may build indexes over all rows. */
const ALTER_TIMEOUT_MS = 24 * 3_600_000;
/** ANALYZE takes a sample of a table, whatever its size. */
const MAINTENANCE_TIMEOUT_MS = 60_000;

/** What PostgreSQL shows of the connections. */
const NAME = 'atrium';

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
    keepAlive: true,
    // Statements are sent without waiting for the answers to earlier ones: BEGIN and the first share a round trip.
    pipeline: true,
    application_name: NAME,
    types: postgresTypes,
  });
  const workers = new Workers(new WorkerProbe(url, NAME));
  return new PostgresDatabase(pool, workers, { connections, statementTimeoutMs });
}

class PostgresDatabase implements StorageEngine {
  readonly engine = 'postgres';
  readonly #pool: Pool;
  readonly #connections: PostgresConnections;
  readonly #timeoutMs: number;
  readonly #workers: Workers;
  readonly #shared: { names: StatementNames; servers: Servers; workers: Workers };
  readonly #lost = new WeakSet<object>();
  /** What each transaction of a connection begins with. */
  readonly #prepared = new WeakMap<object, Promise<string>>();
  readonly #calls = new InFlightCalls();
  readonly #statistics = new Statistics((use) => this.#calls.serve(() => this.#maintain(use)));

  #maintaining: Conversation | undefined;

  constructor(pool: Pool, workers: Workers, { connections, statementTimeoutMs }: PostgresSettings) {
    this.#pool = pool;
    this.#connections = new PostgresConnections(pool, connections);
    this.#timeoutMs = statementTimeoutMs;
    this.#workers = workers;
    this.#shared = { names: new StatementNames(), servers: { areSeveral: false }, workers };
    // A connection may break at any time. Its user gets the error from the statement; nothing else to do here.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => this.#lost.add(client));
      // A session without these settings would break guarantees: end it; its first statement reports the error.
      const settings = prepareSession(client)
        .then(({ settings, isCluster }) => {
          this.#shared.servers.areSeveral ||= isCluster;
          return settings;
        })
        .catch(async () => {
          this.#lost.add(client);
          await client.end();
          return '';
        });
      this.#prepared.set(client, settings);
    });
  }

  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    return this.#calls.serve(() => this.#repeat(() => this.#read(work)));
  }

  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    return this.#writeWithin(this.#timeoutMs, work);
  }

  alter<T>(work: (tx: SchemaTransaction) => Promise<T>): Promise<T> {
    return this.#writeWithin(ALTER_TIMEOUT_MS, (tx) => work(tx as unknown as SchemaTransaction));
  }

  /** Undefined: other nodes change rows too. */
  versionOf(): undefined {}

  async check(): Promise<void> {
    await this.read((tx) => tx.executeQuery(CompiledQuery.raw('select 1')));
  }

  close(): Promise<void> {
    this.#statistics.stop();
    this.#maintaining?.hangUp();
    return this.#calls.close(async () => {
      await this.#workers.close();
      await this.#pool.end();
    });
  }

  /** As retryLostRaces; where a workspace is gets known in between. */
  #repeat<T>(attempt: () => Promise<T>): Promise<T> {
    return retryLostRaces(() =>
      attempt().catch(async (error) => {
        if (error instanceof HomeUnknown) await this.#locate(error);
        throw error;
      }),
    );
  }

  #locate({ workspaces }: HomeUnknown): Promise<void> {
    return this.#workers.locate(workspaces).catch((error) => {
      throw connectError(error);
    });
  }

  #writeWithin<T>(timeoutMs: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#calls.serveWrite(work, (work) => this.#repeat(() => this.#write(work, timeoutMs)));
  }

  async #read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const held = await this.#lend('read');
    try {
      return await this.#begin(held, READ, this.#timeoutMs).run(work);
    } finally {
      // Nothing was written, so the result need not wait for the end of the transaction.
      void this.#end(held, 'commit');
    }
  }

  async #write<T>(work: (tx: Transaction) => Promise<T>, timeoutMs: number): Promise<T> {
    const held = await this.#lend('write');
    const run = this.#begin(held, WRITE, timeoutMs);
    let result: T;
    try {
      result = await run.run(work);
    } catch (error) {
      await this.#end(held, 'rollback');
      throw error;
    }
    if (held.conversation.refusal !== undefined) {
      await this.#end(held, 'rollback');
      throw held.conversation.refusal;
    }
    await this.#commit(held, run);
    run.runAfterCommitActions();
    return result;
  }

  /** Lends a connection for statements beside the requests. The tables of a cluster are left to its servers. */
  async #maintain(maintenance: Maintenance): Promise<void> {
    if (this.#shared.servers.areSeveral) return;
    const { conversation, release } = await this.#lend('read');
    this.#maintaining = conversation;
    try {
      await maintenance((text) => conversation.ask({ text, query_timeout: MAINTENANCE_TIMEOUT_MS }));
      release(false);
    } catch (error) {
      release(true);
      throw error;
    } finally {
      this.#maintaining = undefined;
    }
  }

  async #lend(purpose: Purpose): Promise<HeldConnection> {
    let lent: LentConnection;
    try {
      lent = await this.#connections.lend(purpose);
    } catch (error) {
      throw connectError(error);
    }
    const { client, giveBack } = lent;
    const settings = await this.#prepared.get(client);
    const conversation = new Conversation(
      client,
      settings === '' ? backendOf(client) : undefined,
      this.#workers,
    );
    this.#workers.begin(conversation);
    const release = (isBroken: boolean) => {
      this.#workers.end(conversation);
      giveBack(isBroken);
    };
    return { conversation, settings: settings ?? '', release };
  }

  #begin({ conversation, settings }: HeldConnection, begin: string, timeoutMs: number): TransactionRun {
    // If this fails, the connection is lost, and the first statement reports it.
    conversation.ask(this.#timed(`${begin}${settings}`)).catch(() => undefined);
    const isLost = () => this.#lost.has(conversation.client);
    return new TransactionRun(
      postgresDialect,
      new PostgresSession(conversation, this.#shared, isLost, timeoutMs),
    );
  }

  /**
   * Sends COMMIT behind the last statements: where one of them fails, the server rolls back instead. The limit of time ends
   * the wait of this node, never the COMMIT: the connection is given up without a word to the server, which goes on.
   */
  async #commit({ conversation, release }: HeldConnection, run: TransactionRun): Promise<void> {
    const warnings = warningsOf(conversation.client);
    conversation.isCommitting = true;
    this.#statistics.noteWrite();
    const committed = conversation.ask(this.#timed('commit'));
    const [statements, commit] = await Promise.allSettled([run.settled(), committed]);
    const warning = warnings.end();
    release(commit.status === 'rejected' || warning !== undefined);
    if (statements.status === 'rejected') {
      const { reason } = statements;
      throw isRefusal(reason) ? reason : commitError(reason);
    }
    if (commit.status === 'rejected') throw commitError(commit.reason);
    if (commit.value.command !== 'COMMIT') throw commitError(new Error('The transaction was rolled back'));
    if (warning !== undefined) throw commitError(new Error(`The database warned: ${warning}`));
  }

  #timed(text: string): TimedQuery {
    return { text, query_timeout: this.#timeoutMs };
  }

  /** Ends a transaction without changes; drops the connection if that fails, or would wait for a server that is away. */
  async #end({ conversation, release }: HeldConnection, command: 'commit' | 'rollback'): Promise<void> {
    if (this.#workers.isStuck(conversation)) return release(true);
    await conversation.ask(this.#timed(command)).then(
      () => release(false),
      () => release(true),
    );
  }
}

/** A lent connection in use by one transaction. */
interface HeldConnection {
  readonly conversation: Conversation;
  /** What the transaction begins with. */
  readonly settings: string;
  release(isBroken: boolean): void;
}

/** The number of the server's process as the connection was told, a member of pg that its types lack. */
function backendOf(client: PoolClient & { readonly processID?: number }): number | undefined {
  return client.processID;
}

const INT8 = 20;
const NUMERIC = 1700;

/** Reads bigint and numeric as numbers, as SQLite does: pg returns them as text. Other types as pg reads them. */
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
