import { JsonText, type Page, type PageRequest } from '../../../contract/answers.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import type { NodeKind } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { documentJson } from '../record.ts';
import type { Rights } from '../rights.ts';
import { grantedPrincipals } from '../sharing/grant-store.ts';
import { listNodes } from './listing-store.ts';
import { searchNodes } from './search-store.ts';

/** Conditions for listed nodes. All of them must hold. */
export interface NodeFilter {
  kinds: readonly NodeKind[];
  /** The folder, "" for the root; undefined for any folder. */
  folderId: string | undefined;
  /** Fragment of the title; "" matches all. */
  q: string;
  /** The user's own nodes that were trashed themselves, instead of all active nodes that the user has access to. */
  trashed: boolean;
}

/** One page of the nodes that a user has access to, newest first, as JSON text. */
export async function pageOfNodes(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
  filter: NodeFilter,
  page: PageRequest,
): Promise<Page> {
  const { kinds, folderId, q, trashed } = filter;
  const state = trashed ? 'trashed' : 'active';
  const fragment = fold(q);
  const rows = await (fragment === '' ? listNodes : searchNodes)(tx, user, {
    kinds,
    principalIds: trashed ? [] : await grantedPrincipals(tx, await rights.principalIdsOf(tx, user)),
    state,
    folderId,
    fragment,
    after: String(page.after?.[0] ?? ''),
    limit: page.limit,
  });
  const last = rows.at(-1);
  return {
    items: new JsonText(`[${rows.map((row) => documentJson({ ...row, state })).join()}]`),
    count: rows.length,
    last: last && [last.place],
  };
}
