import { currentUser, whileBlockingOthers } from '../../turns/current-user.ts';
import { gather } from '../../turns/gathering.ts';
import { StorageUnavailable } from '../database.ts';
import { retryLostRaces, type Transaction, TransactionRun } from '../transaction.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { SqliteConnection } from './connection.ts';
import type { Durability } from './durability.ts';
import { SqliteSession, sqliteDialect } from './session.ts';
import type { TableVersions } from './table-versions.ts';
import { type WaitingWrite, WaitingWrites } from './waiting-writes.ts';

/** After this many works, or this long, a batch commits though more are waiting, so that nobody waits for all of them. */
const LARGEST_BATCH = 500;
const LONGEST_BATCH_MS = 20;

/** How long the log is costs as much to ask as a short write does: after so many commits, unless they are large. */
const COMMITS_BETWEEN_LOOKS = 8;
/** So many pages between two looks are a quarter of what is carried over at once. */
const LARGE_GROWTH = 1_000;

interface Write extends WaitingWrite {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** In a savepoint, because a batch that it was part of held a work that failed. */
  guarded: boolean;
  /** In a batch of its own, because a batch that it was part of could not commit. */
  alone: boolean;
  outcome?: WorkOutcome;
}

/**
 * How a work went. Its caller is told when the batch is durable, for a refusal too shows what the work has seen. Not a
 * function that tells it: each would have V8 keep what the next one holds on to, until a collection of the whole heap.
 */
type WorkOutcome = { run: TransactionRun; value: unknown } | { refusal: unknown };

/** A work failed after others had written: nothing of the batch is left, and all of it is to be done again. */
class BatchLost extends Error {}

/**
 * Group commit. Works that wait share one transaction; they are executed while the sync of the batch before is under way,
 * and committed when it is over, together with those that its callers sent next. A savepoint costs a copy of every page
 * that is changed, and works seldom fail: only a batch in which one does is done again with one for each.
 */
export class GroupCommit {
  readonly #writer: SqliteConnection;
  readonly #durability: Durability;
  readonly #checkpointer: Checkpointer;
  readonly #versions: TableVersions;
  readonly #committed: () => void;
  /** What other processes had committed when this batch began. */
  #others: unknown;
  readonly #waiting = new WaitingWrites<Write>();
  #draining = false;
  #commitsToNextLook = 0;
  /** So many of the works that come next are guarded: where one failed others of its kind may. */
  #toGuard = 0;
  #pagesOfLog = 0;

  /** `versions` and `committed` are told of each commit when its changes can be seen. */
  constructor(
    writer: SqliteConnection,
    durability: Durability,
    checkpointer: Checkpointer,
    versions: TableVersions,
    committed: () => void,
  ) {
    this.#writer = writer;
    this.#durability = durability;
    this.#checkpointer = checkpointer;
    this.#versions = versions;
    this.#committed = committed;
  }

  /** Resolves or rejects as `work` does, once everything that it wrote and saw is durable. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.add({ whom: currentUser(), work, resolve, reject, guarded: false, alone: false });
    if (!this.#draining) void this.#drain();
    return promise as Promise<T>;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#waiting.size > 0) {
      // Between two transactions another process has a chance to write.
      await this.#gather();
      await this.#commitBatch();
    }
    this.#draining = false;
  }

  /** Each commit costs a sync and the pages that it changes of every index, which those share who come meanwhile. */
  #gather(): Promise<void> {
    return gather(() => this.#waiting.size, LARGEST_BATCH);
  }

