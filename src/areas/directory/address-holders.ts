import type { ReadTransaction } from '../../storage/database.ts';
import { fold } from '../../text/fold.ts';
import { findHoldersOfAddresses } from './user-store.ts';

/** Whom an address belongs to. */
export interface AddressHolder {
  userId: string;
  sharesAvailability: boolean;
  /** Every address of the user, case folded. */
  addresses: string[];
}

/** The users of a workspace who hold these addresses, by address; all case folded. */
export async function findAddressHolders(
  tx: ReadTransaction,
  workspaceId: string,
  foldedAddresses: readonly string[],
): Promise<Map<string, AddressHolder>> {
  const rows = await findHoldersOfAddresses(tx, workspaceId, foldedAddresses);
  return new Map(
    rows.map((row) => {
      const aliases: string[] = row.aliases === '[]' ? [] : JSON.parse(row.aliases);
      const addresses = [row.email, ...aliases].map(fold);
      return [row.address, { userId: row.id, sharesAvailability: row.share_availability === 1, addresses }];
    }),
  );
}
