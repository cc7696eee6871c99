import { currentUser, whileBlockingOthers } from '../../turns/current-user.ts';
import { gather } from '../../turns/gather.ts';
import { type EmittedChange, storeChanges } from '../changes.ts';
import { StorageUnavailable } from '../database.ts';
import { retryLostRaces, type Transaction, TransactionRun } from '../transaction.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { SqliteConnection } from './connection.ts';
import type { Durability } from './durability.ts';
import { SqliteSession, sqliteDialect } from './session.ts';
import type { TableVersions } from './table-versions.ts';
import { type WaitingWrite, WaitingWrites } from './waiting-writes.ts';

/** Limits of a batch: it then commits although more writes wait, so that no caller waits for all of them. */
const LARGEST_BATCH = 500;
const LONGEST_BATCH_MS = 20;

/**
 * Reading the length of the log costs as much as a short write: it is checked after so many commits, unless they are
 * large.
 */
const COMMITS_BETWEEN_CHECKS = 8;
/** Growth in pages between two checks after which every commit is checked: a quarter of the checkpoint limit. */
const LARGE_GROWTH = 1_000;

interface Write extends WaitingWrite {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Runs in a savepoint, because a write of its earlier batch failed. */
  guarded: boolean;
  /** Runs in its own batch, because its earlier batch could not commit. */
  alone: boolean;
  outcome?: WorkOutcome;
}

/**
 * The outcome of a write. It is reported only when the batch is durable, since an error too can depend on data that the
 * write has read. Plain data, not a closure: chained closures would keep every write reachable until the next full GC.
 */
type WorkOutcome =
  | { run: TransactionRun; value: unknown; changes: readonly EmittedChange[] }
  | { refusal: unknown };

/** A write failed after others of its batch had written: the batch is rolled back and must be repeated. */
class BatchLost extends Error {}

/**
 * Group commit. Waiting writes share one transaction. They run while the sync of the previous batch is under way, and
 * commit after it, together with the next writes of its callers. Writes run without savepoints, because a savepoint
 * copies every changed page and writes seldom fail; a batch with a failed write is repeated with a savepoint for each.
 */
export class GroupCommit {
  readonly #writer: SqliteConnection;
  readonly #durability: Durability;
  readonly #checkpointer: Checkpointer;
  readonly #versions: TableVersions;
  readonly #onCommit: () => void;
  /** The version of the commits of other processes when this batch began. */
  #others: unknown;
  readonly #waiting = new WaitingWrites<Write>();
  #draining = false;
  #commitsToNextCheck = 0;
  /** How many of the next writes run in savepoints: after one failure similar ones may follow. */
  #toGuard = 0;
  #pagesOfLog = 0;

  /** `versions` and `onCommit` are notified of each commit when its changes become visible. */
  constructor(
    writer: SqliteConnection,
    durability: Durability,
    checkpointer: Checkpointer,
    versions: TableVersions,
    onCommit: () => void,
  ) {
    this.#writer = writer;
    this.#durability = durability;
    this.#checkpointer = checkpointer;
    this.#versions = versions;
    this.#onCommit = onCommit;
  }

  /** Resolves or rejects as `work` does, once everything that it wrote and read is durable. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.add({ whom: currentUser(), work, resolve, reject, guarded: false, alone: false });
    if (!this.#draining) void this.#drain();
    return promise as Promise<T>;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#waiting.size > 0) {
      // Between two transactions another process can write.
      await this.#gather();
      await this.#commitBatch();
    }
    this.#draining = false;
  }

  /** Waits for more writes: those of one batch share the sync and the changed index pages. */
  #gather(): Promise<void> {
    return gather(() => this.#waiting.size, LARGEST_BATCH);
  }

