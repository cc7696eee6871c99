import { createHmac, randomBytes } from 'node:crypto';
import { ApiError, notFound } from '../../../contract/errors.ts';
import { ALL_PERMISSIONS } from '../../../contract/permissions.ts';
import { invalidApiKey, type Principal } from '../../../contract/principal.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { DirectoryService, UserRef } from '../../directory/service.ts';
import { keyChange } from '../changes.ts';
import { type AccessRow, findAccess, findAccessOf, insertKey, lockOfKeys, revokeKeys } from '../key-store.ts';
import { hashOf, isExpired, type Maker, newSessionRow, principalOf } from '../record.ts';
import { listEnded, listSessionsBehind, removeSessionKeys } from './session-store.ts';
import {
  beginTicket,
  findCode,
  findSession,
  findTicket,
  findToken,
  insertCode,
  insertSession,
  insertTicket,
  insertToken,
  removeExpired,
  takeCode,
} from './sign-in-store.ts';

const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** Sessions of one user: without a limit, a program that signs in again and again would fill the table. */
export const MOST_SESSIONS = 1_000;
/** Who revokes a session twice is answered alike. */
const REVOKED_KEPT_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;
const TICKET_MS = 60_000;
const RANGES_MS = 3_600_000;

/** A session that was just opened; its cookie is known only here. */
export interface OpenedSession {
  cookie: string;
  principal: Principal;
  /** How long it lasts, in milliseconds. */
  lastsMs: number;
}

/** A cookie with the session that it belongs to. */
export interface LiveCookie {
  cookie: string;
  principal: Principal;
}

/** A Bearer of a session, and when it ends, in milliseconds since the epoch. */
export interface SessionToken {
  token: string;
  expiresAt: number;
  principal: Principal;
}

/** A secret and when it ends, in milliseconds since the epoch. */
export interface Expiring {
  secret: string;
  expiresAt: number;
}

/** What a ticket serves: a path with its query, for a caller. */
export interface TicketedPath {
  path: string;
  principal: Principal;
}

/**
 * Sessions of browsers with their tokens, the codes that open them, and tickets. A session is an API key of kind session
 * without a secret of its own. Of every secret only the SHA-256 is stored. Every method acts within the caller's
 * transaction.
 */
export class SignInService {
  readonly #directory: DirectoryService;

  constructor(directory: DirectoryService) {
    this.#directory = directory;
  }

  /**
   * Makes a code that opens one session of the user within ten minutes: with the permissions of its maker, with all of
   * them where the command line or the first start makes it. Throws ApiError not_found for an unknown user, and
   * invalid_api_key when the maker has ended.
   */
  async createCode(tx: WriteTransaction, owner: UserRef, maker?: Principal): Promise<Expiring> {
    const { workspaceId, userId } = owner;
    await this.#directory.getUser(tx, workspaceId, userId);
    if (maker) await liveMaker(tx, workspaceId, maker.keyId);
    const secret = newRandomSecret();
    const expiresAt = (await tx.now()) + TEN_MINUTES_MS;
    await insertCode(tx, {
      workspace_id: workspaceId,
      code_hash: hashOf(secret),
      user_id: userId,
      made_by: maker?.keyId ?? null,
      expires_at: expiresAt,
    });
    return { secret, expiresAt };
  }

  /**
   * The user whose session a code or key may open, so that who guesses does not keep the writer busy. Throws ApiError
   * invalid_sign_in_code or invalid_api_key.
   */
  async findOpener(
    tx: ReadTransaction,
    { code, key = '' }: { code?: string; key?: string },
  ): Promise<Pick<Principal, 'userId'>> {
    const found = code === undefined ? await findAccess(tx, hashOf(key)) : await findCode(tx, hashOf(code));
    if (!found) throw code === undefined ? invalidApiKey() : invalidCode();
    return { userId: found.user_id };
  }

