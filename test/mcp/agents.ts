import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { OWNER_KEY, type TestApp } from '../harness.ts';

/** The revisions that are served: the present one, and the one of clients that shake hands. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/** How a test's agent comes to a server. */
export interface AgentOptions {
  key?: string;
  revision?: Revision;
  /** Such as ?areas=mail. */
  query?: string;
  /** What the person says to a question; without it, the client cannot ask. */
  answer?: (question: string) => Said | Promise<Said>;
}

/** What a person does with a question. */
export interface Said {
  action: 'accept' | 'decline' | 'cancel';
  confirm?: boolean;
}

/** The result of a tool as tests look at it. */
export interface ToolResult {
  isError: boolean;
  /** The texts of the blocks, in order. */
  texts: string[];
  /** Of each block, whether it is marked as text of others. */
  marked: boolean[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  structured: any;
}

/** A client of the kit of the protocol. */
export interface TestAgent {
  client: Client;
  /** Calls a tool, whatever comes of it. */
  call(name: string, given?: Record<string, unknown>): Promise<ToolResult>;
  /** Calls a tool that must succeed. Returns `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  use(name: string, given?: Record<string, unknown>): Promise<any>;
  /** Calls a tool that must be refused. Returns the code. */
  refused(name: string, given?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

/** Connects an agent to the server at an address. */
export async function connectAgent(address: string, options: AgentOptions = {}): Promise<TestAgent> {
  const { key = OWNER_KEY, revision = '2026-07-28', query = '', answer } = options;
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
    },
  );
  if (answer)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const { action, confirm } = await answer(params.message);
      return { action, ...(confirm === undefined ? {} : { content: { confirm } }) };
    });
  const transport = new StreamableHTTPClientTransport(new URL(`${address}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return agentOf(client);
}

/** What tests do with a connected client. */
export function agentOf(client: Client): TestAgent {
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<ToolResult> => {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: given });
    const blocks = content as { type: string; text: string; _meta?: Record<string, unknown> }[];
    return {
      isError,
      texts: blocks.map(({ text }) => text),
      marked: blocks.map(({ _meta }) => _meta?.['atrium/untrusted'] === true),
      structured: structuredContent,
    };
  };
  return {
    client,
    call,
    use: async (name, given) => {
      const { isError, structured, texts } = await call(name, given);
      assert.equal(isError, false, texts.join('\n'));
      return structured.data;
    },
    refused: async (name, given) => {
      const { isError, structured, texts } = await call(name, given);
      assert.equal(isError, true, texts.join('\n'));
      return structured.error.code;
    },
    close: () => client.close(),
  };
}

/**
 * Calls a tool as it goes over the wire, by a client that can show questions: `params` are its arguments, and what it sends back of a
 * question. Resolves with the message of JSON-RPC.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function callByWire(app: TestApp, name: string, params: object): Promise<any> {
  const [protocolVersion] = REVISIONS;
  const { json } = await app.request('POST', '/mcp', {
    idempotencyKey: null,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': protocolVersion,
          'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
        ...params,
      },
    },
  });
  return json;
}
