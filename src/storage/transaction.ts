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
  type AwayState,
  type Change,
  type Engine,
  LostRace,
  StorageUnavailable,
  type WriteTransaction,
} from './database.ts';
import type { InstallationScope, WorkspaceLock } from './locks.ts';
import { findAwayForWrite } from './moves.ts';
import type { Tables } from './schema/tables.ts';

const LONGEST_PAUSE_MS = 20;
/** So many statements of a transaction are on their way at once, so that long work waits and lets others have a turn. */
const MOST_ON_THEIR_WAY = 32;

/**
 * Repeats `action` after a short pause as long as it rejects with LostRace, for as long as that says; then rejects with
 * StorageUnavailable. The pause is random, so that transactions that collided do not collide again.
 */
export async function retryLostRaces<T>(action: () => T | Promise<T>): Promise<T> {
  const begunAt = performance.now();
  for (let ceiling = 1; ; ceiling = Math.min(2 * ceiling, LONGEST_PAUSE_MS)) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof LostRace)) throw error;
      if (performance.now() - begunAt > error.patienceMs)
        throw new StorageUnavailable(error.message, { cause: error });
      await sleep(Math.random() * ceiling);
    }
  }
}

/** The error of a statement that was sent behind one that failed: it says nothing else. */
export class SentBehindFailure extends Error {
  override readonly name = 'SentBehindFailure';
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
  /** Whether statements follow each other without waiting for answers, which come in order. */
  readonly pipelines: boolean;
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /** As `execute`; rejects with LostRace where a row is there already. */
  claim(query: CompiledQuery): Promise<unknown>;
  lock(lock: WorkspaceLock): Promise<void>;
  lockInstallation(scope: InstallationScope): Promise<void>;
  now(): Promise<number>;
  settledBelow(): Promise<number | undefined>;
  /** As `numberChanges` of a transaction. */
  numberChanges(workspaceId: string): Promise<number> | undefined;
  confirmReads(): Promise<void>;
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
    return this.#run.executeQuery<R>(compiled(query));
  }

  send(query: CompiledQuery | Compilable): Promise<void> {
    return this.#run.send(compiled(query));
  }

  claim(query: CompiledQuery | Compilable): Promise<void> {
    return this.#run.claim(compiled(query));
  }

  settled(): Promise<void> {
    return this.#run.settled();
  }

  versionOf(tables: readonly (keyof Tables)[]): number | undefined {
    return this.#run.versionOf(tables);
  }

  now(): Promise<number> {
    return this.#run.now();
  }

  lock(lock: WorkspaceLock): Promise<void> {
    return this.#run.lock(lock);
  }

  lockInstallation(scope: InstallationScope): Promise<void> {
    return this.#run.lockInstallation(scope);
  }

  settledBelow(): Promise<number | undefined> {
    return this.#run.settledBelow();
  }

  numberChanges(workspaceId: string): Promise<number> | undefined {
    return this.#run.numberChanges(workspaceId);
  }

  confirmReads(): Promise<void> {
    return this.#run.confirmReads();
  }

  attempt<T>(work: () => Promise<T>): Promise<T> {
    return this.#run.attempt(work);
  }

  actAs(actor: Actor): void {
    this.#run.actor = actor;
  }

  join(workspaceId: string, despite?: readonly AwayState[]): Promise<void> {
    return this.#run.join(workspaceId, despite);
  }

  emit(change: Change): void {
    this.#run.emit(change);
  }

  afterCommit(action: () => void): void {
    this.#run.afterCommit(action);
  }
}

function compiled<R>(query: CompiledQuery<R> | Compilable<R>): CompiledQuery<R> {
  return 'sql' in query ? query : query.compile();
}

/** Stores the changes that a transaction has emitted, as its last statements. */
type StoreChanges = (tx: WriteTransaction, changes: readonly EmittedChange[]) => Promise<void> | void;

/**
 * One run of `work` inside a transaction that the engine begins and ends. Makes both engines behave alike: after a
 * failed statement every other one fails, until the enclosing attempt is rolled back.
 */
export class TransactionRun implements DatabaseConnection {
  readonly #session: Session;
  readonly #tx: Transaction;
  readonly #actions: (() => void)[] = [];
  readonly #changes: EmittedChange[] = [];
  /** What was sent and not answered yet. None rejects: `#guard` notes the failure. */
  readonly #onTheirWay = new Set<Promise<void>>();
  /** The workspaces that it has joined. */
  readonly #joined = new Set<string>();
  actor: Actor = null;
  #failure: unknown;
  #depth = 0;
  #ended = false;

