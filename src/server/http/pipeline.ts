import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import {
  Content,
  envelope,
  errorEnvelope,
  JsonStream,
  type Page,
  type Pagination,
  streamedEnvelope,
  Tagged,
} from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import { parseJson } from '../../contract/json.ts';
import {
  type Input,
  isReceived,
  isWholeList,
  NotPrepared,
  type Operation,
  type Problem,
} from '../../contract/operation.ts';
import type { MayMail } from '../../contract/outside-mail.ts';
import {
  type Cursors,
  type Listing,
  listingOf,
  pageRequest,
  paginationOf,
} from '../../contract/pagination.ts';
import { bearerToken, type Principal, sealingSecretOf } from '../../contract/principal.ts';
import { type ReadInput, RequestValidator, refuse } from '../../contract/validation.ts';
import {
  alreadyAnswered,
  type BegunBatch,
  beginBatch,
  captureRefusal,
  type FinishedAnswer,
  fingerprintOf,
  type IdempotencyScope,
  type IdempotentRequest,
  isAnswered,
  isStoredRefusal,
  type OnceAnswer,
  Refused,
  type RequestResult,
  readRest,
  runBatchOnce,
  runOnce,
  StreamedFingerprint,
} from '../../once/idempotency.ts';
import { type JointRequest, JointWrites } from '../../once/joint-writes.ts';
import { type Database, StorageUnavailable, type WriteTransaction } from '../../storage/database.ts';
import { giveWay, nextTurn } from '../../turns/next-turn.ts';
import { takeMeasured, undecodableParameters } from './body.ts';
import { LARGE_BODY } from './large-bodies.ts';
import type { ServerDependencies } from './server-dependencies.ts';
import type { WholeLists } from './whole-lists.ts';

/** The HTTP request as the pipeline needs it; `principal` is already authenticated and permitted. */
export interface ApiRequest {
  id: string;
  method: string;
  /** Path and query as received. */
  url: string;
  headers: IncomingHttpHeaders;
  principal: Principal;
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  /** The address at which the client has reached the server. */
  origin: () => string;
  /** The raw bytes of a JSON body, the stream of a raw one. */
  body: Buffer | Readable | undefined;
  /** Which addresses outside an agent may mail; anybody unless given, as for every program. */
  mayMail?: MayMail;
}

/** How a write is repeated. */
export interface Repetition {
  idempotencyKey: string;
  /** How long a repeat gets the answer of the first request, in milliseconds; as configured unless given. */
  ttlMs?: number;
  /** Whether a repeat gets a refusal of the first request as well; it does unless given. */
  keepsRefusals?: boolean;
  /** Whether only a repeat is answered, and a first request refused with cursor_expired. */
  onlyRepeats?: boolean;
}

/** A JSON answer, or bytes to stream. */
export type Answer = JsonAnswer | { content: Content; etag?: string };

/** A JSON answer, with its entity tag where a client may use it in a precondition. */
type JsonAnswer = (FinishedAnswer | OnceAnswer) & { etag?: string };

type HandlerInput = Input<unknown, unknown, unknown>;

/** A write that is processed in a batch: its input, and the function that turns its result into an answer. */
interface JointWrite extends IdempotentRequest, JointRequest {
  readonly input: HandlerInput;
  readonly finish: (result: unknown) => FinishedAnswer | ApiError;
}

/** Runs one operation from the checked request to the answer: validation, transaction, handler, envelope. */
export class Pipeline {
  readonly #operation: Operation;
  readonly #database: Database;
  readonly #cursors: Cursors;
  readonly #idempotencyTtlMs: number;
  readonly #validator: RequestValidator;
  readonly #wholeLists: WholeLists;
  readonly #jointWrites: JointWrites<JointWrite, OnceAnswer, BegunBatch>;

