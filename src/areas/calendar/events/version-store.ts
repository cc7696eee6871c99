import { randomUUID } from 'node:crypto';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';

/** A statement takes a limited number of values; a version takes three. */
const VERSIONS_A_STATEMENT = 5_000;

const findVersions = statement((tx, p: { workspaceId: string; holders: string }) =>
  tx
    .selectFrom('calendar_versions')
    .select(['holder', 'version'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'holder', p.holders)),
);

/** As `findVersions`, for one person of one address, whom most questions are about: in half of the time. */
const findVersionsOfTwo = statement((tx, p: { workspaceId: string; first: string; second: string }) =>
  tx
    .selectFrom('calendar_versions')
    .select(['holder', 'version'])
    .where('workspace_id', '=', p.workspaceId)
    .where('holder', 'in', [p.first, p.second]),
);

/** The version of each holder whose busy times have ever changed. */
export async function listVersions(
  tx: ReadTransaction,
  workspaceId: string,
  holders: readonly string[],
): Promise<Map<string, string>> {
  const rows = await versionRows(tx, workspaceId, holders);
  return new Map(rows.map(({ holder, version }) => [holder, version]));
}

function versionRows(tx: ReadTransaction, workspaceId: string, holders: readonly string[]) {
  const [first, second = first] = holders;
  if (holders.length <= 2 && first !== undefined && second !== undefined)
    return findVersionsOfTwo(tx, { workspaceId, first, second });
  return findVersions(tx, { workspaceId, holders: JSON.stringify(holders) });
}

/**
 * Gives holders another version, in the transaction that changes what keeps them busy. A number that counts could come
 * again after a crash took it back; this one cannot.
 */
export async function renewVersions(
  tx: WriteTransaction,
  workspaceId: string,
  holders: Iterable<string>,
): Promise<void> {
  const version = randomUUID();
  // In one order, so that two who change the same holders wait for each other one way only.
  const rows = [...new Set(holders)].sort().map((holder) => ({ workspace_id: workspaceId, holder, version }));
  for (let i = 0; i < rows.length; i += VERSIONS_A_STATEMENT) {
    await tx
      .insertInto('calendar_versions')
      .values(rows.slice(i, i + VERSIONS_A_STATEMENT))
      .onConflict((conflict) => conflict.columns(['workspace_id', 'holder']).doUpdateSet({ version }))
      .execute();
  }
}
