import type { ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/server';
import { ApiError } from '../../contract/errors.ts';
import type { Calls } from './calls.ts';
import { textOf } from './content-text.ts';

/** A kind of resource, and the operation that reads one by its id. */
interface Kind {
  operation: string;
  title: string;
  leavesOut?: readonly string[];
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
 * Reads a resource. Resolves with undefined where there is none, and where the key may not read it: a caller cannot tell
 * the two apart.
 */
export async function readResource(calls: Calls, uri: string): Promise<ReadResourceResult | undefined> {
  const [, name = '', id = ''] = RESOURCE_URI.exec(uri) ?? [];
  const kind = KINDS.get(name);
  if (!kind || !calls.operation(kind.operation)) return undefined;
  try {
    const called = await calls.call(kind.operation, { id });
    if (!called.content) {
      const text = JSON.stringify(called.data);
      return { contents: [{ uri, mimeType: 'application/json', text, ...MARKED }] };
    }
    const { text } = await textOf(called.content);
    return { contents: [{ uri, mimeType: 'text/plain', text, ...MARKED }] };
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

const MARKED = { _meta: { 'atrium/untrusted': true } };
