import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { ReadTransaction, WorkspaceLock, WriteTransaction } from '../storage/database.ts';
import type { AgentTool } from './agent-tool.ts';
import type { PageRequest } from './answers.ts';
import type { ChangeType } from './change-types.ts';
import type { ErrorCode } from './errors.ts';
import type { MayMail } from './outside-mail.ts';
import type { Permission } from './permissions.ts';
import type { Principal } from './principal.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The chapters of the reference. */
export type Area =
  | 'Directory'
  | 'API keys'
  | 'Mail'
  | 'Contacts'
  | 'Files'
  | 'Documents'
  | 'Spreadsheets'
  | 'Calendar'
  | 'Changes'
  | 'Search';

/** One problem of a request: its location (a JSON pointer into the body, or a parameter), its code and its message. */
export type Problem = { code: string; message: string } & ({ pointer: string } | { parameter: string });

/** The range of `limit` on a paged listing; larger values are clamped to the cap. */
export interface Paging {
  default: number;
  cap: number;
}

/** A body that is not JSON, read as a stream. */
export interface RawBody {
  /** The required media type; with ANY_MEDIA_TYPE, the declared type is ignored. */
  mediaType: string;
  /** Bytes; Infinity where the operation itself checks the size. */
  maxSize: number;
  /** Checks the announced size, in bytes, before anything is read. Throws ApiError where it is too large. */
  checkSize?(announced: number): void;
  /** Whether a Content-Length is required. */
  lengthRequired?: boolean;
  /** When an incomplete body is cut off, whatever its consumer does. */
  cutOff?: CutOff;
}

/** The time limit for receiving a body. */
export interface CutOff {
  afterMs: number;
  /** The advice in the refusal upload_timeout. */
  message: string;
}

/** The media type of bytes of any type. */
export const ANY_MEDIA_TYPE = '*/*';

/** An answer that is not JSON. */
export interface ContentAnswer {
  /** The possible media types; ANY_MEDIA_TYPE where the answer has the type of the stored content. */
  mediaTypes: readonly string[];
}

/** The declaration of an operation; validation, order of checks, OpenAPI and the reference follow from it. */
export interface Declaration {
  /** The operationId of the OpenAPI document; also names the listing that a cursor belongs to. */
  id: string;
  area: Area;
  method: Method;
  /** As in the interface, with :name for path parameters. */
  path: string;
  summary: string;
  description?: string;
  /** Any one of several is enough; an empty list admits every valid key. */
  permissions: readonly Permission[];
  params?: TObject;
  query?: TObject;
  /** Additional headers, for the reference: the operation reads them itself. */
  headers?: TObject;
  body?: TSchema;
  rawBody?: RawBody;
  /** The schema of `data`; on a list, the schema of its items. Absent for 204. */
  answer?: TSchema;
  content?: ContentAnswer;
  /** A media type that the operation answers instead of JSON where the client accepts it: an endless stream. */
  streams?: string;
  /** The types of changes that the operation may write to the change feed. */
  emits?: readonly ChangeType[];
  status?: 200 | 201 | 204;
  /** Its answers are Tagged: they carry an ETag, and 304 follows where the client sends that ETag back. */
  tagged?: true;
  paging?: Paging;
  /** Checks permissions that depend on path or query. Throws ApiError insufficient_scope. */
  permit?: (caller: Caller) => void;
  /** Refusals specific to the operation, in addition to those of every operation. */
  errors?: readonly ErrorCode[];
  /** The stored answer contains a secret, so it is encrypted with a key derived from the caller's API key. */
  secret?: boolean;
  /** The tools of agents that call the operation. */
  agent?: AgentTool | readonly AgentTool[];
}

/** The caller and the target, before the rest of the request is read. */
export interface Caller {
  principal: Principal;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | string[]>>;
}

/** The input of a handler, checked against the declaration. */
export interface Input<P, Q, B> {
  principal: Principal;
  params: P;
  query: Q;
  headers: Readonly<IncomingHttpHeaders>;
  body: B;
  page: PageRequest;
  /** The address at which the client has reached the server, for links in an answer to this client alone. */
  origin: () => string;
  /** Which addresses outside the call may mail; an operation that mails in the course of something else holds to it. */
  mayMail: MayMail;
}

/** Whether the operation answers a list without pages. */
export function isWholeList({ answer, paging }: Pick<Declaration, 'answer' | 'paging'>): boolean {
  return paging === undefined && answer !== undefined && 'type' in answer && answer.type === 'array';
}

/**
 * Data received before the transaction opens, such as a streamed body or a value built from a JSON body. If the end
 * of its transaction is unknown, the data is neither adopted nor discarded; a sweep of its area removes it.
 */
export interface Received {
  /** Releases its resources when no transaction has adopted it. */
  discard(): Promise<void>;
}

/** Whether a value holds resources that must be released. */
export function isReceived(value: unknown): value is Received {
  return typeof value === 'object' && value !== null && 'discard' in value;
}

type AnyInput = Input<unknown, unknown, unknown>;

/** An operation as the server runs it. */
export type Operation = Declaration & {
  check?: (input: AnyInput, sent: unknown) => Problem[];
} & (
    | {
        kind: 'read';
        prepare?: (input: AnyInput) => Promise<unknown>;
        /** Without a handler, the prepared value is the answer: the operation reads in its own transactions. */
        handle?: (tx: ReadTransaction, input: AnyInput, prepared: unknown) => Promise<unknown>;
      }
    | {
        kind: 'write';
        /** `content` is present with a raw body only. */
        prepare?: (input: AnyInput, content?: Readable) => Promise<unknown>;
        handle: (tx: WriteTransaction, input: AnyInput, prepared: unknown) => Promise<unknown>;
      }
    | ({ kind: 'joint write' } & Joint<AnyInput, unknown>)
  );

