import type { Page, PageRequest } from '../../contract/answers.ts';
import { notFound, workspaceMoved } from '../../contract/errors.ts';
import { afterId, pageById } from '../../contract/id-order.ts';
import type { Principal } from '../../contract/principal.ts';
import { requireParameter } from '../../contract/required-values.ts';
import { emitBatch } from '../../storage/changes.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { findAway } from '../../storage/moves.ts';
import type { DirectoryService, UserRef } from '../directory/service.ts';
import { keyChange } from './changes.ts';
import {
  type ApiKeyRow,
  findAccess,
  findAccessOf,
  findGrant,
  findGrantsOfMade,
  listKeys,
  lockOfKeys,
  revokeKeys,
  revokeSessionsOpenedBy,
} from './key-store.ts';
import { createKey } from './keys.ts';
import { hashOf, isExpired, keyRecord, newSecret, principalOf } from './record.ts';
import { isVisibleTo, permitRevocation } from './rules.ts';
import { type ApiKey, type CreatedApiKey, type GivenKey, Revocation } from './schema.ts';
import { SignInService } from './sign-in/service.ts';

export { PRESET_NAMES, type Preset, permissionsOf } from './presets.ts';
export { newSecret } from './record.ts';
export { GivenKey } from './schema.ts';
export { signInUrl } from './sign-in/schema.ts';
export { signedOut } from './sign-in/service.ts';

/** What others ask of API keys. Every method but findPrincipal acts within the caller's transaction. */
export class KeysService {
  readonly signIn: SignInService;
  /** Knows the users that keys are made for. */
  readonly directory: DirectoryService;
  readonly #onAccessChange: () => void;

  /** `onAccessChange` is called once a revocation is durable. */
  constructor(dependencies: { directory: DirectoryService; onAccessChange: () => void }) {
    this.directory = dependencies.directory;
    this.#onAccessChange = dependencies.onAccessChange;
    this.signIn = new SignInService(dependencies.directory);
  }

  /**
   * The principal of a key, or of the token of a session, by its secret; undefined when the key or session is unknown
   * or revoked, or its user suspended. Throws ApiError workspace_moved.
   */
  async findPrincipal(database: Database, secret: string): Promise<Principal | undefined> {
    return database.read(async (tx) => {
      const row = await findAccess(tx, hashOf(secret));
      const principal = row ? principalOf(row) : await this.signIn.findByToken(tx, secret);
      const away = principal && (await findAway(tx, principal.workspaceId));
      if (away?.state === 'left') throw workspaceMoved(away.location);
      return principal;
    });
  }

  /** The principal of a key by its id; undefined when it is revoked or expired, or its user suspended. */
  async findPrincipalOf(
    tx: ReadTransaction,
    workspaceId: string,
    id: string,
  ): Promise<Principal | undefined> {
    const row = await findAccessOf(tx, workspaceId, id);
    return row && !isExpired(row) ? principalOf(row) : undefined;
  }

  /** The keys of a user that are not revoked, in order of creation. */
  async listKeys(tx: ReadTransaction, owner: UserRef, page: PageRequest): Promise<Page<ApiKey>> {
    const rows = await listKeys(tx, owner.workspaceId, owner.userId, afterId(page), page.limit);
    return pageById(rows, keyRecord);
  }

  /** For the command line and the first start. */
  createKey(
    tx: WriteTransaction,
    owner: UserRef,
    given: GivenKey,
    secret = newSecret(),
  ): Promise<CreatedApiKey> {
    return createKey(tx, this.directory, owner, given, { secret, maker: undefined });
  }

  /**
   * Revokes a key from the next request on and, with `andMade`, all keys that it has made. A caller can revoke keys of
   * its own user, with directory.write those of every user of its workspace. A revoked key stays revoked. Sessions that
   * were opened with the key end with it. Throws ApiError not_found, and insufficient_scope when one of the keys has a permission that the caller lacks.
   */
  async revokeKey(
    tx: WriteTransaction,
    workspaceId: string,
    id: string,
    { caller, andMade = false }: { caller?: Principal; andMade?: boolean } = {},
  ): Promise<void> {
    requireParameter(Revocation.properties.made_by, andMade, 'made_by');
    await tx.lock(lockOfKeys(workspaceId));
    const key = await findGrant(tx, workspaceId, id);
    if (!key || (caller && !isVisibleTo(caller, key))) throw notFound('api_key', id);
    if (caller) permitRevocation(andMade ? await findGrantsOfMade(tx, workspaceId, id) : [key], caller);
    const revoked = [
      ...(await revokeKeys(tx, workspaceId, id, andMade)),
      ...(andMade ? [] : await revokeSessionsOpenedBy(tx, workspaceId, id)),
    ];
    emitRevoked(tx, workspaceId, revoked, andMade);
    tx.afterCommit(this.#onAccessChange);
  }
}

/** Reports the keys that are revoked now: of those that were made by one, each user learns of their own. */
function emitRevoked(
  tx: WriteTransaction,
  workspaceId: string,
  revoked: readonly Pick<ApiKeyRow, 'id' | 'user_id'>[],
  isBatch: boolean,
): void {
  for (const [userId, keys] of Map.groupBy(revoked, ({ user_id }) => user_id)) {
    const owner = { workspaceId, userId };
    const ids = keys.map(({ id }) => id);
    if (isBatch) emitBatch(tx, keyChange(owner, 'api_key.revoked', {}), 'key_ids', ids);
    else for (const id of ids) tx.emit(keyChange(owner, 'api_key.revoked', { key_id: id }));
  }
}
