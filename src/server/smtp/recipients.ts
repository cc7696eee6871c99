import type { DirectoryService, UserRef } from '../../areas/directory/service.ts';
import type { Recipient } from '../../areas/mail/service.ts';
import type { Database, Snapshot, WriteTransaction } from '../../storage/database.ts';

/** The tables that say whose an address is. */
const TABLES = ['users', 'user_addresses'] as const;

/** So many are remembered at most. */
const MOST = 10_000;

/** A recipient, and where nobody has changed users or addresses since it was found, the object that says so. */
export interface FoundRecipient extends Recipient {
  foundIn: Snapshot | undefined;
}

/**
 * Whether a recipient is surely still who it was found to be. Where it is not sure, the directory can tell.
 */
export function stillStands(tx: WriteTransaction, { foundIn }: FoundRecipient): boolean {
  return foundIn !== undefined && foundIn === tx.unchanged(TABLES);
}

/** Whose mail for an address is. Found addresses are remembered for as long as nobody has changed users or addresses. */
export class Recipients {
  readonly #database: Database;
  readonly #directory: DirectoryService;
  readonly #known = new Map<string, UserRef>();
  #version: Snapshot | undefined;
  #wasAskedThisTurn = false;

  constructor(database: Database, directory: DirectoryService) {
    this.#database = database;
    this.#directory = directory;
  }

  /** The active user who holds an address; undefined when nobody does. Rejects with StorageUnavailable. */
  async find(address: string): Promise<FoundRecipient | undefined> {
    if (!this.#wasAskedThisTurn) this.#askVersion();
    const version = this.#version;
    const user = this.#known.get(address) ?? (await this.#look(address, version));
    return user && { ...user, address, foundIn: version };
  }

  /**
   * Once a turn of the event loop, for under load each brings several recipients. What another process commits within it
   * comes to light when the message has come and they are looked at again.
   */
  #askVersion(): void {
    const version = this.#database.unchanged(TABLES);
    if (version !== this.#version) this.#known.clear();
    this.#version = version;
    this.#wasAskedThisTurn = true;
    setImmediate(() => {
      this.#wasAskedThisTurn = false;
    });
  }

  async #look(address: string, version: Snapshot | undefined): Promise<UserRef | undefined> {
    const user = await this.#database.read((tx) => this.#directory.findRecipient(tx, address));
    if (user && version && version === this.#version && this.#known.size < MOST)
      this.#known.set(address, user);
    return user;
  }
}
