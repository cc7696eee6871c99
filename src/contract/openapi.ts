import { type TSchema, Type } from 'typebox';
import { ERRORS, type ErrorCode } from './errors.ts';
import { introduction } from './introduction.ts';
import { isWrite, type Operation } from './operation.ts';
import { PERMISSIONS } from './permissions.ts';
import { timestamp } from './timestamp.ts';

type Json = Record<string, unknown>;

/** Refusals that every operation can make. */
const EVERYWHERE: readonly ErrorCode[] = [
  'validation_failed',
  'unauthenticated',
  'invalid_api_key',
  'workspace_moved',
  'rate_limited',
  'internal',
  'unavailable',
];
const OF_WRITES: readonly ErrorCode[] = [
  'idempotency_key_required',
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'quota_exceeded',
];
const OF_BODIES: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
const OF_PAGES: readonly ErrorCode[] = ['invalid_cursor', 'cursor_expired'];

const Meta = Type.Object({
  request_id: Type.String({
    description: 'Also in the header X-Request-Id.',
    examples: ['req_fc1be8992b264af7b69d1e3acd907f55'],
  }),
  timestamp: timestamp('When the answer was made.'),
});
const Pagination = Type.Object({
  next_cursor: Type.String({
    description: 'The query parameter cursor of the next page; "" when has_more is false.',
    examples: [''],
  }),
  has_more: Type.Boolean({
    description:
      'True when the page is full, and when it ended early so that it is not slow. Stop on it, not on a short or empty page.',
  }),
  limit: Type.Integer({ description: 'The limit that was used.', examples: [50] }),
});
const ErrorBody = Type.Object({
  error: Type.Object(
    {
      code: Type.Enum(Object.keys(ERRORS), { description: 'Stable; branch on it.' }),
      message: Type.String({
        description: 'For people; may change.',
        examples: ['There is no message with this id.'],
      }),
      details: Type.Object(
        {},
        {
          description: 'What the code needs to be acted upon.',
          examples: [{ resource: 'message', id: 'msg_01k0qv5m8qe3rsgm9y3f2c7d4x' }],
        },
      ),
    },
    { description: 'Why the request was refused.' },
  ),
  meta: Type.Ref('#/components/schemas/Meta'),
});

/** The properties of the server that the document mentions. */
export interface DescribedServer {
  version: string;
  /** The origin under which clients reach the server, such as http://127.0.0.1:8080. */
  origin: string;
  idempotencyTtlMs: number;
}

/** The OpenAPI 3.1 document, generated from the declarations that also validate requests. */
export function openApiDocument(operations: readonly Operation[], server: DescribedServer): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atrium',
      version: server.version,
      description: introduction(server),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server.origin }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map(({ area }) => area))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: permissionTable() } },
      schemas: { Meta, Pagination, Error: ErrorBody },
    },
  };
}

function permissionTable(): string {
  const rows = Object.entries(PERMISSIONS).map(([name, allows]) => `| \`${name}\` | ${allows} |`);
  return [
    'A key acts as one user and is granted permissions.',
    '',
    '| permission | allows |',
    '|---|---|',
    ...rows,
  ].join('\n');
}

function describe(operation: Operation): Json {
  return {
    operationId: operation.id,
    tags: [operation.area],
    summary: operation.summary,
    description: [operation.description, permissionSentence(operation)].filter(Boolean).join('\n\n'),
    'x-permissions': operation.permissions,
    parameters: parameters(operation),
    ...requestBody(operation),
    responses: { ...success(operation), ...refusals(operation) },
  };
}

function permissionSentence({ permissions }: Operation): string {
  if (permissions.length === 0) return 'Any key may call this.';
  return `Permission: ${permissions.map((permission) => `\`${permission}\``).join(' or ')}.`;
}

function parameters(operation: Operation): Json[] {
  const inPath = members(operation.params).map(([name, schema]) => parameter('path', name, schema, true));
  const inQuery = members(operation.query).map(([name, schema]) =>
    parameter('query', name, schema, operation.query?.required?.includes(name) ?? false),
  );
  const key = parameter(
    'header',
    'Idempotency-Key',
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A new value for each write, the same for its retries.',
      examples: ['my-first-letter'],
    }),
    true,
  );
  const inHeader = members(operation.headers).map(([name, schema]) =>
    parameter('header', name, schema, false),
  );
  return [...inPath, ...inQuery, ...(isWrite(operation) ? [key] : []), ...inHeader];
}

function members(schema: Operation['params']): [string, TSchema][] {
  return Object.entries(schema?.properties ?? {});
}

function parameter(location: string, name: string, schema: TSchema, required: boolean): Json {
  const { description, ...rest } = schema as TSchema & { description?: string };
  return { name, in: location, required, ...(description ? { description } : {}), schema: rest };
}

function requestBody({ body, rawBody }: Operation): Json {
  if (rawBody) return { requestBody: { required: true, content: { [rawBody.mediaType]: {} } } };
  if (!body) return {};
  return { requestBody: { required: true, content: { 'application/json': { schema: body } } } };
}

function success(operation: Operation): Json {
  const status = operation.status ?? 200;
  if (status === 204) return { 204: { description: 'Done; no content.' } };
  if (operation.content) {
    const content = Object.fromEntries(operation.content.mediaTypes.map((type) => [type, {}]));
    return { [status]: { description: 'The bytes.', content } };
  }
  const schema = Type.Object({
    data: operation.answer ?? Type.Unknown(),
    meta: Type.Ref('#/components/schemas/Meta'),
    ...(operation.paging ? { pagination: Type.Ref('#/components/schemas/Pagination') } : {}),
  });
  const streams = operation.streams === undefined ? {} : { [operation.streams]: {} };
  const answer = { description: 'Done.', content: { 'application/json': { schema }, ...streams } };
  if (!operation.tagged) return { [status]: answer };
  const headers = { ETag: { description: 'The state, in quotes.', schema: Type.String() } };
  return {
    [status]: { ...answer, headers },
    304: { description: 'Nothing has changed since the state that If-None-Match names.', headers },
  };
}

/** One entry for each status, with the codes of that status. */
function refusals(operation: Operation): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(operation)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { 'application/json': { schema: Type.Ref('#/components/schemas/Error') } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'), content },
    ]),
  );
}

/** The codes that an operation can answer with: its own, and those that follow from its features. */
export function codesOf(operation: Operation): ErrorCode[] {
  return [
    ...new Set([
      ...EVERYWHERE,
      ...(operation.permissions.length > 0 ? (['insufficient_scope'] as const) : []),
      ...(isWrite(operation) ? OF_WRITES : []),
      ...(operation.method !== 'GET' ? OF_BODIES : []),
      ...(operation.method !== 'GET' && !operation.rawBody ? (['invalid_json'] as const) : []),
      ...(operation.paging ? OF_PAGES : []),
      ...(operation.params ? (['not_found'] as const) : []),
      ...(operation.errors ?? []),
    ]),
  ];
}
