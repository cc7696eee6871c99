/**
 * Calls of tools over the Model Context Protocol, one after the other, beside the operations that they call, in a mailbox of
 * 20,000 messages. To reach: a call costs at most 2 ms more than its operation, in both revisions.
 */
import { type LoadRequest, load } from './load.ts';
import { importedMailbox } from './mail/import-mailbox.ts';
import { HEADERS, type Server, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MESSAGES = 20_000;
const SECONDS = 1;
const ROUNDS = 3;

const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol';

/** A tool with its arguments, and the request that calls the same operation. */
const CALLS = [
  { tool: 'list_folders', given: {}, path: '/v1/folders' },
  {
    tool: 'list_messages',
    given: { folder_id: ['inbox'], limit: 50 },
    path: '/v1/messages?folder_id=inbox&limit=50',
  },
  { tool: 'find_people', given: { q: 'o' }, path: '/v1/users?q=o' },
] as const;

export async function bench(): Promise<Figure[]> {
  const atrium = await startAtrium(await importedMailbox(MESSAGES));
  try {
    const figures: Figure[] = [];
    for (const call of CALLS)
      for (const isModern of [true, false]) {
        const { tool, operation } = await costs(atrium, call, isModern);
        const revision = isModern ? MODERN : 'the one before';
        figures.push({ name: `${call.tool} by ${revision}`, unit: 'ms', value: tool, ceiling: operation });
        figures.push({ name: `what ${call.tool} by ${revision} adds`, unit: 'ms', value: tool - operation });
      }
    return figures;
  } finally {
    await atrium.stop();
  }
}

/** The median of rounds of a call and of its operation, in turns, in milliseconds. */
async function costs(
  { url }: Server,
  { tool, given, path }: (typeof CALLS)[number],
  isModern: boolean,
): Promise<{ tool: number; operation: number }> {
  const requests: Record<'tool' | 'operation', LoadRequest> = {
    tool: toolRequest(tool, given, isModern),
    operation: { method: 'GET', path, headers: HEADERS },
  };
  const measured = { tool: [] as number[], operation: [] as number[] };
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of ['tool', 'operation'] as const) {
      const result = await load({ url, connections: 1, seconds: SECONDS, requests: [requests[kind]] });
      if (result.errors > 0) throw new Error(result.firstError);
      measured[kind].push(1000 / result.requestsPerSecond);
    }
  return { tool: median(measured.tool), operation: median(measured.operation) };
}

function toolRequest(name: string, given: object, isModern: boolean): LoadRequest {
  const meta = {
    [`${META}/protocolVersion`]: MODERN,
    [`${META}/clientInfo`]: { name: 'bench', version: '1' },
    [`${META}/clientCapabilities`]: {},
  };
  const params = { name, arguments: given, ...(isModern ? { _meta: meta } : {}) };
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      ...HEADERS,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isModern
        ? { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name }
        : { 'mcp-protocol-version': '2025-11-25' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