  async #commitBatch(): Promise<void> {
    const batch: Write[] = [];
    try {
      await this.#begin();
      const isFull = await this.#execute(batch);
      await this.#executeCallersOfTheLast(batch, isFull);
      this.#commit();
      this.#durability.sync(this.#others).then(
        () => answerAll(batch),
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
      // Where it failed, the changes may be there all the same.
      this.#versions.changed(this.#writer.takeChanged());
      this.#committed();
    }
  }

  async #begin(): Promise<void> {
    await this.#durability.restored();
    await this.#checkpointer.pause;
    await this.#beginImmediate();
  }

  async #beginImmediate(): Promise<void> {
    await retryLostRaces(() => {
      this.#writer.run('begin immediate');
      // At once: a read that asks in between would be told what others had when the transaction before began.
      this.#others = this.#durability.begun();
    });
  }

  /** What a batch has changed stands for nobody until its commit. */
  #versionOf(tables: readonly string[]): number | undefined {
    if (tables.some((table) => this.#writer.hasChanged(table))) return undefined;
    return this.#versions.of(tables, this.#others);
  }

  /** Waits for the batch before to be durable; where that took time, its callers may have sent their next works. */
  async #executeCallersOfTheLast(batch: Write[], isFull: boolean): Promise<void> {
    const hadToWait = this.#durability.syncing;
    await this.#durability.settled();
    if (!hadToWait || isFull) return;
    await this.#gather();
    await this.#execute(batch);
  }

  /** Runs what is waiting, as far as the batch has room; answers whether it is full. */
  async #execute(batch: Write[]): Promise<boolean> {
    const fullAt = performance.now() + LONGEST_BATCH_MS;
    while (batch.length < LARGEST_BATCH && performance.now() < fullAt && !batch[0]?.alone) {
      const write = this.#waiting.take(batch.length > 0);
      if (!write) return false;
      this.#guard(write);
      batch.push(write);
      const startedAt = performance.now();
      await this.#executeOne(write, batch.length === 1);
      this.#waiting.used(write, performance.now() - startedAt);
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
      // The works of a batch are run by whoever came first: each goes on in the name of who has sent it. All who write wait.
      const value = await whileBlockingOthers(write.whom, () => run.run(write.work));
      if (inSavepoint) this.#writer.run('release work');
      write.outcome = { run, value };
    } catch (error) {
      await this.#undoWork(error, isFirst, inSavepoint);
      write.outcome = { refusal: error };
    }
  }

  async #undoWork(error: unknown, isFirst: boolean, inSavepoint: boolean): Promise<void> {
    // On some errors SQLite rolls the whole transaction back by itself: with it the works before this one are lost.
    if (!this.#writer.inTransaction) throw error;
    if (isFirst) {
      this.#writer.run('rollback');
      await this.#beginImmediate();
    } else if (inSavepoint) {
      this.#writer.run('rollback to work');
      this.#writer.run('release work');
    } else throw new BatchLost();
  }

  /** Nothing of the batch is kept. */
  #abandon(batch: Write[], error: unknown): void {
    this.#rollBack();
    if (error instanceof BatchLost) this.#repeatGuarded(batch);
    // Without a batch it could not even begin, which concerns everyone who waits.
    else if (batch.length === 0) rejectAll(this.#waiting.takeAll(), error);
    else if (error instanceof StorageUnavailable || batch.length === 1) rejectAll(batch, error);
    else this.#repeatOneByOne(batch);
  }

  #rollBack(): void {
    try {
      if (this.#writer.inTransaction) this.#writer.run('rollback');
    } catch {
      // A rollback that fails has ended the transaction all the same.
    }
  }

  /** Those behind it too, and those to come, so that many failures do not undo the same works again and again. */
  #repeatGuarded(batch: Write[]): void {
    this.#toGuard = this.#waiting.size + LARGEST_BATCH;
    for (const write of batch) write.guarded = true;
    this.#waiting.repeat(batch);
  }

  /** A deferred constraint shows at COMMIT, and not whose fault it is. */
  #repeatOneByOne(batch: Write[]): void {
    for (const write of batch) write.alone = true;
    this.#waiting.repeat(batch);
  }

  #watchLog(): void {
    if (this.#commitsToNextLook-- > 0) return;
    try {
      const pages = Number(this.#writer.get('pragma wal_checkpoint(noop)')?.log);
      this.#commitsToNextLook = pages - this.#pagesOfLog < LARGE_GROWTH ? COMMITS_BETWEEN_LOOKS - 1 : 0;
      this.#pagesOfLog = pages;
      this.#checkpointer.logHas(pages);
    } catch {
      // The next commit looks again.
    }
  }
}

function answerAll(writes: Write[]): void {
  for (const write of writes) answer(write);
}

function answer({ outcome, resolve, reject }: Write): void {
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
