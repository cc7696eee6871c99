import type { ToolArguments } from '../../contract/agent-tool.ts';
import { missingPermission } from '../../contract/errors.ts';
import type { Called, Calls } from './calls.ts';
import { invalidCursor, MAX_ROWS } from './portions.ts';

/** A tool that calls several operations. The answer is that of its main one, with what the others add. */
type ComposedTool = (calls: Calls, given: ToolArguments) => Promise<ComposedAnswer>;

/** `nextCursor`: where the tool itself divides its answer into pages. */
export type ComposedAnswer = Called & { nextCursor?: string };

/** The tools that are more than one operation, by name. */
export const COMPOSED_TOOLS: ReadonlyMap<string, ComposedTool> = new Map([
  ['whoami', whoAmI],
  ['list_drive', listDrive],
  ['write_document', writeDocument],
]);

interface Named {
  id: string;
  name: string;
}

/** The key and its user, with the ids that the tools for events and contacts take. */
async function whoAmI(calls: Calls): Promise<Called> {
  const key = await calls.call('getOwnApiKey', {});
  const listed = async (operation: string) =>
    calls.operation(operation) ? (await calls.call(operation, {})).data : undefined;
  const calendars = (await listed('listCalendars')) as Named[] | undefined;
  const books = (await listed('listAddressBooks')) as Named[] | undefined;
  const data = {
    user: await listed('getOwnUser'),
    key: key.data,
    calendars: calendars?.slice(0, MAX_ROWS).map(named),
    address_books: books?.slice(0, MAX_ROWS).map(named),
  };
  return { operation: key.operation, data, isReplayed: false };
}

function named({ id, name }: Named): Named {
  return { id, name };
}

/** What a folder of the drive holds, one kind after the other. */
const IN_DRIVE = [
  { stage: 'folders', operation: 'listFileFolders', rows: folderRows },
  { stage: 'files', operation: 'listFiles', rows: pagedRows },
  { stage: 'documents', operation: 'listDocuments', rows: pagedRows },
] as const;

const DRIVE_CURSOR = /^(folders|files|documents)\.([\w-]*)$/;

/** Rows of one kind from a cursor on: at most `limit`, and where the next begin. */
interface Rows {
  called: Called;
  rows: readonly unknown[];
  next: string;
}

/** The folders in a folder, by name, and behind them its files and its documents. */
async function listDrive(calls: Calls, given: ToolArguments): Promise<ComposedAnswer> {
  const [, from = 'folders', within = ''] = DRIVE_CURSOR.exec(String(given.cursor ?? 'folders.')) ?? [];
  if (given.cursor !== undefined && !DRIVE_CURSOR.test(String(given.cursor))) throw invalidCursor();
  const stages = IN_DRIVE.slice(IN_DRIVE.findIndex(({ stage }) => stage === from)).filter(({ operation }) =>
    calls.operation(operation),
  );
  const data: unknown[] = [];
  let last: Called | undefined;
  for (const { stage, operation, rows: read } of stages) {
    const room = MAX_ROWS - data.length;
    const cursor = stage === from ? within : '';
    if (room === 0 && last) return { ...last, data, nextCursor: `${stage}.` };
    const { called, rows, next } = await read(calls, operation, { given, cursor, limit: room });
    data.push(...rows);
    last = called;
    if (next !== '') return { ...last, data, nextCursor: `${stage}.${next}` };
  }
  if (last === undefined) throw missingPermission('files.read');
  return { ...last, data, nextCursor: '' };
}

interface Wanted {
  given: ToolArguments;
  cursor: string;
  limit: number;
}

/** The members of a listing that all kinds have. */
function filtersOf({ q, trashed, shared }: ToolArguments): ToolArguments {
  return { q, trashed, shared };
}

/** Without q and the lists that have no folders, what lies in the folder, or in the root. */
function folderOf({ folder_id: id, q, trashed, shared }: ToolArguments): unknown {
  const isEverywhere = Boolean(q) || trashed === true || shared === true;
  return isEverywhere ? id : (id ?? '');
}

async function pagedRows(calls: Calls, operation: string, { given, cursor, limit }: Wanted): Promise<Rows> {
  const page = cursor === '' ? { limit } : { limit, cursor };
  const called = await calls.call(operation, { ...filtersOf(given), folder_id: folderOf(given), ...page });
  return { called, rows: called.data as unknown[], next: called.pagination?.next_cursor ?? '' };
}

interface Folder extends Named {
  parent_id: string;
}

/** All folders come in one answer: a cursor is their number before it. */
async function folderRows(calls: Calls, operation: string, { given, cursor, limit }: Wanted): Promise<Rows> {
  const { trashed, shared, q = '' } = given;
  const called = await calls.call(operation, { trashed, shared });
  const searched = String(q).toLowerCase();
  const parent = folderOf(given);
  const folders = (called.data as Folder[])
    .filter((folder) => parent === undefined || folder.parent_id === parent)
    .filter(({ name }) => name.toLowerCase().includes(searched))
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  const begin = Number(cursor);
  const rows = folders.slice(begin, begin + limit).map(folderRow);
  const end = begin + rows.length;
  return { called, rows, next: end < folders.length ? String(end) : '' };
}

function folderRow({ id, name, parent_id }: Folder) {
  return { id, type: 'folder', name, parent_id };
}

/** A new document with its content, or the next content of one. Each step is done once, also where a call is repeated. */
async function writeDocument(calls: Calls, given: ToolArguments): Promise<Called> {
  const { id, type = 'document', title, folder_id, content, if_match, idempotency_key: key } = given;
  if (id !== undefined)
    return calls.call('putDocumentContent', { id, content, if_match, idempotency_key: key });
  const created = await calls.call('createDocument', { type, title, folder_id, idempotency_key: key });
  if (content === undefined || type !== 'document') return created;
  const made = created.data as { id: string };
  const written = await calls.call('putDocumentContent', {
    id: made.id,
    content,
    if_match: '*',
    idempotency_key: key === undefined ? undefined : `${key}.content`,
  });
  const { state } = written.data as { state: string };
  return { ...created, state };
}
