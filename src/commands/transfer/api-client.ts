import { setTimeout as sleep } from 'node:timers/promises';

/** A request that the server refused; `code` is that of the interface. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(status: number, error: { code?: string; message?: string; details?: Record<string, unknown> }) {
    super(error.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = error.code ?? 'unknown';
    this.details = error.details ?? {};
  }
}

/** The server could not be reached, or did not serve, however often it was asked. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
}

export interface ClientRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** Needed for writes; the same for the same write. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  /** JSON, or bytes. */
  body?: object | Uint8Array<ArrayBuffer>;
}

/** Every write carries an Idempotency-Key: asking again does nothing twice. */
const ATTEMPTS = 8;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const PASSING = new Set([408, 429, 502, 503, 504]);

/** The public API of a server, for one key. Asks again where a failure may pass. */
export class ApiClient {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** `data` of the answer. Rejects with RefusedRequest or ServerUnreachable. */
  async data<T>(request: ClientRequest): Promise<T> {
    const answer = await this.send(request);
    return ((await answer.json()) as { data: T }).data;
  }

  /** The answer, once it is a success. Rejects with RefusedRequest or ServerUnreachable. */
  async send(request: ClientRequest): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#ask(request).catch((error: unknown) => asError(error));
      if (!(answer instanceof Error) && answer.ok) return answer;
      const mayPass = answer instanceof Error || PASSING.has(answer.status);
      if (!mayPass || attempt === ATTEMPTS) throw await this.#failureOf(answer);
      await sleep(pauseAfter(attempt, answer));
    }
  }

  #ask({ method = 'GET', path, idempotencyKey, headers, body }: ClientRequest): Promise<Response> {
    const isBytes = body instanceof Uint8Array;
    return fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(body && { body: isBytes ? body : JSON.stringify(body) }),
    });
  }

  async #failureOf(answer: Response | Error): Promise<Error> {
    if (answer instanceof Error) {
      const reason = answer.cause instanceof Error ? answer.cause.message : answer.message;
      return new ServerUnreachable(`${this.#url} cannot be reached: ${reason}`, { cause: answer });
    }
    const body = (await answer.json().catch(() => ({}))) as { error?: object };
    return new RefusedRequest(answer.status, body.error ?? {});
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Milliseconds: what the server asks for, else ever longer. */
function pauseAfter(attempt: number, answer: Response | Error): number {
  const asked = answer instanceof Error ? undefined : Number(answer.headers.get('retry-after') ?? Number.NaN);
  const own = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return asked !== undefined && asked > 0 ? Math.min(asked * 1000, 60_000) : own * (0.5 + Math.random() / 2);
}
