import {
  CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  DummyDriver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';
import { type Engine, StorageUnavailable, type WriteTransaction } from './database.ts';
import { LostRace } from './lost-race.ts';
import type { Tables } from './tables.ts';

/** How an engine writes its SQL. */
export interface SqlDialect {
  readonly engine: Engine;
  readonly compiler: QueryCompiler;
  readonly adapter: DialectAdapter;
  readonly kysely: Dialect;
}

/** The connection that a transaction has to itself. */
export interface Session {
  /** Called before each statement: answers a promise where others have to have their turn first. */
  turn(): Promise<void> | undefined;
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  lock(scope: string): Promise<void>;
}

/** What a transaction's work gets: all of Kysely, of which the port's types show each caller its part. */
export type FullTransaction = Kysely<Tables> & WriteTransaction;

/** Describes an engine to Kysely, which here only builds queries: connections and transactions are the engine's own. */
export function sqlDialect(
  engine: Engine,
  compiler: QueryCompiler,
  adapter: DialectAdapter,
  createIntrospector: Dialect['createIntrospector'],
): SqlDialect {
  const kysely: Dialect = {
    createDriver: () => new DummyDriver(),
    createQueryCompiler: () => compiler,
    createAdapter: () => adapter,
    createIntrospector,
  };
  return { engine, compiler, adapter, kysely };
}

/**
 * One run of one piece of work inside a transaction that the engine begins and ends. It makes both engines alike:
 * after a failed statement nothing more can be done, except by undoing the attempt that it was part of.
 */
export class TransactionRun implements DatabaseConnection {
  readonly #session: Session;
  readonly #tx: FullTransaction;
  readonly #actions: (() => void)[] = [];
  #failure: unknown;
  #depth = 0;
  #ended = false;

  constructor(dialect: SqlDialect, session: Session) {
    this.#session = session;
    const executor = new DefaultQueryExecutor(dialect.compiler, dialect.adapter, {
      provideConnection: (consumer) => consumer(this),
    });
    const kysely = new Kysely<Tables>({
      config: { dialect: dialect.kysely },
      driver: new DummyDriver(),
      executor,
      dialect: dialect.kysely,
    });
    this.#tx = Object.assign(kysely, {
      engine: dialect.engine,
      lock: (scope: string) => this.#guard(() => session.lock(scope)),
      attempt: <T>(work: () => Promise<T>) => this.#attempt(work),
      afterCommit: (action: () => void) => void this.#actions.push(action),
    });
  }

  /** Answers what the work answers. Rejects when it throws, and when it went on as if a failed statement had not been. */
  async run<T>(work: (tx: FullTransaction) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.#tx);
      if (this.#failure !== undefined) throw this.#failure;
      return result;
    } catch (error) {
      // What the work makes of a lost race or a full disk is no answer: it never saw the database's.
      throw this.#isDoomed() ? this.#failure : error;
    } finally {
      this.#ended = true;
    }
  }

  /** To be called once the transaction is durable. Each action has a microtask of its own: one that throws stops none. */
  runAfterCommitActions(): void {
    for (const action of this.#actions) queueMicrotask(action);
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#guard(() => this.#session.execute<R>(query));
  }

  // biome-ignore lint/correctness/useYield: a stream would outlive the snapshot's short life, so there is none
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed from a transaction: read them page by page');
  }

  async #guard<T>(statement: () => Promise<T>): Promise<T> {
    await this.#session.turn();
    if (this.#ended) throw new Error('The transaction has ended');
    if (this.#failure !== undefined) throw new Error('An earlier statement failed', { cause: this.#failure });
    try {
      return await statement();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    const savepoint = `attempt_${++this.#depth}`;
    const actions = this.#actions.length;
    try {
      await this.#control(`savepoint ${savepoint}`);
      const result = await work();
      if (this.#failure !== undefined) throw this.#failure;
      await this.#control(`release ${savepoint}`);
      return result;
    } catch (error) {
      await this.#undo(savepoint, actions);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  async #undo(savepoint: string, actions: number): Promise<void> {
    if (this.#isDoomed()) return;
    this.#failure = undefined;
    this.#actions.length = actions;
    await this.#control(`rollback to ${savepoint}`);
    await this.#control(`release ${savepoint}`);
  }

  async #control(sql: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql));
  }

  /** Whether the whole transaction is gone, so that no part of it can be saved. */
  #isDoomed(): boolean {
    return this.#failure instanceof LostRace || this.#failure instanceof StorageUnavailable;
  }
}
