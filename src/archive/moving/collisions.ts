import { findMarker, hasMarker } from '../../blobs/store-marker.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { appliedSteps } from '../../storage/schema/own-tables.ts';
import { addressForms, twofoldDomains } from '../../text/email-address.ts';
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
  const addresses = await addressesOf(source.database, workspaceId);
  await refuseTaken(addresses, (some) => target.database.read((tx) => holdersOf(tx, some)));
}

/** The addresses of a workspace that have two forms. */
export async function twofoldAddresses(source: Database, workspaceId: string): Promise<string[]> {
  return (await addressesOf(source, workspaceId)).filter((address) => twofoldDomains([address]).length > 0);
}

/**
 * Rejects with ArchiveError where somebody at the target has one of these addresses, which have two forms, in either. Called before
 * the first write of the transaction that gives them to the target, under the locks of whoever takes one: no index compares forms.
 * Of addresses with one form, an index refuses a second holder.
 */
export async function refuseOtherForms(tx: WriteTransaction, twofold: readonly string[]): Promise<void> {
  for (const domain of twofoldDomains(twofold)) await tx.lockInstallation(`addresses of ${domain}`);
  await refuseTaken(twofold, (some) => holdersOf(tx, some));
}

type Held = readonly { address: string }[];

/** `find`: which of these addresses somebody at the target has. */
async function refuseTaken(
  addresses: readonly string[],
  find: (some: readonly string[]) => Promise<Held>,
): Promise<void> {
  const taken: string[] = [];
  for (let i = 0; i < addresses.length; i += ADDRESSES_AT_ONCE) {
    const some = addresses.slice(i, i + ADDRESSES_AT_ONCE);
    // Also as they are: one may be of an older form than these two.
    const held = await find([...new Set([...some, ...some.flatMap(addressForms)])]);
    taken.push(...held.map(({ address }) => address));
  }
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

function holdersOf(tx: ReadTransaction, addresses: readonly string[]): Promise<Held> {
  return tx.selectFrom('user_addresses').select('address').where('address', 'in', addresses).execute();
}

async function addressesOf(source: Database, workspaceId: string): Promise<string[]> {
  const rows = await source.read((tx) =>
    tx
      .selectFrom('user_addresses')
      .select('address')
      .where('workspace_id', '=', workspaceId)
      .orderBy('address')
      .execute(),
  );
  return rows.map(({ address }) => address);
}
