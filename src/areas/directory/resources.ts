import type { Page, PageRequest } from '../../contract/answers.ts';
import { afterId, pageById } from '../../contract/id-order.ts';
import { requireValues } from '../../contract/required-values.ts';
import { newId } from '../../platform/ids.ts';
import { WORKSPACE_AUDIENCE } from '../../storage/changes.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import * as store from './resource-store.ts';
import { NewResource, type Resource } from './schema.ts';

/** The resources of a workspace in order of creation. */
export async function listResources(
  tx: ReadTransaction,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<Resource>> {
  return pageById(await store.listResources(tx, workspaceId, afterId(page), page.limit), resourceRecord);
}

export async function createResource(
  tx: WriteTransaction,
  workspaceId: string,
  given: NewResource,
): Promise<Resource> {
  requireValues(NewResource, given);
  const now = Date.now();
  const row = {
    workspace_id: workspaceId,
    id: newId('res'),
    name: given.name,
    kind: given.kind,
    capacity: given.capacity ?? null,
    created_at: now,
    updated_at: now,
  };
  await store.insertResource(tx, row);
  const ids = { resource_id: row.id };
  tx.emit({ workspaceId, type: 'resource.created', viewers: [WORKSPACE_AUDIENCE], ids });
  return resourceRecord(row);
}

function resourceRecord(row: store.ResourceRow): Resource {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    ...(row.capacity !== null && { capacity: row.capacity }),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
