import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import type { Content, Pagination } from '../../contract/answers.ts';
import { ApiError, type ErrorCode, type ErrorDetails } from '../../contract/errors.ts';
import { isWrite, type Operation } from '../../contract/operation.ts';
import type { MayMail } from '../../contract/outside-mail.ts';
import type { Principal } from '../../contract/principal.ts';
import { invalid, refuse } from '../../contract/validation.ts';
import { idempotencyKeyOf } from '../../once/idempotency.ts';
import { type Client, runCancellable } from '../../turns/cancellation.ts';
import { newRequestId } from '../http/exchange.ts';
import type { Answer, ApiRequest, Repetition } from '../http/pipeline.ts';
import { permitTarget, type Route } from '../http/routes.ts';
import { canonicalJson } from './canonical-json.ts';
import { headerArguments, headersOf } from './header-arguments.ts';

/** Who calls, as the request to the door has shown. */
export interface Caller {
  principal: Principal;
  /** The header with the key: stored answers that contain a secret are sealed with it. */
  authorization: string | undefined;
  /** The address at which the client has reached the server. */
  origin: () => string;
  client: Client;
}

/** The answer of an operation. */
export interface Called {
  operation: Operation;
  /** null where the operation answers nothing, or bytes. */
  data: unknown;
  pagination?: Pagination;
  /** The entity tag of what was read, without quotes. */
  state?: string;
  /** Whether an earlier call has acted, and this is its answer. */
  isReplayed: boolean;
  /** Bytes that are not opened yet. */
  content?: Content;
}

/** How an operation is called. */
export interface CallOptions {
  /** The arguments of the tool, where the call is one step of several: they are what makes two calls the same. */
  whole?: ToolArguments;
  /** Of a write, whether the answer that is kept is wanted, or none: nothing is done. */
  onlyRepeats?: boolean;
  /**
   * The one state that a write acts on. It makes the call no other one: issued again, it is answered as before. What it
   * refuses is not kept, because another state may be confirmed under the same idempotency_key.
   */
  state?: string | undefined;
  /**
   * Which addresses outside are mailed about what is written; nobody unless given. It makes the call no other one. With others,
   * it rejects with MailsOthers, which is never kept.
   */
  mayMail?: MayMail | undefined;
}

/** A refusal that is kept as the answer of a write: however often the call is issued again, this is what it gets. */
export class KeptRefusal extends ApiError {}

/** Two calls of the same operation with the same arguments are one for so long (MCP-14). */
const SAME_CALL_MS = 600_000;

/** Calls operations for one caller, through the same checks and the same pipeline as their routes. */
export class Calls {
  readonly caller: Caller;
  readonly #routes: ReadonlyMap<string, Route>;

  constructor(routes: ReadonlyMap<string, Route>, caller: Caller) {
    this.#routes = routes;
    this.caller = caller;
  }

  /** The operation with this id that the caller's key may call; undefined where there is none. */
  operation(id: string): Operation | undefined {
    const operation = this.#routes.get(id)?.operation;
    return operation && mayCall(operation, this.caller.principal) ? operation : undefined;
  }

  /**
   * Calls an operation with the members of its path, query and body as arguments, and its headers (`if_match`), `content`,
   * `content_base64` and `idempotency_key`. Rejects as its route refuses.
   */
  async call(
    id: string,
    given: ToolArguments,
    { whole, onlyRepeats = false, state, mayMail = [] }: CallOptions = {},
  ): Promise<Called> {
    const { operation, pipeline, request } = this.#permitted(id, given);
    request.mayMail = mayMail;
    const { client } = this.caller;
    if (!isWrite(operation))
      return read(operation, await runCancellable(client, () => pipeline.read(request)));
    const repetition = { ...repetitionOf(given, request, whole), onlyRepeats };
    if (state === undefined) return read(operation, await pipeline.write(request, repetition));
    request.headers['if-match'] = state;
    return read(operation, await pipeline.write(request, { ...repetition, keepsRefusals: false }));
  }

