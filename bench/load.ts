import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A request that is encoded once and sent as it is. SEQUENCE in it becomes a number that no other request has. */
export interface LoadRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** What to send where: every connection keeps one request under way, through the list and over again. */
export interface Load {
  /** Address of an HTTP server, without TLS. */
  url: string;
  connections: number;
  seconds: number;
  requests: LoadRequest[];
}

/** Latencies in milliseconds. Everything but 2xx is an error; the first one is shown. */
export interface LoadResult {
  requestsPerSecond: number;
  p50: number;
  p99: number;
  requests: number;
  errors: number;
  firstError: string;
}

/** Stands for a number of as many digits, in a header, path or body: for an Idempotency-Key, for example. */
export const SEQUENCE = '{sequence}';

const WARM_UP_MS = 500;
const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/** Sends the load from a process of its own, so that the server under test keeps its core. */
export async function load(options: Load): Promise<LoadResult> {
  const client = fork(fileURLToPath(import.meta.url));
  client.send(options);
  const [answer] = await Promise.race([once(client, 'message'), failure(client)]);
  return answer as LoadResult;
}

async function failure(client: ReturnType<typeof fork>): Promise<never> {
  const [code] = await once(client, 'exit');
  throw new Error(`The load client ended with code ${code}`);
}

/** The measured part of a run, shared by its connections. */
class Run {
  readonly #options: Load;
  readonly #encoded: Buffer[];
  readonly #begin = performance.now() + WARM_UP_MS;
  readonly #end: number;
  readonly #latencies: number[] = [];
  #sent = 0;
  #errors = 0;
  #firstError = '';

  constructor(options: Load) {
    this.#options = options;
    this.#end = this.#begin + options.seconds * 1000;
    this.#encoded = options.requests.map((request) => encode(request, new URL(options.url).host));
  }

  async result(): Promise<LoadResult> {
    await Promise.all(Array.from({ length: this.#options.connections }, () => this.#connection()));
    const sorted = Float64Array.from(this.#latencies).sort();
    return {
      requestsPerSecond: sorted.length / this.#options.seconds,
      p50: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
      requests: sorted.length,
      errors: this.#errors,
      firstError: this.#firstError,
    };
  }

  async #connection(): Promise<void> {
    const { hostname, port } = new URL(this.#options.url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('The server hung up')));
      this.#converse(socket, resolve);
    });
  }

  /** One request after the other; callbacks instead of promises keep the client cheaper than the server. */
  #converse(socket: Socket, done: () => void): void {
    let sentAt = this.#send(socket);
    let received: Buffer = NOTHING;
    socket.on('data', (chunk: Buffer) => {
      received = received === NOTHING ? chunk : Buffer.concat([received, chunk]);
      if (received.length < responseLength(received)) return;
      this.#record(received, sentAt);
      received = NOTHING;
      if (performance.now() < this.#end) sentAt = this.#send(socket);
      else socket.end(done);
    });
  }

  #send(socket: Socket): number {
    const number = this.#sent++;
    socket.write(numbered(this.#encoded[number % this.#encoded.length] ?? NOTHING, number));
    return performance.now();
  }

  #record(response: Buffer, sentAt: number): void {
    const now = performance.now();
    if (now < this.#begin) return;
    this.#latencies.push(now - sentAt);
    // "HTTP/1.1 2": the first digit of the status is the tenth byte.
    if (response[9] === 0x32) return;
    this.#errors++;
    this.#firstError ||= response.toString('utf8', 0, 2_000);
  }
}

function encode({ method, path, headers = {}, body = '' }: LoadRequest, host: string): Buffer {
  const all = { host, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines].join('\r\n') + HEAD_END + body);
}

function numbered(request: Buffer, number: number): Buffer {
  const at = request.indexOf(SEQUENCE);
  if (at < 0) return request;
  const copy = Buffer.from(request);
  copy.write(String(number).padStart(SEQUENCE.length, '0'), at);
  return copy;
}

/** Bytes of the response that begins here; more than there are while its head is incomplete. */
function responseLength(received: Buffer): number {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return Number.POSITIVE_INFINITY;
  const head = received.toString('latin1', 0, headEnd);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length !== undefined) return headEnd + HEAD_END.length + Number(length);
  if (/^HTTP\/1\.1 (?:204|304)/.test(head)) return headEnd + HEAD_END.length;
  throw new Error(`The load client needs a Content-Length:\n${head}`);
}

if (import.meta.main) {
  const [options] = await once(process, 'message');
  process.send?.(await new Run(options as Load).result());
  process.disconnect?.();
}
