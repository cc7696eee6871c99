import assert from 'node:assert/strict';
import { type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { ERRORS } from '../src/contract/errors.ts';
import { codesOf } from '../src/contract/openapi.ts';
import { ANY_MEDIA_TYPE, type Operation } from '../src/contract/operation.ts';

// API-22
const Meta = Type.Object(
  { request_id: Type.String({ pattern: '^req_[0-9a-f]{32}$' }), timestamp: Type.String({ pattern: 'Z$' }) },
  { additionalProperties: false },
);
// API-23, API-145
const Pagination = Type.Object(
  { next_cursor: Type.String(), has_more: Type.Boolean(), limit: Type.Integer() },
  { additionalProperties: false },
);
// API-27, API-29
const Refusal = Compile(
  Type.Object(
    {
      error: Type.Object(
        {
          code: Type.Enum(Object.keys(ERRORS)),
          message: Type.String({ minLength: 1 }),
          details: Type.Object({}),
        },
        { additionalProperties: false },
      ),
      meta: Meta,
    },
    { additionalProperties: false },
  ),
);

const compiled = new Map<Operation, Validator>();

/** What of an answer is declared. */
interface DeclaredAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly headers: Headers;
}

/** Fails unless an answer is one that its operation declares: status, members and codes, or its media type. */
export function assertDeclared(
  operations: readonly Operation[],
  method: string,
  path: string,
  { status, json, headers }: DeclaredAnswer,
): void {
  const operation = operationAt(operations, method, path);
  if (!operation) return;
  if (operation.content) {
    if (status === 200 || status === 206) assertMediaType(operation, operation.content.mediaTypes, headers);
    return;
  }
  if (operation.tagged && status === 304) return;
  if (operation.streams !== undefined && headers.get('content-type') === operation.streams) return;
  if (status < 400) {
    // API-25
    assert.equal(status, operation.status ?? 200, `${operation.id} answers with another status`);
    if (status !== 204) assertFits(validatorOf(operation), json, operation.id);
    return;
  }
  // API-27
  assertFits(Refusal, json, operation.id);
  const { code } = (json as { error: { code: keyof typeof ERRORS } }).error;
  assert.equal(ERRORS[code].status, status, `${code} has another status`);
  assert.ok(codesOf(operation).includes(code), `${operation.id} does not declare ${code}`);
}

/** What an operation is found by: its method, the words of its path, and how many of them are parameters. */
interface Route {
  operation: Operation;
  words: readonly string[];
  parameters: number;
}

const routes = new WeakMap<readonly Operation[], Route[]>();

/** A path without parameters goes before one with them, as in the router. */
function operationAt(operations: readonly Operation[], method: string, path: string): Operation | undefined {
  const asked = (path.split('?')[0] ?? '').split('/');
  return routesOf(operations).find(
    ({ operation, words }) =>
      operation.method === method &&
      words.length === asked.length &&
      words.every((word, i) => word.startsWith(':') || word === asked[i]),
  )?.operation;
}

/** In the order in which they are tried. Made once: it is asked for with every answer. */
function routesOf(operations: readonly Operation[]): Route[] {
  const known = routes.get(operations);
  if (known) return known;
  const made = operations
    .map((operation) => {
      const words = operation.path.split('/');
      return { operation, words, parameters: words.filter((word) => word.startsWith(':')).length };
    })
    .sort((a, b) => a.parameters - b.parameters);
  routes.set(operations, made);
  return made;
}

function assertMediaType({ id }: Operation, declared: readonly string[], headers: Headers): void {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const isDeclared = declared.includes(ANY_MEDIA_TYPE) || declared.includes(type);
  assert.ok(isDeclared, `${id} does not declare ${type}`);
}

function validatorOf(operation: Operation): Validator {
  const found = compiled.get(operation);
  if (found) return found;
  // API-21
  const members: Record<string, TSchema> = { data: operation.answer ?? Type.Unknown(), meta: Meta };
  // API-23
  if (operation.paging) members.pagination = Pagination;
  const validator = Compile(Type.Object(members, { additionalProperties: false }));
  compiled.set(operation, validator);
  return validator;
}

function assertFits(validator: Validator, value: unknown, what: string): void {
  if (!validator.Check(value)) assert.fail(`${what}: ${JSON.stringify(validator.Errors(value).slice(0, 3))}`);
}
