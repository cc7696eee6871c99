import type { NodeRow } from './node-store.ts';

/** A file of the interface. What is hidden with its folder is in the trash like the folder. */
export function fileJson(row: NodeRow): string {
  const state = row.state === 'active' ? 'active' : 'trashed';
  return `{"id":"${row.id}","type":"file","title":${JSON.stringify(row.title)},${row.facts},"state":"${state}",${placeJson(row)}}`;
}

function placeJson({ owner_id, parent_id, created_at, updated_at }: NodeRow): string {
  const [created, updated] = [new Date(created_at).toISOString(), new Date(updated_at).toISOString()];
  return `"owner_id":"${owner_id}","folder_id":"${parent_id}","created_at":"${created}","updated_at":"${updated}"`;
}

/** The members of a file's record that never change, ready for `facts`. */
export function fileFacts(file: { filename: string; mimeType: string; size: number }): string {
  const members = { filename: file.filename, mime_type: file.mimeType, size_bytes: file.size };
  return JSON.stringify(members).slice(1, -1);
}