  /** Rejects as the route refuses a call by its arguments and the permissions of the key, and does nothing. */
  async check(id: string, given: ToolArguments): Promise<void> {
    const { pipeline, request } = this.#permitted(id, given);
    await pipeline.check(request);
  }

  /** Whether this call of an operation that writes is a repeat, whose answer is kept. Rejects as its route refuses. */
  async isAnswered(id: string, given: ToolArguments): Promise<boolean> {
    const { operation, pipeline, request } = this.#permitted(id, given);
    return isWrite(operation) && pipeline.isAnswered(request, repetitionOf(given, request, undefined));
  }

  #permitted(id: string, given: ToolArguments) {
    const route = this.#routes.get(id);
    if (route === undefined) throw new TypeError(`There is no operation ${id}`);
    const { operation, pipeline } = route;
    const request = this.#request(operation, given);
    permitTarget(operation, this.caller.principal, request);
    return { operation, pipeline, request };
  }

  #request(operation: Operation, given: ToolArguments): ApiRequest {
    const { principal, authorization, origin } = this.caller;
    const sections = sectionsOf(operation, given);
    const body = operation.rawBody ? contentOf(operation, given) : jsonOf(operation, sections.body);
    const headers = headersOf(operation, given);
    headers.authorization = authorization;
    if (body !== undefined) headers['content-length'] = String(body.length);
    return {
      id: newRequestId(),
      method: operation.method,
      url: urlOf(operation, sections),
      headers,
      principal,
      params: sections.params,
      query: sections.query,
      body: body && operation.rawBody ? Readable.from([body]) : body,
      origin,
    };
  }
}

/** Whether the key of a principal may call an operation on anything at all. */
export function mayCall(operation: Operation, principal: Principal): boolean {
  return refusalOf(operation, principal) === undefined;
}

/** Why the key of a principal may not call an operation on anything at all: insufficient_scope; undefined where it may. */
export function refusalOf(operation: Operation, principal: Principal): ApiError | undefined {
  try {
    permitTarget(operation, principal, { params: {}, query: {} });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'insufficient_scope') return error;
    throw error;
  }
}

interface Sections {
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  body: Record<string, unknown>;
}

/** Whether an argument is none of the members of the operation, but means what else a request has. */
function isOfTool(operation: Operation, name: string): boolean {
  if (isMember(operation, name)) return false;
  if (name === 'idempotency_key') return true;
  if (headerArguments(operation).has(name)) return true;
  return (name === 'content' || name === 'content_base64') && operation.rawBody !== undefined;
}

/** Throws ApiError validation_failed where a member of the path is missing. */
function sectionsOf(operation: Operation, given: ToolArguments): Sections {
  const inPath = Object.keys(operation.params?.properties ?? {});
  refuse(
    inPath
      .filter((name) => given[name] === undefined || given[name] === '')
      .map((name) => ({ parameter: name, code: 'required', message: 'Is required.' })),
  );
  const inQuery = operation.query?.properties ?? {};
  const sectionOf = (name: string) => {
    if (inPath.includes(name)) return 'params';
    if (Object.hasOwn(inQuery, name)) return 'query';
    if (isOfTool(operation, name)) return undefined;
    // Without a body it is refused, like every parameter that the operation does not have.
    return operation.body === undefined ? 'query' : 'body';
  };
  const {
    params = [],
    query = [],
    body = [],
  } = Object.groupBy(
    Object.entries(given).filter(([, value]) => value !== undefined),
    ([name]) => sectionOf(name) ?? 'none',
  );
  return {
    params: Object.fromEntries(params.map(([name, value]) => [name, textOf(value)])),
    query: Object.fromEntries(query.map(([name, value]) => [name, queryValue(value)])),
    body: Object.fromEntries(body),
  };
}

function isMember({ body }: Operation, name: string): boolean {
  const properties = (body as { properties?: object } | undefined)?.properties ?? {};
  return Object.hasOwn(properties, name);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function queryValue(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(textOf) : textOf(value);
}

/** Path and query, in an order that does not depend on that of the arguments. */
function urlOf(operation: Operation, { params, query }: Sections): string {
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params[name] ?? '').toWellFormed()),
  );
  const search = new URLSearchParams();
  for (const name of Object.keys(query).sort())
    for (const value of [query[name] ?? []].flat()) search.append(name, value);
  return search.size === 0 ? path : `${path}?${search}`;
}

