import type { Page, PageRequest } from '../../api/answers.ts';
import type { Principal } from '../../api/authentication.ts';
import { notFound } from '../../api/errors.ts';
import { afterId, pageById } from '../../api/id-order.ts';
import { refuse } from '../../api/validation.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService, UserRef } from '../directory/service.ts';
import { keyRecord, newKeyRow, principalOf } from './record.ts';
import { newKeyProblems } from './rules.ts';
import type { ApiKey, CreatedApiKey, NewApiKey } from './schema.ts';
import { newSecret } from './secret.ts';
import { findAccess, insertKey, listKeys, revokeKey } from './store.ts';

export { NewApiKey } from './schema.ts';
export { newSecret } from './secret.ts';

/** The rules of API keys. Every method but findPrincipal acts within the caller's transaction. */
export class KeysService {
  readonly #directory: DirectoryService;
  readonly #onAccessChange: () => void;

  /** `onAccessChange` runs once it is durable that a key has stopped. */
  constructor(parts: { directory: DirectoryService; onAccessChange: () => void }) {
    this.#directory = parts.directory;
    this.#onAccessChange = parts.onAccessChange;
  }

  /** Who calls with the key of this hash; undefined when it is unknown or revoked, or its user suspended. */
  async findPrincipal(database: Database, secretHash: string): Promise<Principal | undefined> {
    const row = await database.read((tx) => findAccess(tx, secretHash));
    return row && principalOf(row);
  }

  /** The keys of a user that are not revoked, in order of creation. */
  async listKeys(tx: ReadTransaction, owner: UserRef, page: PageRequest): Promise<Page<ApiKey>> {
    const rows = await listKeys(tx, owner.workspaceId, owner.userId, afterId(page), page.limit);
    return pageById(rows, keyRecord);
  }

  /** A key that acts as the user, which is told only here. Throws ApiError validation_failed, and not_found for an unknown user. */
  async createKey(
    tx: WriteTransaction,
    owner: UserRef,
    given: NewApiKey,
    secret = newSecret(),
  ): Promise<CreatedApiKey> {
    // Not before a repeat is answered: a key that has expired since is still what the first answer gave.
    refuse(newKeyProblems(given));
    await this.#directory.getUser(tx, owner.workspaceId, owner.userId);
    const row = newKeyRow(owner, given, secret);
    await insertKey(tx, row);
    return { ...keyRecord(row), key: secret };
  }

  /**
   * Stops a key from the next request on; only of `userId` when it is given. One that was revoked stays so.
   * Throws ApiError not_found.
   */
  async revokeKey(tx: WriteTransaction, workspaceId: string, id: string, userId?: string): Promise<void> {
    if (!(await revokeKey(tx, workspaceId, id, userId))) throw notFound('api_key', id);
    tx.afterCommit(this.#onAccessChange);
  }
}
