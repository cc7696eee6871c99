import type { Page, PageRequest } from '../../contract/answers.ts';
import { notFound } from '../../contract/errors.ts';
import { afterId, pageById } from '../../contract/id-order.ts';
import { invalidApiKey, type Principal } from '../../contract/principal.ts';
import { requireParameter, requireValues } from '../../contract/required-values.ts';
import { refuse } from '../../contract/validation.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService, UserRef } from '../directory/service.ts';
import { endOf, hasEnded, keyRecord, type Maker, newKeyRow, newSecret, principalOf } from './record.ts';
import { endedKeyProblems, newKeyProblems, permitRevocation, reaches } from './rules.ts';
import { type ApiKey, type CreatedApiKey, NewApiKey, Revocation } from './schema.ts';
import {
  findAccess,
  findAccessOf,
  findGrant,
  findGrantsOfMade,
  insertKey,
  listKeys,
  revokeKeys,
} from './store.ts';

export { newSecret } from './record.ts';
export { NewApiKey } from './schema.ts';

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

  /**
   * A key that acts as the user, which is told only here: of the command line, or of the first start. Throws ApiError
   * validation_failed, and not_found for an unknown user.
   */
  async createKey(
    tx: WriteTransaction,
    owner: UserRef,
    given: NewApiKey,
    secret = newSecret(),
  ): Promise<CreatedApiKey> {
    return this.#createKey(tx, owner, given, { secret, maker: undefined });
  }

  /**
   * A key that a key makes, for the user that is given, else for its own. Throws ApiError validation_failed, also where it
   * would outlive its maker, not_found for an unknown user, and invalid_api_key where the maker has stopped meanwhile.
   */
  async createKeyBy(tx: WriteTransaction, caller: Principal, given: NewApiKey): Promise<CreatedApiKey> {
    const { workspaceId, userId, keyId } = caller;
    // Whoever was told that a key and all that it made have stopped finds none that it made since.
    await tx.lock(lockOf(workspaceId));
    const maker = await findAccessOf(tx, workspaceId, keyId);
    if (!maker || hasEnded(maker)) throw invalidApiKey();
    refuse(newKeyProblems(given, endOf(maker)));
    const owner = { workspaceId, userId: given.user_id ?? userId };
    return this.#createKey(tx, owner, given, { secret: newSecret(), maker });
  }

  /**
   * Stops a key from the next request on, and where asked all that it has made. A caller reaches keys of its own user,
   * with directory.write those of everybody in its workspace. One that was revoked stays so. Throws ApiError not_found,
   * and insufficient_scope where one of the keys may do what the caller may not.
   */
  async revokeKey(
    tx: WriteTransaction,
    workspaceId: string,
    id: string,
    { caller, andMade = false }: { caller?: Principal; andMade?: boolean } = {},
  ): Promise<void> {
    requireParameter(Revocation.properties.made_by, andMade, 'made_by');
    await tx.lock(lockOf(workspaceId));
    const key = await findGrant(tx, workspaceId, id);
    if (!key || (caller && !reaches(caller, key))) throw notFound('api_key', id);
    if (caller) permitRevocation(andMade ? await findGrantsOfMade(tx, workspaceId, id) : [key], caller);
    await revokeKeys(tx, workspaceId, id, andMade);
    tx.afterCommit(this.#onAccessChange);
  }

  async #createKey(
    tx: WriteTransaction,
    owner: UserRef,
    given: NewApiKey,
    origin: { secret: string; maker: Maker | undefined },
  ): Promise<CreatedApiKey> {
    requireValues(NewApiKey, given);
    // Not before a repeat is answered: a key that has expired since is still what the first answer gave.
    refuse(endedKeyProblems(given));
    await this.#directory.getUser(tx, owner.workspaceId, owner.userId);
    const row = newKeyRow(owner, given, origin);
    await insertKey(tx, row);
    return { ...keyRecord(row), key: origin.secret };
  }
}

/** Making and revoking keys of a workspace take turns. */
function lockOf(workspaceId: string): string {
  return `keys of ${workspaceId}`;
}
