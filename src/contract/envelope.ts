import { Content, type JsonStream, JsonText } from './answers.ts';
import type { ApiError } from './errors.ts';

/** `pagination` of a paged list. */
export interface Pagination {
  next_cursor: string;
  has_more: boolean;
  limit: number;
}

/** The body of a successful answer: data, meta and, on paged lists only, pagination. */
export function envelope(data: unknown, requestId: string, pagination?: Pagination): string {
  const text = data instanceof JsonText ? data.text : JSON.stringify(data);
  const tail = pagination ? `,"pagination":${JSON.stringify(pagination)}}` : '}';
  return `${DATA}${text},"meta":${meta(requestId)}${tail}`;
}

const DATA = '{"data":';
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The same as content, of data that is sent in chunks. */
export function streamedEnvelope(data: JsonStream, requestId: string): Content {
  const { size, open, discard } = data.within(DATA, `,"meta":${meta(requestId)}}`);
  return new Content({
    mediaType: JSON_TYPE,
    size,
    open: async () => (await open()).once('close', () => void discard()),
    discard,
  });
}

/** The body of every refusal and failure. */
export function errorEnvelope(error: ApiError, requestId: string): string {
  const { code, message, details } = error;
  return `{"error":${JSON.stringify({ code, message, details })},"meta":${meta(requestId)}}`;
}

function meta(requestId: string): string {
  return `{"request_id":"${requestId}","timestamp":"${new Date().toISOString()}"}`;
}
