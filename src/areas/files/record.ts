import type { NewNodeRow, NodeRow } from './node-store.ts';
import { placeOf } from './place.ts';

/** A node before its record is made. */
export type NodeFields = Omit<NewNodeRow, 'place' | 'record'>;

/**
 * The node with its place, and its record as ready JSON. It is made when the node changes, so that a page is text from
 * the store on.
 */
export function withRecord<Fields extends NodeFields>(
  fields: Fields,
): Fields & Pick<NodeRow, 'place' | 'record'> {
  const record = fields.kind === 'folder' ? folderMembers(fields) : documentMembers(fields);
  return { ...fields, place: placeOf(fields), record };
}

/** A file or document of the interface. What is hidden with its folder is in the trash like the folder. */
export function documentJson({ record, state }: Pick<NodeRow, 'record' | 'state'>): string {
  return `{${record},"state":"${state === 'active' ? 'active' : 'trashed'}"}`;
}

/** A file folder of the interface. */
export function folderJson({ record, state }: Pick<NodeRow, 'record' | 'state'>): string {
  return `{${record},"trashed":${state !== 'active'}}`;
}

/** What only records of files have, ready for `facts`. */
export function fileFacts(file: { filename: string; mimeType: string; size: number }): string {
  return members({ filename: file.filename, mime_type: file.mimeType, size_bytes: file.size });
}

function documentMembers(node: NodeFields): string {
  const { id, kind, title, facts, owner_id, parent_id } = node;
  const place = members({ owner_id, folder_id: parent_id });
  return `${members({ id, type: kind, title })},${facts},${place},${members(times(node))}`;
}

function folderMembers(node: NodeFields): string {
  const { id, title, parent_id, owner_id } = node;
  return `${members({ id, name: title, parent_id, owner_id })},${members(times(node))}`;
}

/** `updated_at` comes last: touchNode relies on it. */
function times({ created_at, updated_at }: NodeFields) {
  return { created_at: new Date(created_at).toISOString(), updated_at: new Date(updated_at).toISOString() };
}

/** An object as JSON without its braces. */
function members(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
