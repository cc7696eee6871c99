import { JsonText, type Page, type PageRequest } from '../../../contract/answers.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import type { NodeKind } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { documentJson } from '../record.ts';
import type { Rights } from '../rights.ts';
import { withGrants } from '../sharing/grant-store.ts';
import { listNodes } from './listing-store.ts';
import { searchNodes } from './search-store.ts';

/** Which nodes a listing shows; its parts combine by and. */
export interface NodeFilter {
  kinds: readonly NodeKind[];
  /** Only in this folder, "" for the root; anywhere when undefined. */
  folderId: string | undefined;
  /** A fragment of the title; "" for all. */
  q: string;
  /** The user's own nodes that were trashed themselves, instead of everything active that the user reaches. */
  trashed: boolean;
}

/** One page of what a user reaches, newest first, as ready JSON. */
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
    principalIds: trashed ? [] : await withGrants(tx, await rights.principalIdsOf(tx, user)),
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