  /** Opens a session with a code, which is used up. Throws ApiError invalid_sign_in_code. */
  async openByCode(tx: WriteTransaction, code: string): Promise<OpenedSession> {
    const found = await findCode(tx, hashOf(code));
    if (!found) throw invalidCode();
    // Before the code is taken, which writes: the change feed reads in the order of first writes (CHANGE-6).
    await tx.lock(lockOfKeys(found.workspace_id));
    const taken = await takeCode(tx, hashOf(code), await tx.now());
    if (!taken) throw invalidCode();
    const { workspace_id: workspaceId, user_id: userId, made_by: maker } = taken;
    const made = maker === null ? undefined : await findAccessOf(tx, workspaceId, maker);
    if (maker !== null && (!made || isExpired(made))) throw invalidCode();
    const user = await this.#directory.getUser(tx, workspaceId, userId);
    if (user.state !== 'active') throw invalidCode();
    const permissions = made?.permissions ?? JSON.stringify(ALL_PERMISSIONS);
    return this.#open(tx, { workspaceId, userId }, { permissions, maker: made, endsWithMaker: false });
  }

  /**
   * Opens a session with an API key: it can do what the key can, and ends no later than the key. Throws ApiError
   * invalid_api_key, also for the token of a session.
   */
  async openByKey(tx: WriteTransaction, secret: string): Promise<OpenedSession> {
    const found = await findAccess(tx, hashOf(secret));
    if (!found) throw invalidApiKey();
    const workspaceId = found.workspace_id;
    await tx.lock(lockOfKeys(workspaceId));
    const key = await liveMaker(tx, workspaceId, found.id);
    const { user_id: userId, permissions } = key;
    return this.#open(tx, { workspaceId, userId }, { permissions, maker: key, endsWithMaker: true });
  }

  /** A new token of the session with this cookie; older ones live on. Throws ApiError unauthenticated. */
  async renew(tx: WriteTransaction, cookie: string): Promise<SessionToken> {
    const principal = await this.findByCookie(tx, cookie);
    if (!principal) throw signedOut();
    const token = newToken(cookie);
    const now = await tx.now();
    const expiresAt = Math.min(now + TEN_MINUTES_MS, principal.expiresAt);
    await insertToken(tx, {
      workspace_id: principal.workspaceId,
      token_hash: hashOf(token),
      key_id: principal.keyId,
      expires_at: expiresAt,
    });
    return { token, expiresAt, principal };
  }

  /** The principal of the live session with this cookie. */
  async findByCookie(tx: ReadTransaction, cookie: string): Promise<Principal | undefined> {
    const session = await findSession(tx, hashOf(cookie));
    return session && live(await findAccessOf(tx, session.workspace_id, session.key_id));
  }

  /** Those of a few cookies that have a live session. */
  async findByCookies(tx: ReadTransaction, cookies: readonly string[]): Promise<LiveCookie[]> {
    const found: LiveCookie[] = [];
    for (const cookie of cookies) {
      const principal = await this.findByCookie(tx, cookie);
      if (principal) found.push({ cookie, principal });
    }
    return found;
  }

  /** The principal of a live token, with how long the token lasts. What is none by its form is not looked for in every workspace. */
  async findByToken(tx: ReadTransaction, secret: string): Promise<Principal | undefined> {
    if (!secret.startsWith(TOKEN_PREFIX)) return undefined;
    const token = await findToken(tx, hashOf(secret));
    if (!token) return undefined;
    const lastsMs = token.expires_at - (await tx.now());
    if (lastsMs <= 0) return undefined;
    const principal = live(await findAccessOf(tx, token.workspace_id, token.key_id));
    return principal && { ...principal, lastsMs };
  }

  /** A ticket for one GET of a path, which must begin within 60 seconds. */
  async issueTicket(tx: WriteTransaction, principal: Principal, path: string): Promise<Expiring> {
    const secret = newRandomSecret();
    const expiresAt = (await tx.now()) + TICKET_MS;
    await insertTicket(tx, {
      workspace_id: principal.workspaceId,
      ticket_hash: hashOf(secret),
      key_id: principal.keyId,
      path,
      begun: 0,
      expires_at: expiresAt,
    });
    return { secret, expiresAt };
  }

  /**
   * What a ticket serves now, without using it up. `isRange`: a range is served for an hour after the GET has begun.
   * Throws ApiError not_found where it is unknown, was used or has ended, or its key or user has ended.
   */
  async findTicket(
    tx: ReadTransaction,
    secret: string,
    { isRange }: { isRange: boolean },
  ): Promise<TicketedPath & { isBegun: boolean }> {
    const ticket = await findTicket(tx, hashOf(secret), await tx.now());
    const principal = ticket && live(await findAccessOf(tx, ticket.workspace_id, ticket.key_id));
    if (!principal || (ticket.begun === 1 && !isRange)) throw noTicket(secret);
    return { path: ticket.path, principal, isBegun: ticket.begun === 1 };
  }

