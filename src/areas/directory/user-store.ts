import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { isAmong } from '../../storage/query/json-parameters.ts';
import { contains, statement } from '../../storage/query/statement.ts';
import type { Users as UserRow } from '../../storage/schema/tables.ts';

export type { UserRow };

/** The users of a workspace after an id, in order of id, whose folded search text contains the fragment. */
export async function listUsers(
  tx: ReadTransaction,
  workspaceId: string,
  fragment: string,
  after: string,
  limit: number,
): Promise<UserRow[]> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', after)
    .$if(fragment !== '', (query) => query.where(contains('search_text', fragment)))
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function findUser(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<UserRow | undefined> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The user with this id, in any workspace. */
export async function findUserAnywhere(tx: ReadTransaction, id: string): Promise<UserRow | undefined> {
  return tx
    .selectFrom('workspaces')
    .innerJoin('users', (join) =>
      join.onRef('users.workspace_id', '=', 'workspaces.id').on('users.id', '=', id),
    )
    .selectAll('users')
    .executeTakeFirst();
}

const holdersOf = statement((tx, p: { address: string; otherForm: string }) =>
  tx
    .selectFrom('user_addresses')
    .select(['address', 'workspace_id', 'user_id'])
    .where('address', 'in', [p.address, p.otherForm]),
);

/** The users of any workspace that have an address in one of two forms (case folded). */
export function findHoldersOfForms(
  tx: ReadTransaction,
  address: string,
  otherForm: string,
): Promise<{ user_id: string }[]> {
  return holdersOf(tx, { address, otherForm });
}

/** The user of any workspace that has this address (case folded). */
export async function findUserByAddress(tx: ReadTransaction, address: string): Promise<UserRow | undefined> {
  const [holder] = await holdersOf(tx, { address, otherForm: address });
  return holder && findUser(tx, holder.workspace_id, holder.user_id);
}

const activeUser = statement((tx, p: { workspaceId: string; id: string }) =>
  tx
    .selectFrom('users as u')
    .leftJoin('workspace_moves as m', (join) =>
      join.onRef('m.workspace_id', '=', 'u.workspace_id').on('m.state', '=', sql.lit('left')),
    )
    .select('m.state as left')
    .where('u.workspace_id', '=', p.workspaceId)
    .where('u.id', '=', p.id)
    .where('u.state', '=', 'active'),
);

/**
 * The active user of any workspace that has an address in one of two forms (case folded); prefers the first form.
 * `hasLeft`: the workspace is served elsewhere. `likely`: who had the address before; is asked about without waiting for
 * who has it now.
 */
export async function findActiveHolder(
  tx: ReadTransaction,
  [address, otherForm]: readonly [own: string, other: string],
  likely?: { workspaceId: string; userId: string },
): Promise<{ workspaceId: string; userId: string; hasLeft: boolean } | undefined> {
  const find = (workspaceId: string, id: string) => activeUser(tx, { workspaceId, id });
  const [holders, found] = await Promise.all([
    holdersOf(tx, { address, otherForm }),
    likely && find(likely.workspaceId, likely.userId),
  ]);
  const first = holders.filter((row) => row.address === address);
  for (const { workspace_id: workspaceId, user_id: userId } of [...first, ...holders]) {
    const isLikely = workspaceId === likely?.workspaceId && userId === likely.userId;
    const [user] = isLikely && found ? found : await find(workspaceId, userId);
    if (user) return { workspaceId, userId, hasLeft: user.left !== null };
  }
  return undefined;
}

const HOLDER_COLUMNS = ['a.address', 'u.id', 'u.email', 'u.aliases', 'u.share_availability'] as const;

/**
 * Forces a lookup from each address to its user: for a plain join, either engine may read all users of the workspace.
 */
const findHolders = statement((tx, p: { workspaceId: string; addresses: string }) => {
  const user = tx
    .selectFrom('users as k')
    .select(['k.id', 'k.email', 'k.aliases', 'k.share_availability'])
    .where('k.workspace_id', '=', p.workspaceId)
    .where('k.id', '=', sql.ref<string>('a.user_id'))
    .limit(sql.lit(1));
  const addresses = tx
    .selectFrom('user_addresses as a')
    .where('a.workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'a.address', p.addresses));
  const holders =
    tx.engine === 'postgres'
      ? addresses.innerJoinLateral(user.as('u'), (join) => join.onTrue())
      : addresses
          .crossJoin('users as u')
          .where('u.workspace_id', '=', p.workspaceId)
          .whereRef('u.id', '=', 'a.user_id');
  return holders.select(HOLDER_COLUMNS);
});

/** As `findHolders`, for one address: the most frequent case, in half of the time. */
const findHolder = statement((tx, p: { workspaceId: string; address: string }) =>
  tx
    .selectFrom('user_addresses as a')
    .innerJoin('users as u', (join) =>
      join.onRef('u.workspace_id', '=', 'a.workspace_id').onRef('u.id', '=', 'a.user_id'),
    )
    .select(HOLDER_COLUMNS)
    .where('a.address', '=', p.address)
    .where('a.workspace_id', '=', p.workspaceId),
);

/** Those of these addresses (case folded) that belong to users of the workspace, with all addresses of these users. */
export function findHoldersOfAddresses(
  tx: ReadTransaction,
  workspaceId: string,
  addresses: readonly string[],
) {
  const [address] = addresses;
  if (addresses.length === 1 && address !== undefined) return findHolder(tx, { workspaceId, address });
  return findHolders(tx, { workspaceId, addresses: JSON.stringify(addresses) });
}

const workingHoursOf = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('users')
    .select(['id', 'time_zone', 'working_hours'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** The working hours of those of these ids that are users of the workspace. */
export function findWorkingHours(tx: ReadTransaction, workspaceId: string, ids: readonly string[]) {
  return workingHoursOf(tx, { workspaceId, ids: JSON.stringify(ids) });
}

const usersAmong = (tx: ReadTransaction, workspaceId: string, ids: readonly string[]) =>
  tx.selectFrom('users').select('id').where('workspace_id', '=', workspaceId).where('id', 'in', ids);

/** Those of these ids that are users of the workspace. */
export async function findUserIds(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  return (await usersAmong(tx, workspaceId, ids).execute()).map(({ id }) => id);
}

const namesOfUsers = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** The names and addresses of those of these ids that are users of the workspace, in any order. */
export function findUserNames(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string; email: string }[]> {
  return namesOfUsers(tx, { workspaceId, ids: JSON.stringify(ids) });
}

/** Those of these users that are active. */
export async function findActiveUserIds(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  const active = usersAmong(tx, workspaceId, ids).where('state', '=', 'active');
  return (await active.execute()).map(({ id }) => id);
}

/** Whether the workspace has an active owner other than this user. */
export async function hasOtherActiveOwner(tx: ReadTransaction, user: UserRow): Promise<boolean> {
  const other = await tx
    .selectFrom('users')
    .select('id')
    .where('workspace_id', '=', user.workspace_id)
    .where('is_owner', '=', 1)
    .where('state', '=', 'active')
    .where('id', '<>', user.id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

export async function insertUser(tx: WriteTransaction, user: UserRow): Promise<void> {
  await tx.insertInto('users').values(user).execute();
}

export async function updateUser(tx: WriteTransaction, user: UserRow): Promise<void> {
  const { workspace_id, id, ...columns } = user;
  await tx
    .updateTable('users')
    .set(columns)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
}

/**
 * Replaces the addresses (case folded) of a user. Returns the addresses that the user now has; the others belong to
 * another user, even if both transactions run at the same time.
 */
export async function replaceAddresses(
  tx: WriteTransaction,
  user: UserRow,
  addresses: readonly string[],
): Promise<string[]> {
  await tx
    .deleteFrom('user_addresses')
    .where('workspace_id', '=', user.workspace_id)
    .where('user_id', '=', user.id)
    .execute();
  // In one global order: prevents deadlocks between transactions that want the same addresses.
  const rows = addresses
    .toSorted()
    .map((address) => ({ address, workspace_id: user.workspace_id, user_id: user.id }));
  const inserted = await tx
    .insertInto('user_addresses')
    .values(rows)
    .onConflict((conflict) => conflict.column('address').doNothing())
    .returning('address')
    .execute();
  return inserted.map((row) => row.address);
}
