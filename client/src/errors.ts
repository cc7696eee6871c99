import type { ErrorCode } from './generated/error-code.ts';

/** What the server says of a refusal. */
interface Refusal {
  status: number;
  code: ErrorCode | 'unknown';
  message: string;
  details: Record<string, unknown>;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
}

/** A request that the server refused: branch on `code`, show `message` to people. */
export class AtriumError extends Error {
  override readonly name = 'AtriumError';
  readonly status: number;
  /** 'unknown' where what answered was not Atrium, such as a proxy in front of it. */
  readonly code: ErrorCode | 'unknown';
  /** What the code needs to be acted upon. */
  readonly details: Record<string, unknown>;
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;
  /** Milliseconds that the server asks to wait for. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, code, message, details, requestId, retryAfterMs }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No whole answer came, however often the server was asked; `cause` tells why. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The refusal that an answer is. */
export async function refusalOf(answer: Response): Promise<AtriumError> {
  const { error, meta } = await bodyOf(answer);
  return new AtriumError({
    status: answer.status,
    code: error?.code ?? 'unknown',
    message: error?.message ?? `The server answered ${answer.status}.`,
    details: error?.details ?? {},
    requestId: meta?.request_id ?? answer.headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterOf(answer.headers),
  });
}

interface RefusalBody {
  error?: { code?: ErrorCode; message?: string; details?: Record<string, unknown> } | null;
  meta?: { request_id?: string } | null;
}

async function bodyOf(answer: Response): Promise<RefusalBody> {
  const text = await answer.text();
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}
