import type { NodeRow } from './node-store.ts';

/** A file of the interface. What is hidden with its folder is in the trash like the folder. */
export function fileJson(row: NodeRow): string {
  const state = row.state === 'active' ? 'active' : 'trashed';
  return `{"id":"${row.id}","type":"file","title":${JSON.stringify(row.title)},${row.facts},"state":"${state}","owner_id":"${row.owner_id}","folder_id":"${row.parent_id}",${timesJson(row)}}`;
}

/** A file folder of the interface. */
export function folderJson(row: NodeRow): string {
  const trashed = row.state !== 'active';
  return `{"id":"${row.id}","name":${JSON.stringify(row.title)},"parent_id":"${row.parent_id}","owner_id":"${row.owner_id}","trashed":${trashed},${timesJson(row)}}`;
}

function timesJson({ created_at, updated_at }: NodeRow): string {
  const created = new Date(created_at).toISOString();
  const updated = updated_at === created_at ? created : new Date(updated_at).toISOString();
  return `"created_at":"${created}","updated_at":"${updated}"`;
}

/** The members of a file's record that never change, ready for `facts`. */
export function fileFacts(file: { filename: string; mimeType: string; size: number }): string {
  const members = { filename: file.filename, mime_type: file.mimeType, size_bytes: file.size };
  return JSON.stringify(members).slice(1, -1);
}
