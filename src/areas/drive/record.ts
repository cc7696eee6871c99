import { ID_DIGITS } from '../../platform/ids.ts';
import { jsonMembers } from '../../text/json-members.ts';
import type { NewNodeRow, NodeRow } from './node-store.ts';

/** A node before its record is made. */
export type NodeFields = Omit<NewNodeRow, 'place' | 'record'>;

/** What the record of the interface is made of. */
export type RecordedNode = Pick<NodeRow, 'record' | 'updated_at' | 'state'>;

/**
 * The node with its place, and with the members of its record that are stored as ready JSON. They are made when the node
 * changes, so that a page is put together of texts.
 */
export function withRecord<Fields extends NodeFields>(
  fields: Fields,
): Fields & Pick<NodeRow, 'place' | 'record'> {
  const record = fields.kind === 'folder' ? folderMembers(fields) : documentMembers(fields);
  return { ...fields, place: listingSortKey(fields), record };
}

/**
 * A file or document of the interface, with the members of `more` at its end. What is hidden with its folder is in the
 * trash like the folder.
 */
export function documentJson({ record, updated_at, state }: RecordedNode, more?: object): string {
  const shown = state === 'active' ? 'active' : 'trashed';
  const members = [record, jsonMembers({ updated_at: timeOf(updated_at), state: shown })];
  if (more) members.push(jsonMembers(more));
  return `{${members.join()}}`;
}

/** A file folder of the interface. */
export function folderJson({ record, updated_at, state }: RecordedNode): string {
  return `{${record},${jsonMembers({ updated_at: timeOf(updated_at), trashed: state !== 'active' })}}`;
}

/** What only records of files have, ready for `facts`. */
export function fileFacts(file: { filename: string; mimeType: string; size: number }): string {
  return jsonMembers({ filename: file.filename, mime_type: file.mimeType, size_bytes: file.size });
}

function documentMembers(node: NodeFields): string {
  const { id, kind, title, facts, owner_id, parent_id, created_at } = node;
  const rest = jsonMembers({ owner_id, folder_id: parent_id, created_at: timeOf(created_at) });
  return `${jsonMembers({ id, type: kind, title })},${facts},${rest}`;
}

function folderMembers({ id, title, parent_id, owner_id, created_at }: NodeFields): string {
  return jsonMembers({ id, name: title, parent_id, owner_id, created_at: timeOf(created_at) });
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Milliseconds since the epoch; base 32 has nine digits for them. */
const LATEST = 2 ** 45 - 1;

/** The place of a node in the order of every listing, newest first and then by id: a text that sorts so. */
export function listingSortKey({ id, created_at }: Pick<NodeRow, 'id' | 'created_at'>): string {
  const time = (LATEST - created_at).toString(32).padStart(9, '0');
  return time + [...id.slice(id.indexOf('_') + 1)].map(opposite).join('');
}

function opposite(digit: string): string {
  return ID_DIGITS[ID_DIGITS.length - 1 - ID_DIGITS.indexOf(digit)] ?? digit;
}
