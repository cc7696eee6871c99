import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { createParser } from 'eventsource-parser';
import { isObject } from '../../contract/json.ts';
import { type Connection, type ConnectionOptions, connect, withConnectionOptions } from './connection.ts';

interface McpOptions extends ConnectionOptions {
  areas?: string;
  all?: boolean;
}

export function addMcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .description(
      'Speak the Model Context Protocol on standard input and output, for an agent on this machine',
    )
    .option('--areas <areas>', 'only tools of these, such as mail,drive')
    .option('--all', 'also tools that find, describe and call every other operation');
  withConnectionOptions(command).action(serve);
}

async function serve({ areas, all, ...options }: McpOptions): Promise<void> {
  const { target }: Connection = await connect(options);
  const url = new URL('mcp', `${target.address.replace(/\/$/, '')}/`);
  if (areas !== undefined) url.searchParams.set('areas', areas);
  if (all) url.searchParams.set('tools', 'all');
  const forwarder = new Forwarder(url, target.key, (message) =>
    process.stdout.write(`${JSON.stringify(message)}\n`),
  );
  process.stderr.write(`Speaking for ${target.address} until the input ends.\n`);
  const running = new Set<Promise<void>>();
  for await (const line of linesOf(process.stdin)) {
    if (line.trim() === '') continue;
    const forwarded = forwarder.forward(line).finally(() => running.delete(forwarded));
    running.add(forwarded);
  }
  await Promise.all(running);
}

/** Lines that end with a line feed. readline also ends them at U+2028 and U+2029, which JSON has within texts. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  input.setEncoding('utf8');
  let begun: string[] = [];
  for await (const chunk of input) {
    const [end = '', ...others] = String(chunk).split('\n');
    begun.push(end);
    for (const next of others) {
      yield begun.join('');
      begun = [next];
    }
  }
  yield begun.join('');
}

/** A JSON-RPC message, as far as it has to be read. */
interface Message {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
}

function isMessage(value: unknown): value is Message {
  return isObject(value);
}

/** How often a request is sent again after a lost connection or a 503: a call with the same arguments acts once (MCP-14). */
const WAITS_MS = [500, 1_000, 2_000, 4_000];
/** JSON-RPC 2.0, 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Sends the messages of one agent to a server and its answers back. */
class Forwarder {
  readonly #url: URL;
  readonly #key: string;
  readonly #write: (message: unknown) => void;
  /** The revision that the handshake of an older client has agreed on. */
  #agreed: string | undefined;
  readonly #running = new Map<unknown, AbortController>();

  constructor(url: URL, key: string, write: (message: unknown) => void) {
    this.#url = url;
    this.#key = key;
    this.#write = write;
  }

  /** Forwards one line. Never rejects: what goes wrong is answered. */
  async forward(line: string): Promise<void> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#fail(null, PARSE_ERROR, 'The line is not JSON.');
    }
    if (!isMessage(message)) return this.#fail(null, INVALID_REQUEST, 'The line is not one message.');
    if (message.method === 'notifications/cancelled') this.#running.get(message.params?.requestId)?.abort();
    const abort = new AbortController();
    if (message.id !== undefined) this.#running.set(message.id, abort);
    try {
      await this.#send(message, line, abort.signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!abort.signal.aborted)
        this.#fail(message.id, INTERNAL_ERROR, `${this.#url.origin} cannot be reached: ${reason}`);
    } finally {
      this.#running.delete(message.id);
    }
  }

  /** Sends a message until it is answered. */
  async #send(message: Message, line: string, signal: AbortSignal): Promise<void> {
    const request = { method: 'POST', headers: this.#headers(message), body: line, signal };
    for (const wait of WAITS_MS) {
      const isAnswered = await this.#passAnswer(message, request, { isLast: false }).catch(() => false);
      signal.throwIfAborted();
      if (isAnswered) return;
      await pause(wait, undefined, { signal });
    }
    if (await this.#passAnswer(message, request, { isLast: true })) return;
    throw new Error('the connection ended before the answer');
  }

  /** Sends a message once. Resolves with whether it was answered: without an answer, and by 503, it was not. */
  async #passAnswer(
    message: Message,
    request: RequestInit,
    { isLast }: { isLast: boolean },
  ): Promise<boolean> {
    const response = await fetch(this.#url, request);
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) return this.#passEvents(message, response);
    const body = await response.text();
    if (response.status === 503 && !isLast) return false;
    if (body === '') return true;
    const answer = JSON.parse(body);
    if (answer.jsonrpc === '2.0') this.#pass(message, answer);
    // A refusal of the server, such as that of the key.
    else this.#fail(message.id, INTERNAL_ERROR, `${answer.error?.message} (${answer.error?.code})`);
    return true;
  }

  #headers({ method, params }: Message): Record<string, string> {
    const stated = params?._meta?.[VERSION_KEY];
    const version = typeof stated === 'string' ? stated : this.#agreed;
    const name = method === 'resources/read' ? params?.uri : params?.name;
    return {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...(method === undefined ? {} : { 'mcp-method': headerValue(method) }),
      ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
    };
  }

  /** Resolves with whether the answer was among the events. */
  async #passEvents(message: Message, response: Response): Promise<boolean> {
    let isAnswered = message.id === undefined;
    const parser = createParser({
      onEvent: ({ data }) => {
        const event: Message = JSON.parse(data);
        isAnswered ||= event.method === undefined && event.id === message.id;
        this.#pass(message, event);
      },
    });
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(chunk);
    return isAnswered;
  }

  #pass({ method }: Message, answer: Message): void {
    const version = answer.result?.protocolVersion;
    if (method === 'initialize' && typeof version === 'string') this.#agreed = version;
    this.#write(answer);
  }

  /** Answers a request; a notification gets no answer. */
  #fail(id: Message['id'], code: number, message: string): void {
    if (id !== undefined) this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

/** A header holds visible ASCII; the revision of 2026-07-28 writes everything else as Base64. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
