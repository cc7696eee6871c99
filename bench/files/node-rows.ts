import type { NodeRow } from '../../src/areas/drive/node-store.ts';
import { fileFacts, withRecord } from '../../src/areas/drive/record.ts';
import type { DriveOwner } from '../../src/areas/drive/service.ts';
import { newId } from '../../src/platform/ids.ts';
import { fold } from '../../src/text/fold.ts';

const BEGUN = Date.UTC(2026, 0, 1);

/** The row of an active file without bytes in a folder; `number` is its key, and how many seconds it is younger than others. */
export function fileRow(
  { workspaceId, userId }: DriveOwner,
  { folderId, number, title }: { folderId: string; number: number; title: string },
): NodeRow {
  return withRecord({
    number,
    workspace_id: workspaceId,
    id: newId('file'),
    kind: 'file',
    owner_id: userId,
    parent_id: folderId,
    title,
    search_text: fold(title),
    state: 'active',
    facts: fileFacts({ filename: title, mimeType: 'application/pdf', size: 0 }),
    created_at: BEGUN + number * 1000,
    updated_at: BEGUN + number * 1000,
  });
}
