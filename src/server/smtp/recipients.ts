import type { DirectoryService, UserRef } from '../../areas/directory/service.ts';
import type { Recipient } from '../../areas/mail/service.ts';
import { Cache } from '../../platform/cache.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';

/** The tables that decide which user has an address. */
const TABLES = ['users', 'user_addresses'] as const;

/** Characters of two bytes each: at most 4 MB of memory. */
const ROOM = 2_000_000;
const SIZE_OF_USER = 100;

/**
 * A recipient, and the version of users and addresses with which it was found; undefined where that version is
 * unknown.
 */
export interface FoundRecipient extends Recipient {
  foundIn: number | undefined;
}

/** Whether a recipient is certainly still the same user. If not, the directory must be queried. */
export function stillStands(tx: WriteTransaction, { foundIn }: FoundRecipient): boolean {
  return foundIn !== undefined && foundIn === tx.versionOf(TABLES);
}

/** Finds the user of an address. Results are cached until any user or address changes. */
export class Recipients {
  readonly #database: Database;
  readonly #directory: DirectoryService;
  readonly #cache = new Cache<UserRef>({ room: ROOM });
  #version: number | undefined;
  #wasAskedThisTurn = false;

  constructor(database: Database, directory: DirectoryService) {
    this.#database = database;
    this.#directory = directory;
  }

  /** The active user who has an address; undefined where there is none. Rejects with StorageUnavailable. */
  async find(address: string): Promise<FoundRecipient | undefined> {
    if (!this.#wasAskedThisTurn) this.#askVersion();
    const version = this.#version;
    const user = version === undefined ? await this.#look(address) : await this.#known(address, version);
    return user && { ...user, address, foundIn: version };
  }

  /**
   * Reads the version once per turn of the event loop: under load, a turn has several recipients. A commit of another
   * process within the turn is noticed when the message has arrived and its recipients are checked again.
   */
  #askVersion(): void {
    this.#version = this.#database.versionOf(TABLES);
    this.#wasAskedThisTurn = true;
    setImmediate(() => {
      this.#wasAskedThisTurn = false;
    });
  }

  /** `version`: read before the query, so a later change makes the next caller query again. */
  async #known(address: string, version: number): Promise<UserRef | undefined> {
    const key = `${version} ${address}`;
    const known = this.#cache.get(key);
    if (known) return known;
    const user = await this.#look(address);
    if (user) this.#cache.set(key, user, SIZE_OF_USER);
    return user;
  }

  #look(address: string): Promise<UserRef | undefined> {
    return this.#database.read((tx) => this.#directory.findRecipient(tx, address));
  }
}
