import type { ToolArguments } from '../../contract/agent-tool.ts';
import { missingPermission } from '../../contract/errors.ts';
import type { Permission } from '../../contract/permissions.ts';
import { invalid } from '../../contract/validation.ts';
import { idempotencyKeyOf } from '../../once/idempotency.ts';
import type { Called, Calls } from './calls.ts';
import { refuseOthers } from './own-arguments.ts';
import { invalidCursor, MAX_CHARACTERS, MAX_ROWS, tooLong } from './portions.ts';

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

interface OwnKey {
  user_id: string;
}

/** What the user of a key is called, the API tells with this permission alone (DIR-4). */
const NAMELESS: { missing_permission: Permission } = { missing_permission: 'directory.read' };

/** The key and its user, with the ids that the tools for events and contacts take. */
async function whoAmI(calls: Calls, given: ToolArguments): Promise<Called> {
  refuseOthers(given, ['cursor']);
  const key = await calls.call('getOwnApiKey', {});
  const listed = async (operation: string) =>
    calls.operation(operation) ? (await calls.call(operation, {})).data : undefined;
  const calendars = (await listed('listCalendars')) as Named[] | undefined;
  const books = (await listed('listAddressBooks')) as Named[] | undefined;
  const data = {
    user: (await listed('getOwnUser')) ?? { id: (key.data as OwnKey).user_id, ...NAMELESS },
    key: key.data,
    calendars: calendars?.map(named),
    address_books: books?.map(named),
  };
  return { operation: key.operation, data, isReplayed: false };
}

/** An argument that is a text; undefined where it is not given. Throws ApiError validation_failed for anything else. */
function textIn(given: ToolArguments, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || typeof value === 'string') return value;
  throw invalid([{ parameter: name, code: 'wrong_type', message: 'Give a text.' }]);
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
  refuseOthers(given, ['folder_id', 'q', 'trashed', 'shared', 'cursor']);
  const begin = DRIVE_CURSOR.exec(textIn(given, 'cursor') ?? 'folders.');
  if (!begin) throw invalidCursor();
  const [, from, within = ''] = begin;
  const stages = IN_DRIVE.slice(IN_DRIVE.findIndex(({ stage }) => stage === from)).filter(({ operation }) =>
    calls.operation(operation),
  );
  const data: unknown[] = [];
  let last: Called | undefined;
  for (const { stage, operation, rows: read } of stages) {
    const cursor = stage === from ? within : '';
    const limit = MAX_ROWS - data.length;
    const found =
      limit === 0
        ? undefined
        : await rowsWithin(data, limit, (few) => read(calls, operation, { given, cursor, limit: few }));
    if (!found) {
      if (!last) throw tooLong();
      return { ...last, data, nextCursor: `${stage}.${cursor}` };
    }
    data.push(...found.rows);
    last = found.called;
    if (found.next !== '') return { ...last, data, nextCursor: `${stage}.${found.next}` };
  }
  if (last === undefined) throw missingPermission('files.read');
  return { ...last, data, nextCursor: '' };
}

/** As many rows as an answer has room for beside those before them: at most `limit`; undefined where not even one fits. */
async function rowsWithin(
  before: readonly unknown[],
  limit: number,
  read: (limit: number) => Promise<Rows>,
): Promise<Rows | undefined> {
  const room = MAX_CHARACTERS - JSON.stringify(before).length;
  for (let few = limit; ; ) {
    const found = await read(few);
    const { length } = found.rows;
    const characters = JSON.stringify(found.rows).length;
    if (characters <= room || length === 0) return found;
    if (length === 1) return undefined;
    few = Math.max(1, Math.floor((length * room * 0.9) / characters));
  }
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
  if (!/^\d{0,9}$/.test(cursor)) throw invalidCursor();
  const { trashed, shared } = given;
  const called = await calls.call(operation, { trashed, shared });
  const searched = (textIn(given, 'q') ?? '').toLowerCase();
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

/**
 * A new document with its content, or the next content of one. Each step is done once, also where a call is repeated: the
 * first step is another where the content is another.
 */
async function writeDocument(calls: Calls, given: ToolArguments): Promise<Called> {
  const { id, type = 'document', title, folder_id, if_match, idempotency_key } = given;
  if (id !== undefined) {
    refuseOthers(given, ['id', 'content', 'if_match', 'idempotency_key']);
    return calls.call('putDocumentContent', { id, content: given.content, if_match, idempotency_key });
  }
  const hasContent = type === 'document';
  refuseOthers(given, ['type', 'title', 'folder_id', 'idempotency_key', ...(hasContent ? ['content'] : [])]);
  const content = storableContent(given);
  const key = textIn(given, 'idempotency_key');
  const contentKey = key === undefined ? undefined : idempotencyKeyOf(`${key}.content`);
  const created = await calls.call(
    'createDocument',
    { type, title, folder_id, idempotency_key },
    { whole: given },
  );
  if (content === undefined) return created;
  const made = created.data as { id: string };
  const written = await calls.call('putDocumentContent', {
    id: made.id,
    content,
    if_match: '*',
    idempotency_key: contentKey,
  });
  const { state } = written.data as { state: string };
  return { ...created, state };
}

/** The content, if any. Throws ApiError validation_failed for one that the second step would refuse after the first. */
function storableContent(given: ToolArguments): string | undefined {
  const content = textIn(given, 'content');
  if (content?.includes('\0') || content?.isWellFormed() === false) {
    const message = 'The content must not contain U+0000, nor half of a surrogate pair.';
    throw invalid([{ pointer: '/content', code: 'unsupported_characters', message }]);
  }
  return content;
}
