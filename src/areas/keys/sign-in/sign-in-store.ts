import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { Sessions, SessionTokens, SignInCodes, Tickets } from '../../../storage/schema/tables.ts';

export async function insertSession(tx: WriteTransaction, session: Sessions): Promise<void> {
  await tx.insertInto('sessions').values(session).execute();
}

export async function insertToken(tx: WriteTransaction, token: SessionTokens): Promise<void> {
  await tx.insertInto('session_tokens').values(token).execute();
}

export async function insertCode(tx: WriteTransaction, code: SignInCodes): Promise<void> {
  await tx.insertInto('sign_in_codes').values(code).execute();
}

export async function insertTicket(tx: WriteTransaction, ticket: Tickets): Promise<void> {
  await tx.insertInto('tickets').values(ticket).execute();
}

// Whoever brings a secret does not say of which workspace: each is found by its hash alone, along an index.

const sessionByCookie = statement((tx, p: { hash: string }) =>
  tx.selectFrom('sessions').select(['workspace_id', 'key_id']).where('cookie_hash', '=', p.hash),
);

/** The workspace and API key of a session, ended or not, by the hash of its cookie. */
export async function findSession(
  tx: ReadTransaction,
  cookieHash: string,
): Promise<Pick<Sessions, 'workspace_id' | 'key_id'> | undefined> {
  return (await sessionByCookie(tx, { hash: cookieHash }))[0];
}

const tokenByHash = statement((tx, p: { hash: string }) =>
  tx.selectFrom('session_tokens').selectAll().where('token_hash', '=', p.hash),
);

/** The token with this hash, expired or not. */
export async function findToken(tx: ReadTransaction, tokenHash: string): Promise<SessionTokens | undefined> {
  return (await tokenByHash(tx, { hash: tokenHash }))[0];
}

const ownerOfCode = statement((tx, p: { hash: string }) =>
  tx.selectFrom('sign_in_codes').select(['workspace_id', 'user_id']).where('code_hash', '=', p.hash),
);

/** The workspace and user of a code, expired or not, by its hash. */
export async function findCode(
  tx: ReadTransaction,
  codeHash: string,
): Promise<Pick<SignInCodes, 'workspace_id' | 'user_id'> | undefined> {
  return (await ownerOfCode(tx, { hash: codeHash }))[0];
}

const codeTaken = statement((tx: WriteTransaction, p: { hash: string; now: number }) =>
  tx
    .deleteFrom('sign_in_codes')
    .where('code_hash', '=', p.hash)
    .where('expires_at', '>', p.now)
    .returningAll(),
);

/** Removes a code that has not expired: of several who use it at once, one gets it. */
export async function takeCode(
  tx: WriteTransaction,
  codeHash: string,
  now: number,
): Promise<SignInCodes | undefined> {
  return (await codeTaken(tx, { hash: codeHash, now }))[0];
}

const ticketByHash = statement((tx, p: { hash: string; now: number }) =>
  tx.selectFrom('tickets').selectAll().where('ticket_hash', '=', p.hash).where('expires_at', '>', p.now),
);

/** A ticket that has not expired. */
export async function findTicket(
  tx: ReadTransaction,
  ticketHash: string,
  now: number,
): Promise<Tickets | undefined> {
  return (await ticketByHash(tx, { hash: ticketHash, now }))[0];
}

const ticketBegun = statement((tx: WriteTransaction, p: { hash: string; now: number; until: number }) =>
  tx
    .updateTable('tickets')
    .set({ begun: 1, expires_at: p.until })
    .where('ticket_hash', '=', p.hash)
    .where('begun', '=', 0)
    .where('expires_at', '>', p.now)
    .returning('key_id'),
);

/** Begins the GET of a ticket. Returns whether it had not begun and not expired: of several at once, one begins it. */
export async function beginTicket(
  tx: WriteTransaction,
  ticketHash: string,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  return (await ticketBegun(tx, { hash: ticketHash, now, until })).length > 0;
}

const EXPIRING = [
  ['session_tokens', 'token_hash'],
  ['sign_in_codes', 'code_hash'],
  ['tickets', 'ticket_hash'],
] as const;

/** For each table, removes what has expired, the oldest first. */
const REMOVALS = EXPIRING.map(([table, hash]) =>
  statement((tx: WriteTransaction, p: { now: number; most: number }) =>
    tx
      .deleteFrom(table)
      .where(hash, 'in', (query) =>
        query
          .selectFrom(table)
          .select(hash)
          .where('expires_at', '<=', p.now)
          .orderBy('expires_at')
          .limit(sql<number>`0 + ${p.most}`),
      )
      .returning('workspace_id'),
  ),
);

/** Removes tokens, codes and tickets of all workspaces that have expired, at most `most` of each; returns the largest number. */
export async function removeExpired(tx: WriteTransaction, now: number, most: number): Promise<number> {
  let largest = 0;
  for (const remove of REMOVALS) largest = Math.max(largest, (await remove(tx, { now, most })).length);
  return largest;
}
