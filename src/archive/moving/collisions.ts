import { findMarker, hasMarker } from '../../blobs/store-marker.ts';
import type { Database, ReadTransaction } from '../../storage/database.ts';
import { appliedSteps } from '../../storage/schema/own-tables.ts';
import { addressForms } from '../../text/email-address.ts';
import { ArchiveError } from '../backup-directory.ts';
import type { Side } from './moved-blobs.ts';

const ADDRESSES_AT_ONCE = 500;
const SHOWN = 5;

/** Rejects with ArchiveError where both sides are of one installation, or one is of another version. */
export async function refuseSameSide(source: Side, target: Side): Promise<void> {
  const [here, there] = await Promise.all([source, target].map(({ database }) => database.read(findMarker)));
  if (here !== undefined && (here === there || (await hasMarker(target.blobs, here))))
    throw new ArchiveError(
      'Both installations have the same database or the same blob store. Name another installation, with a store of its own.',
    );
  const [mine, its] = await Promise.all([source, target].map(({ database }) => database.read(appliedSteps)));
  if (mine?.join() !== its?.join())
    throw new ArchiveError('The two installations have tables of different versions. Upgrade the older one.');
}

/** Rejects with ArchiveError where the target has the workspace or an address of it. Nothing has changed then. */
export async function refuseCollisions(source: Side, target: Side, workspaceId: string): Promise<void> {
  if (await target.database.read((tx) => hasWorkspace(tx, workspaceId)))
    throw new ArchiveError(
      `The other installation has a workspace ${workspaceId} already. Nothing was changed.`,
    );
  const taken = await takenAddresses(source.database, target.database, workspaceId);
  if (taken.length === 0) return;
  const shown = taken.slice(0, SHOWN).join(', ');
  const more = taken.length > SHOWN ? ` and ${taken.length - SHOWN} more` : '';
  throw new ArchiveError(
    `Users of the other installation have these addresses already: ${shown}${more}. Nothing was changed.`,
  );
}

async function hasWorkspace(tx: ReadTransaction, workspaceId: string): Promise<boolean> {
  const found = await tx.selectFrom('workspaces').select('id').where('id', '=', workspaceId).execute();
  return found.length > 0;
}

async function takenAddresses(source: Database, target: Database, workspaceId: string): Promise<string[]> {
  const addresses = await source.read((tx) =>
    tx
      .selectFrom('user_addresses')
      .select('address')
      .where('workspace_id', '=', workspaceId)
      .orderBy('address')
      .execute(),
  );
  const taken: string[] = [];
  for (let i = 0; i < addresses.length; i += ADDRESSES_AT_ONCE) {
    const some = addresses.slice(i, i + ADDRESSES_AT_ONCE).flatMap(({ address }) => addressForms(address));
    const found = await target.read((tx) =>
      tx.selectFrom('user_addresses').select('address').where('address', 'in', some).execute(),
    );
    taken.push(...found.map(({ address }) => address));
  }
  return taken;
}
