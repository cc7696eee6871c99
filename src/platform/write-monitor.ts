import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';

/** How long the result of a trial counts: a readiness probe must not cause a write each time it asks. */
const TRIAL_VALID_MS = 1_000;

/** What a monitor watches for, and how it finds out more. */
interface Watched {
  /** Whether an error of a write says that the store cannot keep what is written now. */
  isRefusal: (error: unknown) => boolean;
  /** Whether the next write may be refused though none was yet; looks and writes nothing. Rejects where it surely is. */
  isDoubtful?: (() => Promise<boolean>) | undefined;
  /** Stores something and removes it again, or rejects. */
  tryWrite: () => Promise<void>;
}

/**
 * Tells a readiness probe whether writes are kept: it remembers that one was refused, or finds that one may be, until a trial
 * write succeeds. Nobody knows beforehand how much space a write will need.
 */
export class WriteMonitor {
  readonly #watched: Watched;
  #wasRefused = false;
  #trial: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Does as `call`, and remembers it if the store refused it. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (this.#watched.isRefusal(error)) this.#becomeRefused();
      throw error;
    }
  }

  /** Resolves unless a write was refused, or may be, and no trial has succeeded since. Rejects as the trial does. */
  async check(): Promise<void> {
    if (await this.#watched.isDoubtful?.()) this.#becomeRefused();
    if (!this.#wasRefused) return;
    if (performance.now() - this.#triedAt > TRIAL_VALID_MS) this.#trial = undefined;
    this.#trial ??= this.#try();
    await this.#trial;
  }

  #becomeRefused(): void {
    // A trial from before the store refused says nothing about now.
    if (!this.#wasRefused) this.#trial = undefined;
    this.#wasRefused = true;
  }

  async #try(): Promise<void> {
    this.#triedAt = Number.POSITIVE_INFINITY;
    try {
      await this.#watched.tryWrite();
      this.#wasRefused = false;
    } finally {
      this.#triedAt = performance.now();
    }
  }
}

/** Some times what a trial writes. */
const LITTLE_BYTES = 4 * 1024 * 1024;

/**
 * Whether the disk that a file or directory is on has little room left. Rejects where the path is gone, as that of a disk
 * that was unmounted, or may not be written to, as on one that the system has made read-only.
 */
export async function hasLittleRoom(path: string): Promise<boolean> {
  await access(path, constants.R_OK | constants.W_OK);
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize < LITTLE_BYTES;
}
