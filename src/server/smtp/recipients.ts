import type { DirectoryService, UserRef } from '../../areas/directory/service.ts';
import type { Recipient } from '../../areas/mail/service.ts';
import { Cache } from '../../platform/cache.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';

/** The tables that say whose an address is. */
const TABLES = ['users', 'user_addresses'] as const;

/** At most 4 MB of memory, in characters of two bytes. */
const ROOM = 2_000_000;
const SIZE_OF_USER = 100;

/** A recipient, and where nobody has changed users or addresses since it was found, their version. */
export interface FoundRecipient extends Recipient {
  foundIn: number | undefined;
}

/**
 * Whether a recipient is surely still who it was found to be. Where it is not sure, the directory can tell.
 */
export function stillStands(tx: WriteTransaction, { foundIn }: FoundRecipient): boolean {
  return foundIn !== undefined && foundIn === tx.versionOf(TABLES);
}

/** Whose mail for an address is. Found addresses are remembered for as long as nobody has changed users or addresses. */
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

  /** The active user who holds an address; undefined when nobody does. Rejects with StorageUnavailable. */
  async find(address: string): Promise<FoundRecipient | undefined> {
    if (!this.#wasAskedThisTurn) this.#askVersion();
    const version = this.#version;
    const user = version === undefined ? await this.#look(address) : await this.#known(address, version);
    return user && { ...user, address, foundIn: version };
  }

  /**
   * Once a turn of the event loop, for under load each brings several recipients. What another process commits within it
   * comes to light when the message has come and they are looked at again.
   */
  #askVersion(): void {
    this.#version = this.#database.versionOf(TABLES);
    this.#wasAskedThisTurn = true;
    setImmediate(() => {
      this.#wasAskedThisTurn = false;
    });
  }

  /** `version`: as it was before anybody looked, so that what has changed since is looked up again. */
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