/** Requests that wait for the same lock are processed together, so they share the cost that each would pay alone. */
export interface Joint<I, O> {
  /** The storage lock that the batch holds. */
  lock: (input: I) => WorkspaceLock;
  /**
   * Reads what `handle` begins with, before it is known which of the requests are answered already: it writes nothing. What
   * it throws refuses the whole batch, unless all of it is answered already.
   */
  open: (tx: WriteTransaction, inputs: readonly I[]) => Promise<O>;
  /**
   * Processes each request in sequence and returns, in the same order, its result, or the ApiError that refuses it;
   * a refused request stores nothing. An exception refuses the whole batch.
   */
  handle: (tx: WriteTransaction, inputs: readonly I[], opened: O) => Promise<readonly unknown[]>;
}

/** A declaration whose handler is typed by its schemas. */
type Typed<P extends TObject, Q extends TObject, B extends TSchema> = Omit<
  Declaration,
  'params' | 'query' | 'body'
> & {
  params?: P;
  query?: Q;
  body?: B;
  /**
   * Rules that the schemas cannot express: further problems, found in the members of query and body that fit their
   * schemas, so one answer reports all problems. `sent` is the body as received, for looking into members that do
   * not fit. May throw an ApiError of status 400, which is answered where there is no other problem (else its
   * details.errors join the problems), or of status 403.
   */
  check?: (input: Input<Static<P>, Partial<Static<Q>>, Partial<Static<B>>>, sent: unknown) => Problem[];
};

/**
 * Work that takes longer than a transaction may last, such as reading every message of a folder, runs before the
 * transaction opens. The handler receives the result, and checks again everything that may have changed since. A
 * refusal by the preparation is answered and stored like a refusal by the handler: after the stored answer of an
 * earlier request, which needs no preparation. The result may be Received. Where only the handler can decide whether
 * preparation is needed, it throws NotPrepared.
 */
interface Preparation<I, R> {
  prepare?: (input: I) => Promise<R>;
}

type TypedInput<P extends TObject, Q extends TObject, B extends TSchema> = Input<
  Static<P>,
  Static<Q>,
  Static<B>
>;

/**
 * Declares an operation that reads, in one transaction or, where `prepare` gives the answer, in its own transactions.
 */
export function reads<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R = undefined,
>(
  declaration: Typed<P, Q, B> &
    (
      | (Preparation<TypedInput<P, Q, B>, R> & {
          handle: (tx: ReadTransaction, input: TypedInput<P, Q, B>, prepared: R) => Promise<unknown>;
        })
      | (Required<Preparation<TypedInput<P, Q, B>, R>> & { handle?: never })
    ),
): Operation {
  return { kind: 'read', ...declaration, query: withPaging(declaration) } as Operation;
}

/** Declares an operation that writes: its handler runs in one transaction with its idempotency record. */
export function writes<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R = undefined,
>(
  declaration: Typed<P, Q, B> &
    Preparation<TypedInput<P, Q, B>, R> & {
      handle: (tx: WriteTransaction, input: TypedInput<P, Q, B>, prepared: R) => Promise<unknown>;
    },
): Operation {
  return { kind: 'write', ...declaration } as Operation;
}

/** Declares an operation that writes; requests that wait for the same lock share one transaction. */
export function writesJointly<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  O = unknown,
>(declaration: Typed<P, Q, B> & Joint<TypedInput<P, Q, B>, O>): Operation {
  return { kind: 'joint write', ...declaration } as unknown as Operation;
}

/**
 * Declares an operation that writes a streamed body: `receive` runs before the transaction, and the handler stores
 * the result.
 */
export function receives<R extends Received, P extends TObject = TObject, Q extends TObject = TObject>(
  declaration: Omit<Typed<P, Q, TSchema>, 'body'> & {
    rawBody: RawBody;
    receive: (input: TypedInput<P, Q, TSchema>, content: Readable) => Promise<R>;
    handle: (tx: WriteTransaction, input: TypedInput<P, Q, TSchema>, received: R) => Promise<unknown>;
  },
): Operation {
  const { receive, ...rest } = declaration;
  return { kind: 'write', ...rest, prepare: receive } as unknown as Operation;
}

/** Adds limit and cursor to the query of a paged listing. */
function withPaging({ paging, query }: Pick<Declaration, 'paging' | 'query'>): TObject | undefined {
  if (!paging) return query;
  const { default: usual, cap } = paging;
  return Type.Object(
    {
      ...query?.properties,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: `1 to ${cap}, default ${usual}; above ${cap} it is ${cap}.`,
          examples: [usual],
        }),
      ),
      cursor: Type.Optional(
        Type.String({ description: 'next_cursor of the previous page.', examples: ['x7Jq3w'] }),
      ),
    },
    { additionalProperties: false },
  );
}

/** Whether the operation changes data, and so needs an Idempotency-Key. */
export function isWrite(operation: Operation): boolean {
  return operation.kind !== 'read';
}

/**
 * Thrown by the handler of a write, before it writes anything, when the stored data requires work that takes longer
 * than its transaction may last. The transaction is rolled back, the work is prepared, and the handler is called
 * again with the result. The handler limits the number of retries.
 */
export class NotPrepared extends Error {
  readonly prepare: () => Promise<unknown>;

  constructor(prepare: () => Promise<unknown>) {
    super('The transaction has to begin anew with what is to be prepared');
    this.prepare = prepare;
  }
}
