import { createHmac, randomBytes } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Agent, request, TlsAgent, tlsRequest } from '../../../platform/node-http.ts';
import { VERSION } from '../../../platform/version.ts';
import { ForbiddenAddress, type ReachableHosts } from './addresses.ts';

/** Milliseconds of a try, from the resolution of the host's name to the end of the answer. */
export const TRY_MS = 15_000;
/** Maximum number of bytes read of an answer: only its status matters. */
const MOST_ANSWER_BYTES = 64 * 1024;
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** The posted body, in the format of Standard Webhooks. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  /** RFC 3339: the time of the event. */
  readonly at: string;
  readonly data: unknown;
}

/** The result of a try. `error` is null exactly where the endpoint accepted the event. */
export interface TryResult {
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** The wait that the endpoint requests. */
  readonly retryAfterMs: number;
}

/** The destination of an event, and the secret of its signature. */
export interface Endpoint {
  readonly url: string;
  readonly secret: string;
}

/** `whsec_` and the base64 of random bytes. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Posts events to endpoints. */
export class Sender {
  readonly #hosts: ReachableHosts;
  readonly #stopped = new AbortController();

  constructor(hosts: ReachableHosts) {
    this.#hosts = hosts;
  }

  /** Aborts the running posts, and refuses new ones. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Tries once. Rejects only when stopped: the result of the try is then unknown. */
  async post(endpoint: Endpoint, event: WebhookEvent): Promise<TryResult> {
    const begun = performance.now();
    const ended = (outcome: Pick<TryResult, 'status' | 'error' | 'retryAfterMs'>): TryResult => ({
      ...outcome,
      durationMs: Math.max(0, Math.round(performance.now() - begun)),
    });
    const problem = this.#hosts.problemOf(endpoint.url);
    if (problem !== undefined) return ended({ status: null, error: problem, retryAfterMs: 0 });
    try {
      const answer = await this.#exchange(endpoint, event);
      return ended({ ...answer, error: refusalIn(answer.status) });
    } catch (error) {
      this.#stopped.signal.throwIfAborted();
      return ended({ status: null, error: reasonOf(error), retryAfterMs: 0 });
    }
  }

  async #exchange(
    { url, secret }: Endpoint,
    event: WebhookEvent,
  ): Promise<Pick<TryResult, 'retryAfterMs'> & { status: number }> {
    const target = new URL(url);
    const isSecure = target.protocol === 'https:';
    const body = JSON.stringify({ type: event.type, timestamp: event.at, data: event.data });
    const sent = (isSecure ? tlsRequest : request)(target, {
      method: 'POST',
      headers: headersOf(event.id, body, secret),
      // A separate agent: no connection is reused, and no proxy of the environment is used.
      agent: isSecure ? new TlsAgent({ keepAlive: false }) : new Agent({ keepAlive: false }),
      lookup: this.#hosts.lookupFor(target),
      signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TRY_MS)]),
    });
    try {
      const answer = await answerTo(sent, body);
      await readSome(answer);
      return { status: statusOf(answer), retryAfterMs: waitIn(answer.headers['retry-after']) };
    } finally {
      sent.destroy();
    }
  }
}

function headersOf(id: string, body: string, secret: string): Record<string, string | number> {
  const seconds = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': `Atrium/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}

/** An answer that changes the protocol has no end, and Node says nothing of it but by an event of its own. */
class OtherProtocol extends Error {}

/** Sends the body; resolves when the answer begins. Rejects however else the exchange ends. */
function answerTo(sent: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const refuse = (_answer: IncomingMessage, socket: Socket) => {
      socket.destroy();
      reject(new OtherProtocol());
    };
    sent
      .on('response', resolve)
      .on('upgrade', refuse)
      .on('error', reject)
      .on('close', () => reject(new Error('The connection ended')));
    sent.end(body);
  });
}

/** Throws OtherProtocol where it is none of HTTP. */
function statusOf({ statusCode = 0 }: IncomingMessage): number {
  if (statusCode < 200) throw new OtherProtocol();
  return statusCode;
}

/**
 * Reads an answer up to its limit, so the endpoint can end the connection properly; an error after the status has no
 * effect.
 */
async function readSome(answer: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of answer) {
      size += chunk.length;
      if (size > MOST_ANSWER_BYTES) break;
    }
  } catch {
    // The status has already arrived.
  }
  answer.destroy();
}

function refusalIn(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The endpoint redirects (${status}), which is not followed.`;
  return `The endpoint has answered ${status}.`;
}

/** Milliseconds of a Retry-After header, in seconds or as a date; 0 without one. */
function waitIn(header: string | undefined): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return error.message;
  if (error instanceof OtherProtocol) return 'The endpoint does not answer as HTTP does.';
  const { name, code, cause } = error as NodeJS.ErrnoException;
  if (cause instanceof ForbiddenAddress) return cause.message;
  if (name === 'AbortError' || name === 'TimeoutError') return 'No answer came within 15 seconds.';
  return code === undefined ? 'The connection failed.' : `The connection failed: ${code}.`;
}
