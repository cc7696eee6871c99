import { Cache } from '../platform/cache.ts';
import { ApiError, missingPermission } from './errors.ts';
import type { Permission } from './permissions.ts';

/** The caller: a workspace user, authenticated by a key with its permissions. */
export interface Principal {
  workspaceId: string;
  userId: string;
  keyId: string;
  permissions: ReadonlySet<Permission>;
  /** When the key ends, in milliseconds since the epoch. */
  expiresAt: number;
  /** How long the credential of the request lasts from now, in milliseconds, where it ends before the key. */
  lastsMs?: number;
}

/** Throws ApiError insufficient_scope unless the key of the caller has the permission. */
export function requirePermission({ permissions }: Principal, permission: Permission): void {
  if (!permissions.has(permission)) throw missingPermission(permission);
}

/** Finds the principal of a live key, or of a token of a session, by its secret. */
export type FindPrincipal = (secret: string) => Promise<Principal | undefined>;

/** A revoked key must end within 5 s on every node; on the node that revokes it, it ends at once. */
const REMEMBERED_MS = 2_000;
/** Characters of two bytes each; enough for more than ten thousand keys. */
const ROOM = 9_000_000;
const SIZE_OF_PRINCIPAL = 700;

/** Turns the Authorization header into a principal, and caches the keys that it has seen recently. */
export class Authentication {
  #find: FindPrincipal;
  /**
   * By token, not by digest: each request carries the token, and hashing it is a measurable share of a short request.
   */
  readonly #seen = new Cache<{ principal: Principal; until: number }>({ room: ROOM });
  #generation = 0;

  constructor(find: FindPrincipal) {
    this.#find = find;
  }

  /** Throws ApiError unauthenticated or invalid_api_key. */
  async authenticate(authorization: string | undefined): Promise<Principal> {
    const token = bearerToken(authorization);
    const seen = this.#seen.get(token);
    if (seen && performance.now() < seen.until && Date.now() < seen.principal.expiresAt)
      return seen.principal;
    return this.#lookUp(token);
  }

  /** Clears the cache after a key or a user has changed: the next request queries each key again. */
  forget(): void {
    this.#generation++;
    this.#seen.clear();
  }

  async #lookUp(token: string): Promise<Principal> {
    const generation = this.#generation;
    // A monotonic clock: a wall clock that is set back would keep a revoked key valid.
    const asked = performance.now();
    const principal = await this.#find(token);
    if (!principal || principal.expiresAt <= Date.now()) {
      throw invalidApiKey();
    }
    // A result that was read before a key changed must not be cached after that change.
    const until = asked + Math.min(REMEMBERED_MS, principal.lastsMs ?? REMEMBERED_MS);
    if (generation === this.#generation) this.#seen.set(token, { principal, until }, SIZE_OF_PRINCIPAL);
    return principal;
  }
}

/** The refusal of a key that is unknown, revoked or expired. */
export function invalidApiKey(): ApiError {
  return new ApiError('invalid_api_key', 'The API key is unknown, revoked or expired.');
}

/** RFC 6750, 2.1: `Authorization: Bearer <token>`. The scheme is case-insensitive. */
export function bearerToken(authorization: string | undefined): string {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    throw new ApiError(
      'unauthenticated',
      'Send the API key in the header "Authorization: Bearer <API_KEY>".',
    );
  }
  return token;
}

/** A token of a session: what is random, and what all tokens of the session have in common. */
const SESSION_TOKEN = /^ats_[\w-]{43}\.([\w-]{43})$/;

/**
 * What kept answers to the bearer of a token are sealed with: an API key itself; of the tokens of a session the part that
 * they have in common, so that a repeat may come with a later one.
 */
export function sealingSecretOf(token: string): string {
  return SESSION_TOKEN.exec(token)?.[1] ?? token;
}