function jsonOf(operation: Operation, body: Record<string, unknown>): Buffer | undefined {
  return operation.body === undefined ? undefined : Buffer.from(canonicalJson(body));
}

const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

/** The bytes of `content` or `content_base64`. Throws ApiError validation_failed or payload_too_large. */
function contentOf({ rawBody }: Operation, { content, content_base64: coded }: ToolArguments): Buffer {
  if ((content === undefined) === (coded === undefined))
    throw wrongContent('Give content as text, or content_base64 as bytes.');
  const isText = content !== undefined;
  const text = isText ? content : coded;
  if (typeof text !== 'string') throw wrongContent('Give a text.');
  // What is left out or replaced would be lost without a word.
  if (isText && !text.isWellFormed()) throw wrongContent('Half of a surrogate pair is no character.');
  if (!isText && !(BASE64.test(text) && text.length % 4 === 0))
    throw wrongContent('content_base64 is not Base64.');
  const bytes = Buffer.from(text, isText ? 'utf8' : 'base64');
  rawBody?.checkSize?.(bytes.length);
  return bytes;
}

function wrongContent(message: string): ApiError {
  return invalid([{ pointer: '/content', code: 'wrong_format', message }]);
}

function repetitionOf(
  given: ToolArguments,
  { method, url, body, headers }: ApiRequest,
  whole: ToolArguments | undefined,
): Repetition {
  const { idempotency_key: key } = given;
  if (key !== undefined) return { idempotencyKey: idempotencyKeyOf(typeof key === 'string' ? key : '') };
  const content = Buffer.isBuffer(body) ? body.toString() : textOf([given.content, given.content_base64]);
  const { authorization, 'content-length': length, ...others } = headers;
  const parts = [method, url, canonicalJson(others), content, whole ? canonicalJson(whole) : null];
  const digest = hash('sha256', JSON.stringify(parts), 'base64url');
  return { idempotencyKey: `call-${digest}`, ttlMs: SAME_CALL_MS, keepsRefusals: false };
}

/** Bytes of a list that is sent in chunks: more than an agent reads, little enough to be parsed at once. */
const LONGEST_LIST = 4 * 1024 * 1024;

async function read(operation: Operation, answer: Answer): Promise<Called> {
  const isReplayed = 'replayed' in answer && answer.replayed;
  if ('content' in answer) {
    const { content } = answer;
    const state = unquoted(answer.etag ?? content.validators?.etag);
    if (operation.content) return { operation, data: null, isReplayed, content, ...state };
    return { operation, isReplayed, ...state, ...envelopeIn(await longList(content)) };
  }
  if (answer.body === '') return { operation, data: null, isReplayed, ...unquoted(answer.etag) };
  const { error, data, pagination } = envelopeIn(answer.body);
  if (error) throw refusalIn(error, isReplayed);
  return { operation, data, isReplayed, ...(pagination && { pagination }), ...unquoted(answer.etag) };
}

interface Envelope {
  data: unknown;
  pagination?: Pagination;
  error?: ErrorRecord;
}

interface ErrorRecord {
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

function refusalIn({ code, message, details }: ErrorRecord, isReplayed: boolean): ApiError {
  return isReplayed ? new KeptRefusal(code, message, details) : new ApiError(code, message, details);
}

function envelopeIn(body: string): Envelope {
  return JSON.parse(body) as Envelope;
}

function unquoted(etag: string | undefined): { state?: string } {
  return etag === undefined ? {} : { state: etag.replaceAll('"', '') };
}

async function longList(content: Content): Promise<string> {
  if ((content.size ?? 0) > LONGEST_LIST) {
    await content.discard();
    throw new ApiError('payload_too_large', 'The answer is too long for a tool. Ask for less of it.');
  }
  const opened = await content.open();
  if (!(opened instanceof Readable)) return Buffer.from(opened).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of opened) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
