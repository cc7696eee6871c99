/** Input that was made to cost a server more than its size, or to get past its checks. */
export interface HostileInput {
  /** What it is, as a sentence: shown where a test fails. */
  name: string;
  /** Sends it. The test holds that no answer is a 5xx and no reply a 4.x.x, and how long the event loop stood still. */
  send(doors: Doors): Promise<void>;
}

/** The ways into a running server, as one of its users and as anybody who sends mail. */
export interface Doors {
  /** A user of the server, to whom mail may be sent. */
  readonly address: string;
  /** Ids of what that user has from the beginning, and of an empty spreadsheet and an empty document. */
  readonly inboxId: string;
  readonly addressBookId: string;
  readonly calendarId: string;
  readonly spreadsheetId: string;
  readonly documentId: string;
  /** Asks over HTTP, a write under a new Idempotency-Key. An object is sent as JSON, text and bytes as they are. */
  request(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, options?: RequestOptions): Promise<Answer>;
  /** Sends a write whose body comes in chunks of one byte each. */
  writeInBytes(method: 'POST' | 'PUT', path: string, body: string, mediaType: string): Promise<Answer>;
  /** Sends the same write so many times, all of them but the last byte first, and then the last bytes at once. */
  completeAtOnce(count: number, method: 'POST' | 'PUT', path: string, body: object): Promise<Answer[]>;
  /** Delivers a message by SMTP to `address`; answers the last reply, such as "250 2.0.0 …". */
  deliver(message: string | Buffer): Promise<string>;
}

/** The id of what an answer tells of; throws where it tells of nothing. */
export function idOf({ status, json }: Answer): string {
  const data = json?.data;
  if (typeof data === 'object' && data !== null && 'id' in data) return String(data.id);
  throw new Error(`answered ${status} ${JSON.stringify(json)}`);
}

export interface RequestOptions {
  body?: object | string | Buffer;
  /** "application/json" where the body is an object. */
  mediaType?: string;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  /** The JSON of the answer, undefined where it is none. */
  json:
    | {
        data?: unknown;
        error?: { code: string; details: Record<string, unknown> };
        pagination?: { next_cursor: string };
      }
    | undefined;
}
