import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/server';
import { ApiError } from '../../contract/errors.ts';
import type { Calls } from './calls.ts';
import { callOperation } from './tool-calls.ts';

/** A kind of resource, and the operation that reads one by its id. */
interface Kind {
  operation: string;
  title: string;
}

/** What tools name by an id: atrium://message/msg_… (MCP-19). */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['message', { operation: 'getMessage', title: 'A message' }],
  ['draft', { operation: 'getDraft', title: 'A draft' }],
  ['filter', { operation: 'getMailFilter', title: 'A mail filter' }],
  ['contact', { operation: 'getContact', title: 'A contact' }],
  ['file', { operation: 'getFileContent', title: 'The text of a file' }],
  ['document', { operation: 'getDocumentContent', title: 'The Markdown of a document' }],
  ['spreadsheet', { operation: 'getSpreadsheet', title: 'The sheets of a spreadsheet' }],
  ['user', { operation: 'getUser', title: 'A person of the workspace' }],
]);

const RESOURCE_URI = /^atrium:\/\/([a-z]+)\/(\w{1,200})$/;

/** The kinds of resources that the caller may read. */
export function resourceTemplates(calls: Calls): ResourceTemplateType[] {
  return [...KINDS]
    .filter(([, { operation }]) => calls.operation(operation))
    .map(([name, { title }]) => ({ name, title, uriTemplate: `atrium://${name}/{id}` }));
}

/**
 * Reads a resource, or as much of it as an answer has: `atrium/next_cursor` is where the tool that reads it goes on
 * (MCP-16). Resolves with undefined where there is none, and where the key may not read it: a caller cannot tell
 * the two apart.
 */
export async function readResource(calls: Calls, uri: string): Promise<ReadResourceResult | undefined> {
  const [, name = '', id = ''] = RESOURCE_URI.exec(uri) ?? [];
  const kind = KINDS.get(name);
  const operation = kind && calls.operation(kind.operation);
  if (!operation) return undefined;
  try {
    const [agent] = [operation.agent ?? []].flat();
    const { data, nextCursor } = await callOperation(calls, operation, { id }, agent?.leavesOut);
    const [mimeType, text] = operation.content
      ? ['text/plain', (data as { text: string }).text]
      : ['application/json', JSON.stringify(data)];
    const _meta = { 'atrium/untrusted': true, 'atrium/next_cursor': nextCursor };
    return { contents: [{ uri, mimeType, text, _meta }] };
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}