  /** Begins the GET of a ticket. Throws ApiError not_found where another request has begun it meanwhile. */
  async beginTicket(tx: WriteTransaction, secret: string): Promise<void> {
    const now = await tx.now();
    if (!(await beginTicket(tx, hashOf(secret), { now, until: now + RANGES_MS }))) throw noTicket(secret);
  }

  forget(tx: WriteTransaction, now: number, most: number): Promise<number> {
    return removeExpired(tx, now, most);
  }

  /** Removes sessions that have expired, and those that were revoked an hour ago, at most `most` of a kind; returns `most` where there may be more. */
  async forgetSessions(tx: WriteTransaction, now: number, most: number): Promise<number> {
    const ended = await listEnded(tx, { now, revokedBefore: now - REVOKED_KEPT_MS }, most);
    const byWorkspace = Map.groupBy(ended, (session) => session.workspace_id);
    for (const workspaceId of [...byWorkspace.keys()].sort()) await tx.lock(lockOfKeys(workspaceId));
    for (const [workspaceId, sessions] of byWorkspace) {
      const ids = sessions.map(({ id }) => id);
      await removeSessionKeys(tx, workspaceId, ids);
      // Of those that were revoked it was reported then.
      for (const { id, user_id: userId, revoked_at } of sessions)
        if (revoked_at === null)
          tx.emit(keyChange({ workspaceId, userId }, 'api_key.revoked', { key_id: id }));
    }
    return ended.length < most ? 0 : most;
  }

  /** Ends the oldest sessions of a user who is about to open one more than a user may have. */
  async #endOldest(tx: WriteTransaction, owner: UserRef): Promise<void> {
    for (const id of await listSessionsBehind(tx, owner, MOST_SESSIONS - 1)) {
      await revokeKeys(tx, owner.workspaceId, id, false);
      tx.emit(keyChange(owner, 'api_key.revoked', { key_id: id }));
    }
  }

  async #open(
    tx: WriteTransaction,
    owner: UserRef,
    from: { permissions: string; maker: Maker | undefined; endsWithMaker: boolean },
  ): Promise<OpenedSession> {
    await this.#endOldest(tx, owner);
    const cookie = newRandomSecret();
    const row = newSessionRow(owner, from, SESSION_MS);
    await insertKey(tx, row);
    await insertSession(tx, {
      workspace_id: owner.workspaceId,
      key_id: row.id,
      cookie_hash: hashOf(cookie),
      ends_with_maker: Number(from.endsWithMaker),
    });
    const principal = principalOf(row);
    tx.actAs(principal);
    tx.emit(keyChange(owner, 'api_key.created', { key_id: row.id }));
    return { cookie, principal, lastsMs: principal.expiresAt - row.created_at };
  }
}

/** The refusal of a request whose cookie belongs to no live session. */
export function signedOut(): ApiError {
  return new ApiError('unauthenticated', 'There is no session here, or it has ended. Sign in again.');
}

function invalidCode(): ApiError {
  const message = 'The code is unknown, was used, or is older than ten minutes. Make another one.';
  return new ApiError('invalid_sign_in_code', message);
}

function noTicket(id: string): ApiError {
  return notFound('ticket', id);
}

function live(access: AccessRow | undefined): Principal | undefined {
  return access && !isExpired(access) ? principalOf(access) : undefined;
}

/** A key that has neither ended nor been revoked, of an active user. Throws ApiError invalid_api_key. */
async function liveMaker(tx: ReadTransaction, workspaceId: string, keyId: string): Promise<AccessRow> {
  const key = await findAccessOf(tx, workspaceId, keyId);
  if (!key || isExpired(key)) throw invalidApiKey();
  return key;
}

const SECRET_BYTES = 32;
const TOKEN_PREFIX = 'ats_';

/** A new cookie, code or ticket: 256 random bits. */
function newRandomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * A new token of the session with this cookie. Its second half is the same for all tokens of the session, and nobody
 * without the cookie or a token knows it: kept answers that hold a secret are sealed with it, and so can be opened by a
 * repeat that comes with a later token.
 */
function newToken(cookie: string): string {
  const common = createHmac('sha256', cookie).update('answers kept for the tokens of a session');
  return `${TOKEN_PREFIX}${newRandomSecret()}.${common.digest('base64url')}`;
}
