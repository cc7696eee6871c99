import type { ErrorCode } from './generated/error-code.ts';

/** The content of an error answer. */
interface Refusal {
  status: number;
  code: ErrorCode | 'unknown';
  message: string;
  details: Record<string, unknown>;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
}

/** The server refused a request: branch on `code`, show `message` to people. */
export class AtriumError extends Error {
  override readonly name = 'AtriumError';
  readonly status: number;
  /** 'unknown' when the answer is not from Atrium, but from a proxy in front of it. */
  readonly code: ErrorCode | 'unknown';
  /** Data for handling the code. */
  readonly details: Record<string, unknown>;
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** The wait in milliseconds that the server requests. */
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

/** No complete answer arrived, in spite of retries; `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The error of an error answer. */
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

/** RFC 9110 10.2.3: seconds or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}
