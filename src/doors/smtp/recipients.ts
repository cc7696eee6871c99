import type { DirectoryService, UserRef } from '../../areas/directory/service.ts';
import type { Database, Snapshot } from '../../storage/database.ts';

/** The tables that say whose an address is. */
const TABLES = ['users', 'user_addresses'] as const;

/** So many are remembered at most. */
const MOST = 10_000;

/** Whose mail for an address is. Found addresses are remembered for as long as nobody has changed users or addresses. */
export class Recipients {
  readonly #database: Database;
  readonly #directory: DirectoryService;
  readonly #known = new Map<string, UserRef>();
  #version: Snapshot | undefined;

  constructor(database: Database, directory: DirectoryService) {
    this.#database = database;
    this.#directory = directory;
  }

  /** The active user who holds an address; undefined when nobody does. Rejects with StorageUnavailable. */
  async find(address: string): Promise<UserRef | undefined> {
    const version = this.#database.unchanged(TABLES);
    if (version !== this.#version) this.#known.clear();
    this.#version = version;
    return this.#known.get(address) ?? this.#look(address, version);
  }

  async #look(address: string, version: Snapshot | undefined): Promise<UserRef | undefined> {
    const user = await this.#database.read((tx) => this.#directory.findRecipient(tx, address));
    if (user && version && version === this.#version && this.#known.size < MOST)
      this.#known.set(address, user);
    return user;
  }
}
