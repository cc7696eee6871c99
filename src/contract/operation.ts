import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import type { PageRequest } from './answers.ts';
import type { ChangeType } from './change-types.ts';
import type { ErrorCode } from './errors.ts';
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
  | 'Changes';

/** One thing wrong with a request: where (a JSON pointer into the body, or a parameter) and what. */
export type Problem = { code: string; message: string } & ({ pointer: string } | { parameter: string });

/** The range of `limit` on a paged listing; larger values are clamped to the cap. */
export interface Paging {
  default: number;
  cap: number;
}

/** A body that is not JSON, taken as a stream. */
export interface RawBody {
  /** The type that is asked for; with ANY_MEDIA_TYPE, what is declared makes no difference. */
  mediaType: string;
  /** Bytes; Infinity where the operation itself looks at the size. */
  maxSize: number;
  /** Looks at the announced size, in bytes, before anything is read. Throws ApiError where that is too much. */
  checkSize?(announced: number): void;
  /** Whether its length has to be announced. */
  lengthRequired?: boolean;
  /** When a body that has not come whole is cut off, whatever is done with it. */
  cutOff?: CutOff;
}

/** How long a body may take to come. */
export interface CutOff {
  afterMs: number;
  /** What the refusal upload_timeout tells people to do instead. */
  message: string;
}

/** Of bytes whose type may be any. */
export const ANY_MEDIA_TYPE = '*/*';

/** An answer that is not JSON. */
export interface ContentAnswer {
  /** The types that it may have; ANY_MEDIA_TYPE where it is that of what was stored. */
  mediaTypes: readonly string[];
}

/** What an operation declares; validation, order of checks, OpenAPI and the reference follow from it. */
export interface Declaration {
  /** The operationId of the OpenAPI document; also names the listing that a cursor belongs to. */
  id: string;
  area: Area;
  method: Method;
  /** As in the interface, with :name for path parameters. */
  path: string;
  summary: string;
  description?: string;
  /** Either of several suffices; none means that any valid key may call. */
  permissions: readonly Permission[];
  params?: TObject;
  query?: TObject;
  /** Headers of its own, for the reference: the operation reads them itself. */
  headers?: TObject;
  body?: TSchema;
  rawBody?: RawBody;
  /** The schema of `data`, of its items on a list; nothing for 204. */
  answer?: TSchema;
  content?: ContentAnswer;
  /** A media type that it answers instead of JSON where the client accepts that: a stream without an end. */
  streams?: string;
  /** The types of changes that it may report to the change feed. */
  emits?: readonly ChangeType[];
  status?: 200 | 201 | 204;
  /** Its answers are Tagged: they carry an ETag, and 304 where the client names it. */
  tagged?: true;
  paging?: Paging;
  /** Rights that depend on path or query. Throws ApiError insufficient_scope. */
  permit?: (caller: Caller) => void;
  /** Refusals of the operation itself, beside those that every operation shares. */
  errors?: readonly ErrorCode[];
  /** The stored answer holds a secret, so it is kept sealed under the caller's own key. */
  secret?: boolean;
}

/** Who asks for what, before anything else of the request is looked at. */
export interface Caller {
  principal: Principal;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | string[]>>;
}

/** What a handler is given of a request, checked against the declaration. */
export interface Input<P, Q, B> {
  principal: Principal;
  params: P;
  query: Q;
  headers: Readonly<IncomingHttpHeaders>;
  body: B;
  page: PageRequest;
}

/** Whether it answers a list that is not paged. */
export function isWholeList({ answer, paging }: Pick<Declaration, 'answer' | 'paging'>): boolean {
  return paging === undefined && answer !== undefined && 'type' in answer && answer.type === 'array';
}

/**
 * Something taken in before the transaction opens, such as a streamed body or what was made of a JSON one. What is
 * neither taken over nor discarded, because nobody knows how its transaction ended, its area sweeps.
 */
export interface Received {
  /** Gives back what it holds when no transaction has taken it over. */
  discard(): Promise<void>;
}

/** Whether something holds what has to be given back. */
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
        /** Without it what was prepared is the answer: an operation that reads in transactions of its own. */
        handle?: (tx: ReadTransaction, input: AnyInput, prepared: unknown) => Promise<unknown>;
      }
    | {
        kind: 'write';
        /** Content comes with a raw body only. */
        prepare?: (input: AnyInput, content?: Readable) => Promise<unknown>;
        handle: (tx: WriteTransaction, input: AnyInput, prepared: unknown) => Promise<unknown>;
      }
    | ({ kind: 'joint write' } & Joint<AnyInput>)
  );

/** How requests that wait for the same lock are done together, so that they share what each would do alone. */
export interface Joint<I> {
  /** The lock of the storage port under which it runs. */
  lock: (input: I) => string;
  /**
   * Does what each request asks for, one after the other; answers in their order what it came to, or the ApiError that
   * it is refused with, of which nothing is stored. What it throws refuses all of them.
   */
  handle: (tx: WriteTransaction, inputs: readonly I[]) => Promise<readonly unknown[]>;
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
   * What the schemas cannot say: further problems, of those members of query and body that fit their schemas, so that
   * one answer tells all. `sent` is the body as it came, to look into members that do not fit. May throw an ApiError of
   * status 400, which is answered where nothing else is wrong (else its details.errors join the problems), or 403.
   */
  check?: (input: Input<Static<P>, Partial<Static<Q>>, Partial<Static<B>>>, sent: unknown) => Problem[];
};

/**
 * What takes longer than a transaction may last, such as looking at every message of a folder, is done before it opens;
 * the handler is given what came of it, and takes nothing of it for granted that may have changed since. What it refuses
 * is refused, and kept, as the handler would: after the answer of an earlier request, for which nothing is prepared.
 * What it answers may be Received. Where only the handler can tell whether it is needed, it throws NotPrepared instead.
 */
interface Preparation<I, R> {
  prepare?: (input: I) => Promise<R>;
}

type TypedInput<P extends TObject, Q extends TObject, B extends TSchema> = Input<
  Static<P>,
  Static<Q>,
  Static<B>
>;

/** Declares an operation that reads, in one transaction or, where `prepare` answers by itself, in its own. */
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

/** Declares an operation that writes, of which requests that wait for each other are done in one transaction. */
export function writesJointly<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
>(declaration: Typed<P, Q, B> & Joint<TypedInput<P, Q, B>>): Operation {
  return { kind: 'joint write', ...declaration } as unknown as Operation;
}

/** Declares an operation that writes what a streamed body brings: received as others prepare, then kept. */
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

/** The query of a paged listing takes limit and cursor beside its own filters. */
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

/** Whether the operation changes something, and so needs an Idempotency-Key. */
export function isWrite(operation: Operation): boolean {
  return operation.kind !== 'read';
}

/**
 * Thrown by the handler of a write, before it writes anything, that sees in what is stored that it needs what takes longer
 * than its transaction may last: nothing is kept, that is prepared, and the handler is called anew with it. The handler
 * bounds how often.
 */
export class NotPrepared extends Error {
  readonly prepare: () => Promise<unknown>;

  constructor(prepare: () => Promise<unknown>) {
    super('The transaction has to begin anew with what is to be prepared');
    this.prepare = prepare;
  }
}