  constructor(
    operation: Operation,
    dependencies: Pick<ServerDependencies, 'database' | 'cursors' | 'idempotencyTtlMs' | 'wholeLists'>,
  ) {
    this.#operation = operation;
    this.#database = dependencies.database;
    this.#cursors = dependencies.cursors;
    this.#idempotencyTtlMs = dependencies.idempotencyTtlMs;
    this.#validator = new RequestValidator(operation);
    this.#wholeLists = dependencies.wholeLists;
    this.#jointWrites = new JointWrites<JointWrite, OnceAnswer, BegunBatch>(
      dependencies.database,
      (tx, { workspaceId }) => beginBatch(tx, workspaceId),
      (tx, requests, begun) => this.#runJointly(tx, requests, begun),
    );
  }

  /** Answers a read. Throws ApiError for every refusal. */
  async read(request: ApiRequest): Promise<Answer> {
    const operation = this.#operation;
    if (operation.kind !== 'read') throw new TypeError(`${operation.id} writes`);
    const { input, listing } = await this.#input(request);
    const { prepare, handle } = operation;
    const prepared = await prepare?.(input);
    const read = async () =>
      handle ? this.#database.read((tx) => handle(tx, input, prepared)) : Promise.resolve(prepared);
    const result = isWholeList(operation) ? await this.#wholeLists.answer(read) : await read();
    if (operation.content || result instanceof Content) return { content: result as Content };
    if (result instanceof Tagged) return tagged(result, request);
    if (result instanceof JsonStream) return { content: streamedEnvelope(result, request.id) };
    await giveWay();
    return this.#finish(result, request, input, listing);
  }

  /** Answers a write, once for its Idempotency-Key. Throws ApiError for every refusal that is not stored. */
  async write(request: ApiRequest, repetition: Repetition): Promise<Answer> {
    const operation = this.#operation;
    if (operation.kind === 'read') throw new TypeError(`${operation.id} reads`);
    const { input, listing } = await this.#input(request);
    const { idempotencyKey, ttlMs = this.#idempotencyTtlMs, keepsRefusals = true } = repetition;
    const { onlyRepeats = false } = repetition;
    const scope = scopeOf(request, idempotencyKey);
    const kept = { ttlMs, keepsRefusals, onlyRepeats };
    if (operation.kind === 'joint write') {
      const once = this.#idempotent(request, scope, kept);
      return this.#jointWrites.do(operation.lock(input), this.#jointWrite(request, input, once));
    }
    const streamed = operation.rawBody && new StreamedFingerprint(request.method, request.url);
    const prepare = operation.prepare?.bind(undefined, input);
    let prepared = prepare && (await this.#prepare(prepare, request.body, scope, streamed));
    const once = this.#idempotent(request, scope, kept, streamed);
    for (;;) {
      const given = prepared;
      try {
        return await this.#keep(request, once, given, async (tx) => {
          tx.actAs(request.principal);
          if (given instanceof Refused) throw given.reason;
          return this.#finish(await operation.handle(tx, input, given), request, input, listing);
        });
      } catch (error) {
        if (!(error instanceof NotPrepared)) throw error;
        prepared = await captureRefusal(error.prepare());
      }
    }
  }

  /** Throws ApiError where the request is refused by its arguments and the permissions of the key; does nothing else. */
  async check(request: ApiRequest): Promise<void> {
    await this.#input(request);
  }

  /** Whether an answer to this write is kept, so that a repeat of it gets that one, or is refused, and does nothing. */
  async isAnswered(request: ApiRequest, { idempotencyKey }: Repetition): Promise<boolean> {
    return this.#database.read((tx) => isAnswered(tx, scopeOf(request, idempotencyKey)));
  }

  #jointWrite(request: ApiRequest, input: HandlerInput, once: IdempotentRequest): JointWrite {
    const finish = (result: unknown) => {
      if (result instanceof ApiError)
        return once.keepsRefusals && isStoredRefusal(result) ? refusal(result, request.id) : result;
      return this.#finish(result, request, input, undefined);
    };
    const size = Buffer.isBuffer(request.body) ? request.body.length : 0;
    return { ...once, key: `${once.scope.keyId} ${once.scope.idempotencyKey}`, size, input, finish };
  }

  #runJointly(
    tx: WriteTransaction,
    requests: readonly JointWrite[],
    begun: BegunBatch,
  ): Promise<Map<JointWrite, RequestResult>> {
    const operation = this.#operation;
    if (operation.kind !== 'joint write') throw new TypeError(`${operation.id} is done alone`);
    return runBatchOnce(tx, requests, begun, {
      open: (all) => operation.open(tx, all.map(inputOf)),
      run: async (fresh, opened) => {
        const results = await operation.handle(tx, fresh.map(inputOf), opened);
        return new Map(fresh.map((request, i) => [request, request.finish(results[i])]));
      },
    });
  }

  /** Runs the preparation before the transaction; the body of a repeated request is read for its fingerprint only. */
  async #prepare(
    prepare: (content?: Readable) => Promise<unknown>,
    body: ApiRequest['body'],
    scope: IdempotencyScope,
    streamed: StreamedFingerprint | undefined,
  ): Promise<unknown> {
    const isRepeat = await this.#database.read((tx) => isAnswered(tx, scope));
    const work = async (content?: Readable) =>
      isRepeat ? alreadyAnswered() : captureRefusal(prepare(content));
    const { rawBody } = this.#operation;
    if (!rawBody || !streamed) return work();
    const stream = body instanceof Readable ? body : Readable.from([]);
    return takeMeasured(stream, rawBody, streamed, async (content) => {
      const received = await work(content);
      if (received instanceof Refused) await readRest(content);
      return received;
    });
  }

  /** Runs a write with its prepared data, and discards the data where no transaction has adopted it. */
  async #keep(
    request: ApiRequest,
    once: IdempotentRequest,
    prepared: unknown,
    run: (tx: WriteTransaction) => Promise<FinishedAnswer>,
  ): Promise<Answer> {
    let isOurs = true;
    try {
      const answer = await this.#database.write((tx) =>
        runOnce(
          tx,
          once,
          () => run(tx),
          (error) => refusal(error, request.id),
        ).catch(orNotPrepared),
      );
      if (answer instanceof NotPrepared) throw answer;
      isOurs = answer.replayed || answer.status >= 400;
      return answer;
    } catch (error) {
      // After a failure of the storage, the commit may still have succeeded: only a later sweep can decide.
      isOurs = !(error instanceof StorageUnavailable);
      throw error;
    } finally {
      if (isOurs && isReceived(prepared)) await prepared.discard();
    }
  }

  async #input(request: ApiRequest): Promise<{ input: HandlerInput; listing: Listing | undefined }> {
    const { paging } = this.#operation;
    // The bodies of many requests may have arrived in the same turn of the event loop.
    await giveWay();
    const read = await this.#read(request);
    const { params, query } = read;
    const problems = [...undecodableParameters(request.url), ...read.problems];
    refuse([...problems, ...this.#furtherProblems(request, read)]);
    const listing = paging && this.#listing(request, query);
    const page = listing && paging ? pageRequest(this.#cursors, paging, listing, query) : WHOLE;
    const { principal, headers, origin, mayMail = 'anybody' } = request;
    return { input: { principal, params, query, headers, body: read.body, page, origin, mayMail }, listing };
  }

  #read({ params, query, body }: ApiRequest): ReadInput | Promise<ReadInput> {
    if (!Buffer.isBuffer(body) || body.length === 0)
      return this.#validator.read({ params, query, body: undefined });
    if (body.length > LARGE_BODY) return this.#readInTurns({ params, query, body });
    return this.#validator.read({ params, query, body: parseJson(body) });
  }

  /** Parsing a hundred thousand values takes as long as validating them: other requests run in between. */
  async #readInTurns({ params, query, body }: Pick<ApiRequest, 'params' | 'query'> & { body: Buffer }) {
    const parsed = parseJson(body);
    await nextTurn();
    return this.#validator.read({ params, query, body: parsed });
  }

  #furtherProblems(
    { principal, headers, origin, mayMail = 'anybody' }: ApiRequest,
    { params, fitting, body, problems }: ReadInput,
  ): Problem[] {
    try {
      return (
        this.#operation.check?.(
          { ...fitting, principal, params, headers, page: WHOLE, origin, mayMail },
          body,
        ) ?? []
      );
    } catch (error) {
      // A missing permission takes precedence over every problem; another refusal counts only where the schemas found
      // no problem.
      if (!(error instanceof ApiError) || error.status !== 400 || problems.length === 0) throw error;
      return (error.details.errors as Problem[] | undefined) ?? [];
    }
  }

  #listing(request: ApiRequest, query: Record<string, unknown>): Listing {
    return listingOf(this.#operation.id, request.principal, query, request.params);
  }

  #finish(
    result: unknown,
    request: ApiRequest,
    input: HandlerInput,
    listing: Listing | undefined,
  ): FinishedAnswer {
    const status = this.#operation.status ?? 200;
    if (status === 204) return { status, body: '' };
    if (!listing) return { status, body: envelope(result, request.id) };
    const page = result as Page;
    const pagination: Pagination = paginationOf(this.#cursors, listing, page, input.page.limit);
    return { status, body: envelope(page.items, request.id, pagination) };
  }

  /** `streamed`: the fingerprint of a streamed body. */
  #idempotent(
    request: ApiRequest,
    scope: IdempotencyScope,
    kept: Pick<IdempotentRequest, 'ttlMs' | 'keepsRefusals' | 'onlyRepeats'>,
    streamed?: StreamedFingerprint,
  ): IdempotentRequest {
    const { id, method, url, body } = request;
    return {
      scope,
      requestId: id,
      fingerprint: streamed?.digest() ?? fingerprintOf(method, url, Buffer.isBuffer(body) ? body : NO_BODY),
      secret: this.#operation.secret
        ? sealingSecretOf(bearerToken(request.headers.authorization))
        : undefined,
      ...kept,
    };
  }
}

/** Answers the state, or 304 where the client already has it. A failed precondition was refused earlier. */
function tagged({ state, data }: Tagged, { id }: ApiRequest): Answer {
  const etag = `"${state}"`;
  if (data === undefined) return { status: 304, body: '', etag };
  if (data instanceof JsonStream) return { content: streamedEnvelope(data, id), etag };
  return { status: 200, body: envelope(data, id), etag };
}

function inputOf({ input }: JointWrite): HandlerInput {
  return input;
}

function scopeOf({ principal }: ApiRequest, idempotencyKey: string): IdempotencyScope {
  const { workspaceId, keyId } = principal;
  return { workspaceId, keyId, idempotencyKey };
}

const NO_BODY = Buffer.alloc(0);
const WHOLE = { limit: Number.MAX_SAFE_INTEGER, after: undefined };

function refusal(error: ApiError, requestId: string): FinishedAnswer {
  return { status: error.status, body: errorEnvelope(error, requestId) };
}

/** A handler that has written nothing need not fail: a failure would make the others in its transaction start again. */
function orNotPrepared(error: unknown): NotPrepared {
  if (error instanceof NotPrepared) return error;
  throw error;
}
