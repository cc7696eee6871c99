import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Compilable,
  CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type DialectAdapter,
  type QueryCompiler,
  QueryCreator,
  type QueryExecutor,
  type QueryResult,
  SchemaModule,
} from 'kysely';
import { type EmittedChange, storeChanges } from './changes.ts';
import {
  type Actor,
  type Change,
  type Engine,
  LostRace,
  StorageUnavailable,
  type WriteTransaction,
} from './database.ts';
import type { Tables } from './schema/tables.ts';

const PATIENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 20;

/**
 * Repeats `action` after a short pause as long as it rejects with LostRace, for about ten seconds; then rejects with
 * StorageUnavailable. The pause is random, so that transactions that collided do not collide again.
 */
export async function retryLostRaces<T>(action: () => T | Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let ceiling = 1; ; ceiling = Math.min(2 * ceiling, LONGEST_PAUSE_MS)) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof LostRace)) throw error;
      if (performance.now() > giveUpAt) throw new StorageUnavailable(error.message, { cause: error });
      await sleep(Math.random() * ceiling);
    }
  }
}

/** The SQL dialect of an engine. */
export interface SqlDialect {
  readonly engine: Engine;
  readonly compiler: QueryCompiler;
  readonly adapter: DialectAdapter;
}

/** The connection of one transaction. */
export interface Session {
  /** As `snapshot` of a transaction. */
  readonly snapshot: number | undefined;
  /** As `versionOf` of a transaction. */
  versionOf(tables: readonly string[]): number | undefined;
  /** Called before each statement; returns a promise if other requests get a turn first. */
  turn(): Promise<void> | undefined;
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  lock(scope: string): Promise<void>;
  now(): Promise<number>;
  settledBelow(): Promise<number>;
}

/** The object passed to `work`, which the types of the port restrict. Cheap to create: each read creates one. */
export class Transaction extends QueryCreator<Tables> implements WriteTransaction {
  readonly engine: Engine;
  readonly snapshot: number | undefined;
  readonly #run: TransactionRun;
  readonly #executor: QueryExecutor;

  constructor(run: TransactionRun, { engine, compiler, adapter }: SqlDialect, snapshot: number | undefined) {
    const executor = new DefaultQueryExecutor(compiler, adapter, {
      provideConnection: (consumer) => consumer(run),
    });
    super({ executor });
    this.engine = engine;
    this.snapshot = snapshot;
    this.#run = run;
    this.#executor = executor;
  }

  get schema(): SchemaModule {
    return new SchemaModule(this.#executor);
  }

  getExecutor(): QueryExecutor {
    return this.#executor;
  }

  executeQuery<R>(query: CompiledQuery<R> | Compilable<R>): Promise<QueryResult<R>> {
    return this.#run.executeQuery<R>('sql' in query ? query : query.compile());
  }

  versionOf(tables: readonly (keyof Tables)[]): number | undefined {
    return this.#run.versionOf(tables);
  }

  now(): Promise<number> {
    return this.#run.now();
  }

  lock(scope: string): Promise<void> {
    return this.#run.lock(scope);
  }

  settledBelow(): Promise<number> {
    return this.#run.settledBelow();
  }

  attempt<T>(work: () => Promise<T>): Promise<T> {
    return this.#run.attempt(work);
  }

  actAs(actor: Actor): void {
    this.#run.actor = actor;
  }

  emit(change: Change): void {
    this.#run.emit(change);
  }

  afterCommit(action: () => void): void {
    this.#run.afterCommit(action);
  }
}

/**
 * One run of `work` inside a transaction that the engine begins and ends. Makes both engines behave alike: after a
 * failed statement every other one fails, until the enclosing attempt is rolled back.
 */
export class TransactionRun implements DatabaseConnection {
  readonly #session: Session;
  readonly #tx: Transaction;
  readonly #actions: (() => void)[] = [];
  readonly #changes: EmittedChange[] = [];
  actor: Actor = null;
  #failure: unknown;
  #depth = 0;
  #ended = false;

  constructor(dialect: SqlDialect, session: Session) {
    this.#session = session;
    this.#tx = new Transaction(this, dialect, session.snapshot);
  }

  /** Resolves to the result of `work`. Rejects when it throws, and when it ignored the error of a failed statement. */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.#tx);
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#changes.length > 0) await storeChanges(this.#tx, this.#changes);
      return result;
    } catch (error) {
      // After a lost race or a full disk, report that error: `work` reacted to an error, not to data.
      throw this.#isDoomed() ? this.#failure : error;
    } finally {
      this.#ended = true;
    }
  }

  /**
   * Must be called once the transaction is durable. Each action runs in its own microtask: one that throws stops no
   * other.
   */
  runAfterCommitActions(): void {
    for (const action of this.#actions) queueMicrotask(action);
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#guard(() => this.#session.execute<R>(query));
  }

  versionOf(tables: readonly string[]): number | undefined {
    return this.#session.versionOf(tables);
  }

  now(): Promise<number> {
    return this.#guard(() => this.#session.now());
  }

  settledBelow(): Promise<number> {
    return this.#guard(() => this.#session.settledBelow());
  }

  emit(change: Change): void {
    if (change.viewers.length > 0) this.#changes.push({ ...change, actor: change.actor ?? this.actor });
  }

  lock(scope: string): Promise<void> {
    return this.#guard(() => this.#session.lock(scope));
  }

  afterCommit(action: () => void): void {
    this.#actions.push(action);
  }

  // biome-ignore lint/correctness/useYield: a stream would outlive the snapshot's short life, so there is none
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed from a transaction: read them page by page');
  }

  async #guard<T>(statement: () => Promise<T>): Promise<T> {
    const turn = this.#session.turn();
    if (turn) await turn;
    if (this.#ended) throw new Error('The transaction has ended');
    if (this.#failure !== undefined) throw new Error('An earlier statement failed', { cause: this.#failure });
    try {
      return await statement();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const savepoint = `attempt_${++this.#depth}`;
    const [actions, changes] = [this.#actions.length, this.#changes.length];
    try {
      await this.#control(`savepoint ${savepoint}`);
      const result = await work();
      if (this.#failure !== undefined) throw this.#failure;
      await this.#control(`release ${savepoint}`);
      return result;
    } catch (error) {
      await this.#undo(savepoint, actions, changes);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  async #undo(savepoint: string, actions: number, changes: number): Promise<void> {
    if (this.#isDoomed()) return;
    this.#failure = undefined;
    this.#actions.length = actions;
    this.#changes.length = changes;
    await this.#control(`rollback to ${savepoint}`);
    await this.#control(`release ${savepoint}`);
  }

  async #control(sql: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql));
  }

  /** Whether the whole transaction has failed, so that no savepoint of it can be kept. */
  #isDoomed(): boolean {
    return this.#failure instanceof LostRace || this.#failure instanceof StorageUnavailable;
  }
}
