import { openWalFile, type WalFile } from '../../src/storage/sqlite/durability.ts';
import { eventually } from '../eventually.ts';

/** A log whose syncs a test holds back or lets fail. */
export class FaultyWal {
  syncs = 0;
  /** Thrown by each sync while set. */
  fault: Error | undefined;
  #gate: PromiseWithResolvers<void> | undefined;
  #waiting = 0;

  /** To be given to openSqlite. */
  readonly open = async (path: string): Promise<WalFile> => {
    const file = await openWalFile(path);
    return { sync: () => this.#sync(file), close: () => file.close() };
  };

  /** Syncs wait from now on. */
  hold(): void {
    this.#gate = Promise.withResolvers();
  }

  /** Resolves when a sync that is held back has begun. */
  async heldBack(): Promise<void> {
    await eventually(() => this.#waiting > 0, 'a sync begins');
  }

  /** Lets the syncs that wait, and those to come, go on. */
  release(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  async #sync(file: WalFile): Promise<void> {
    this.syncs++;
    this.#waiting++;
    await this.#gate?.promise;
    this.#waiting--;
    if (this.fault) throw this.fault;
    await file.sync();
  }
}