  constructor(dialect: SqlDialect, session: Session) {
    this.#session = session;
    this.#tx = new Transaction(this, dialect, session.snapshot);
  }

  /**
   * Resolves to the result of `work`; what it has sent may still fail (see `settled`). Rejects when it throws, and when it
   * ignored the error of a failed statement. `store` receives what it emitted.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>, store: StoreChanges = storeChanges): Promise<T> {
    try {
      const result = await work(this.#tx);
      if (this.#failure !== undefined) throw this.#failure;
      for (const { workspaceId } of this.#changes) await this.join(workspaceId);
      if (this.#changes.length > 0) await store(this.#tx, this.#changes);
      return result;
    } catch (error) {
      const cause = await this.#causeOf(error);
      // After a lost race or a full disk, report that error: `work` reacted to an error, not to data.
      throw this.#isDoomed() ? this.#failure : cause;
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

  settledBelow(): Promise<number | undefined> {
    return this.#guard(() => this.#session.settledBelow());
  }

  numberChanges(workspaceId: string): Promise<number> | undefined {
    const number = this.#session.numberChanges(workspaceId);
    return number && this.#guard(() => number);
  }

  confirmReads(): Promise<void> {
    return this.#guard(() => this.#session.confirmReads());
  }

  async join(workspaceId: string, despite: readonly AwayState[] = []): Promise<void> {
    if (this.#joined.has(workspaceId)) return;
    const away = await findAwayForWrite(this.#tx, workspaceId);
    if (away && !despite.includes(away.state)) throw away;
    this.#joined.add(workspaceId);
  }

  emit(change: Change): void {
    if (change.viewers.length > 0) this.#changes.push({ ...change, actor: change.actor ?? this.actor });
  }

  lock(lock: WorkspaceLock): Promise<void> {
    return this.#leave(this.#guard(() => this.#session.lock(lock)));
  }

  lockInstallation(scope: InstallationScope): Promise<void> {
    return this.#leave(this.#guard(() => this.#session.lockInstallation(scope)));
  }

  send(query: CompiledQuery): Promise<void> {
    return this.#leave(this.executeQuery(query));
  }

  claim(query: CompiledQuery): Promise<void> {
    return this.#leave(this.#guard(() => this.#session.claim(query)));
  }

  /** Resolves once what was sent is done. Rejects with the first failure of the transaction. */
  async settled(): Promise<void> {
    await Promise.all(this.#onTheirWay);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #leave(statement: Promise<unknown>): Promise<void> {
    if (!this.#session.pipelines) {
      await statement;
      return;
    }
    const done = statement.then(ignore, ignore).then(() => void this.#onTheirWay.delete(done));
    this.#onTheirWay.add(done);
    if (this.#onTheirWay.size > MOST_ON_THEIR_WAY) await this.settled();
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
      if (!isCause(this.#failure)) this.#failure = error;
      throw this.#failure;
    }
  }

  async attempt<T>(work: () => Promise<T>): Promise<T> {
    // A failure of before it is not undone with it.
    await this.settled();
    const savepoint = `attempt_${++this.#depth}`;
    const [actions, changes] = [this.#actions.length, this.#changes.length];
    try {
      await this.#control(`savepoint ${savepoint}`);
      const result = await work();
      if (this.#failure !== undefined) throw this.#failure;
      await this.#control(`release ${savepoint}`);
      return result;
    } catch (error) {
      const cause = await this.#causeOf(error);
      await this.#undo(savepoint, actions, changes);
      throw cause;
    } finally {
      this.#depth--;
    }
  }

  /** Waits for what is on its way: only then the first failure is known. */
  async #causeOf(error: unknown): Promise<unknown> {
    await Promise.all(this.#onTheirWay);
    return isCause(error) ? error : (this.#failure ?? error);
  }

  async #undo(savepoint: string, actions: number, changes: number): Promise<void> {
    if (this.#isDoomed()) return;
    this.#failure = undefined;
    this.#actions.length = actions;
    this.#changes.length = changes;
    await this.#control(`rollback to ${savepoint}`);
    await this.#control(`release ${savepoint}`);
  }

  #control(sql: string): Promise<void> {
    return this.send(CompiledQuery.raw(sql));
  }

  /** Whether the whole transaction has failed, so that no savepoint of it can be kept. */
  #isDoomed(): boolean {
    return this.#failure instanceof LostRace || this.#failure instanceof StorageUnavailable;
  }
}

/** Whether it is a failure that says why. */
function isCause(failure: unknown): boolean {
  return failure !== undefined && !(failure instanceof SentBehindFailure);
}

function ignore(): void {}
