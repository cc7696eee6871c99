import { jsonMembers } from '../../contract/json.ts';
import { ID_DIGITS } from '../../platform/ids.ts';
import type { NewNodeRow, NodeRow } from './node-store.ts';

/** A node whose record has not been built yet. */
export type NodeFields = Omit<NewNodeRow, 'place' | 'record'>;

/** The columns from which a record of the API is built. */
export type RecordedNode = Pick<NodeRow, 'record' | 'updated_at' | 'state'>;

/**
 * Adds the sort key (column `place`) and the members of the record as JSON text. They are built when the node changes,
 * so that listing a page only joins texts.
 */
export function withRecord<Fields extends NodeFields>(
  fields: Fields,
): Fields & Pick<NodeRow, 'place' | 'record'> {
  const record = fields.kind === 'folder' ? folderMembers(fields) : documentMembers(fields);
  return { ...fields, place: listingSortKey(fields), record };
}

/**
 * The API record of a file or document, with the members of `more` at its end. A node that is hidden with its folder is
 * reported as trashed, like the folder.
 */
export function documentJson({ record, updated_at, state }: RecordedNode, more?: object): string {
  const shown = state === 'active' ? 'active' : 'trashed';
  // A page has this text for each node; neither a time nor a state has a character to escape.
  const beside = more === undefined ? '' : `,${jsonMembers(more)}`;
  return `{${record},"updated_at":"${timeOf(updated_at)}","state":"${shown}"${beside}}`;
}

/** The API record of a file folder. */
export function folderJson({ record, updated_at, state }: RecordedNode): string {
  return `{${record},"updated_at":"${timeOf(updated_at)}","trashed":${state !== 'active'}}`;
}

/** The members that only records of files have, for the column `facts`. */
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

/** The largest number of milliseconds since the epoch that nine digits in base 32 can represent. */
const LATEST = 2 ** 45 - 1;

/** The sort key of a node in every listing: its text order is newest first, then by id. */
export function listingSortKey({ id, created_at }: Pick<NodeRow, 'id' | 'created_at'>): string {
  const time = (LATEST - created_at).toString(32).padStart(9, '0');
  return time + [...id.slice(id.indexOf('_') + 1)].map(opposite).join('');
}

function opposite(digit: string): string {
  return ID_DIGITS[ID_DIGITS.length - 1 - ID_DIGITS.indexOf(digit)] ?? digit;
}
