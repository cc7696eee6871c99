import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { fenced } from './answers.ts';
import type { Calls } from './calls.ts';
import { type Portion, portionOf } from './portions.ts';
import { callOperation } from './tool-calls.ts';

/** A kind of resource, and the operation that reads one. */
interface Kind {
  operation: string;
  title: string;
  /** Whether nobody but the user and those who administer the workspace has written it. */
  isOwn?: true;
  /** Where the operation lists all that there are, instead of reading one by its id: with which queries. */
  listedBy?: readonly ToolArguments[];
}

const ALL: readonly ToolArguments[] = [{}];

/** What tools name by an id: atrium://message/msg_… (MCP-42). */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['message', { operation: 'getMessage', title: 'A message' }],
  ['thread', { operation: 'listThreadMessages', title: 'The messages of a conversation' }],
  ['attachment', { operation: 'getAttachment', title: 'The text of an attachment of a message' }],
  ['draft', { operation: 'getDraft', title: 'A draft' }],
  ['folder', { operation: 'listMailFolders', title: 'A mail folder', isOwn: true, listedBy: ALL }],
  ['filter', { operation: 'getMailFilter', title: 'A mail filter', isOwn: true }],
  ['contact', { operation: 'getContact', title: 'A contact' }],
  ['address-book', { operation: 'listAddressBooks', title: 'An address book', isOwn: true, listedBy: ALL }],
  ['file', { operation: 'getFileContent', title: 'The text of a file' }],
  [
    'file-folder',
    { operation: 'listFileFolders', title: 'A folder of the drive', listedBy: [...ALL, { trashed: true }] },
  ],
  ['document', { operation: 'getDocumentContent', title: 'The Markdown of a document' }],
  ['spreadsheet', { operation: 'getSpreadsheet', title: 'The sheets of a spreadsheet' }],
  ['calendar', { operation: 'listCalendars', title: 'A calendar', isOwn: true, listedBy: ALL }],
  ['event', { operation: 'getEvent', title: 'An event on a calendar' }],
  ['user', { operation: 'getUser', title: 'A person of the workspace', isOwn: true }],
]);

const RESOURCE_URI = /^atrium:\/\/([a-z-]+)((?:\/\w{1,200}){1,2})$/;

/** The kinds of resources that the caller may read. */
export function resourceTemplates(calls: Calls): ResourceTemplateType[] {
  return Array.from(KINDS).flatMap(([name, kind]) => {
    const operation = calls.operation(kind.operation);
    if (!operation) return [];
    const ids = idsOf(kind, operation).map((id) => `{${id}}`);
    return [{ name, title: kind.title, uriTemplate: `atrium://${name}/${ids.join('/')}` }];
  });
}

/** The names of the ids in the address of a resource: those in the path of the operation. */
function idsOf({ listedBy }: Kind, { params }: Operation): string[] {
  return listedBy ? ['id'] : Object.keys(params?.properties ?? {});
}

/**
 * Reads a resource, or as much of it as an answer has: `atrium/next_cursor` is where the tool that reads it goes on
 * (MCP-16). Resolves with undefined where there is none, where it has no text, and where the key may not read it: a caller
 * cannot tell them apart.
 */
export async function readResource(calls: Calls, uri: string): Promise<ReadResourceResult | undefined> {
  const [, name = '', path = ''] = RESOURCE_URI.exec(uri) ?? [];
  const kind = KINDS.get(name);
  const operation = kind && calls.operation(kind.operation);
  if (!operation) return undefined;
  const names = idsOf(kind, operation);
  const ids = path.split('/').slice(1);
  if (ids.length !== names.length) return undefined;
  const given = Object.fromEntries(names.map((id, index) => [id, ids[index]]));
  try {
    const portion = await (kind.listedBy
      ? listedOne(calls, operation, kind.listedBy, given)
      : oneOf(calls, operation, given));
    return portion && { contents: [contentOf(uri, kind, operation, portion)] };
  } catch (error) {
    if (error instanceof ApiError && isNoResource(error)) return undefined;
    throw error;
  }
}

/** Bytes that have no text are no resource, whatever they are (MCP-43). */
function isNoResource({ status, code }: ApiError): boolean {
  return status === 403 || status === 404 || code === 'unreadable_file';
}

async function oneOf(calls: Calls, operation: Operation, given: ToolArguments): Promise<Portion> {
  const [agent] = [operation.agent ?? []].flat();
  return callOperation(calls, operation, given, agent?.leavesOut);
}

/** The one with this id among all that an operation lists in one answer; undefined where there is none. */
async function listedOne(
  calls: Calls,
  operation: Operation,
  queries: readonly ToolArguments[],
  { id }: ToolArguments,
): Promise<Portion | undefined> {
  for (const query of queries) {
    const { data } = await calls.call(operation.id, query);
    const found = (data as { id: string }[]).find((one) => one.id === id);
    if (found) return portionOf(found);
  }
  return undefined;
}

/** One text: what others may have written between marks, whose name `atrium/mark` tells to programs (MCP-43). */
function contentOf(
  uri: string,
  { isOwn }: Kind,
  { content }: Operation,
  { data, nextCursor }: Portion,
): ReadResourceResult['contents'][number] {
  const text = content ? (data as { text: string }).text : JSON.stringify(data);
  const cursor = { 'atrium/next_cursor': nextCursor };
  if (isOwn) return { uri, mimeType: 'application/json', text, _meta: cursor };
  const { mark, text: marked } = fenced(text);
  const _meta = { 'atrium/untrusted': true, 'atrium/mark': mark, ...cursor };
  // With the marks it is no JSON.
  return { uri, mimeType: 'text/plain', text: marked, _meta };
}