  async #commitBatch(): Promise<void> {
    const batch: Write[] = [];
    try {
      await this.#begin();
      const isFull = await this.#execute(batch);
      await this.#executeFollowUps(batch, isFull);
      await this.#storeChanges(batch);
      this.#commit();
      this.#durability.sync(this.#others).then(
        () => settleAll(batch),
        (error) => rejectAll(batch, error),
      );
    } catch (error) {
      this.#abandon(batch, error);
    }
    this.#watchLog();
  }

  #commit(): void {
    try {
      this.#writer.run('commit');
    } finally {
      // Even if the commit failed, the changes may be visible.
      this.#versions.noteChanges(this.#writer.takeChanged());
      this.#onCommit();
    }
  }

  async #begin(): Promise<void> {
    await this.#durability.repaired();
    await this.#checkpointer.pause;
    await this.#beginImmediate();
  }

  async #beginImmediate(): Promise<void> {
    await retryLostRaces(() => {
      this.#writer.run('begin immediate');
      // Synchronously: a read in between would get the version of the previous transaction.
      this.#others = this.#durability.transactionBegan();
    });
  }

  /** Undefined for tables that the batch has changed: other writes must not cache uncommitted data. */
  #versionOf(tables: readonly string[]): number | undefined {
    if (tables.some((table) => this.#writer.hasChanged(table))) return undefined;
    return this.#versions.of(tables, this.#others);
  }

  /**
   * Waits until the previous batch is durable. If that took time, its callers may have sent their next writes: runs
   * them too.
   */
  async #executeFollowUps(batch: Write[], isFull: boolean): Promise<void> {
    const hadToWait = this.#durability.syncing;
    await this.#durability.settled();
    if (!hadToWait || isFull) return;
    await this.#gather();
    await this.#execute(batch);
  }

  /** Runs waiting writes until the batch is full; returns whether it is. */
  async #execute(batch: Write[]): Promise<boolean> {
    const fullAt = performance.now() + LONGEST_BATCH_MS;
    while (batch.length < LARGEST_BATCH && performance.now() < fullAt && !batch[0]?.alone) {
      const write = this.#waiting.take(batch.length > 0);
      if (!write) return false;
      this.#guard(write);
      batch.push(write);
      const startedAt = performance.now();
      await this.#executeOne(write, batch.length === 1);
      this.#waiting.charge(write, performance.now() - startedAt);
    }
    return true;
  }

  #guard(write: Write): void {
    if (write.guarded || this.#toGuard === 0) return;
    write.guarded = true;
    this.#toGuard--;
  }

  async #executeOne(write: Write, isFirst: boolean): Promise<void> {
    const session = new SqliteSession(this.#writer, (tables) => this.#versionOf(tables));
    const run = new TransactionRun(sqliteDialect, session);
    const inSavepoint = write.guarded && !isFirst;
    if (inSavepoint) this.#writer.run('savepoint work');
    try {
      // Runs in the async context of another caller, so the user is set explicitly. All waiting writers are charged.
      let changes: readonly EmittedChange[] = [];
      const keep = (_: unknown, emitted: readonly EmittedChange[]) => {
        changes = emitted;
      };
      const value = await whileBlockingOthers(write.whom, () => run.run(write.work, keep));
      if (inSavepoint) this.#writer.run('release work');
      write.outcome = { run, value, changes };
    } catch (error) {
      await this.#undoWork(error, isFirst, inSavepoint);
      write.outcome = { refusal: error };
    }
  }

  /** Stores what all writes have emitted, in their order: one statement for each of them would take three times as long. */
  async #storeChanges(batch: readonly Write[]): Promise<void> {
    const changes = batch.flatMap(({ outcome }) => (outcome && 'run' in outcome ? outcome.changes : []));
    if (changes.length === 0) return;
    const session = new SqliteSession(this.#writer, () => undefined);
    await new TransactionRun(sqliteDialect, session).run((tx) => storeChanges(tx, changes));
  }

  async #undoWork(error: unknown, isFirst: boolean, inSavepoint: boolean): Promise<void> {
    // On some errors SQLite rolls back the whole transaction itself, and with it the earlier writes of the batch.
    if (!this.#writer.inTransaction) throw error;
    if (isFirst) {
      this.#writer.run('rollback');
      await this.#beginImmediate();
    } else if (inSavepoint) {
      this.#writer.run('rollback to work');
      this.#writer.run('release work');
    } else throw new BatchLost();
  }

  /** Rolls the batch back, and rejects or repeats its writes. */
  #abandon(batch: Write[], error: unknown): void {
    this.#rollBack();
    if (error instanceof BatchLost) this.#repeatGuarded(batch);
    // An empty batch means that no transaction could begin: reject all waiting writes.
    else if (batch.length === 0) rejectAll(this.#waiting.takeAll(), error);
    else if (error instanceof StorageUnavailable || batch.length === 1) rejectAll(batch, error);
    else this.#repeatOneByOne(batch);
  }

  #rollBack(): void {
    try {
      if (this.#writer.inTransaction) this.#writer.run('rollback');
    } catch {
      // A failed rollback has ended the transaction too.
    }
  }

  /**
   * Also guards waiting and future writes, so that repeated failures do not roll back the same writes again and again.
   */
  #repeatGuarded(batch: Write[]): void {
    this.#toGuard = this.#waiting.size + LARGEST_BATCH;
    for (const write of batch) write.guarded = true;
    this.#waiting.repeat(batch);
  }

  /** A deferred constraint fails at COMMIT, which does not reveal the write that violates it. */
  #repeatOneByOne(batch: Write[]): void {
    for (const write of batch) write.alone = true;
    this.#waiting.repeat(batch);
  }

  #watchLog(): void {
    if (this.#commitsToNextCheck-- > 0) return;
    try {
      const pages = Number(this.#writer.get('pragma wal_checkpoint(noop)')?.log);
      this.#commitsToNextCheck = pages - this.#pagesOfLog < LARGE_GROWTH ? COMMITS_BETWEEN_CHECKS - 1 : 0;
      this.#pagesOfLog = pages;
      this.#checkpointer.noteLogSize(pages);
    } catch {
      // The next commit checks again.
    }
  }
}

function settleAll(writes: Write[]): void {
  for (const write of writes) settle(write);
}

function settle({ outcome, resolve, reject }: Write): void {
  if (!outcome) return;
  if ('refusal' in outcome) {
    reject(outcome.refusal);
  } else {
    outcome.run.runAfterCommitActions();
    resolve(outcome.value);
  }
}

function rejectAll(writes: Write[], error: unknown): void {
  for (const write of writes) write.reject(error);
}
