import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { isWrite, type Operation } from '../../contract/operation.ts';
import { headerArguments } from './header-arguments.ts';
import type { Offer, Tool } from './tools.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * A tool as `tools/list` shows it: its arguments with their types and words for what a name does not say. The operation
 * checks more than that. A short list leaves room for the conversation (MCP-8).
 */
export function listedTool({ name, offers }: Tool): ListedTool {
  const operations = offers.map(({ operation }) => operation);
  const [first] = offers;
  const isReading = operations.every((operation) => !isWrite(operation));
  const hints = offers.map(({ agent }) => agent.hint).filter((hint) => hint !== undefined);
  return {
    name,
    title: first?.agent.title ?? name,
    description: hints.join(' '),
    inputSchema: inputSchemaOf(offers),
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: offers.some(({ agent }) => agent.isDestructive),
      idempotentHint: true,
      openWorldHint: offers.some(({ agent }) => agent.isOpen),
    },
  };
}

function inputSchemaOf(offers: readonly Offer[]): ListedTool['inputSchema'] {
  const each = offers.map(argumentsOf);
  const properties = Object.assign({}, ...each.map(({ members }) => members));
  const required = Object.keys(properties).filter((name) => each.every((of) => of.required.includes(name)));
  const isWriting = offers.some(({ operation }) => isWrite(operation));
  if (isWriting) properties.idempotency_key = { type: 'string' };
  else if (!('cursor' in properties) && offers.length > 0) properties.cursor = { type: 'string' };
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

interface Arguments {
  members: Record<string, Schema>;
  required: string[];
}

function argumentsOf({ operation, agent }: Offer): Arguments {
  if (agent.asArguments) return { members: { id: { type: 'string' } }, required: ['id'] };
  const { params, query, headers, body, rawBody } = operation;
  const sections = [params, query, body] as readonly (Schema | undefined)[];
  const members: Record<string, Schema> = Object.fromEntries(
    sections
      .flatMap((section) => Object.entries((section?.properties ?? {}) as Record<string, Schema>))
      .filter(([name]) => !agent.lists || agent.lists.includes(name))
      .map(([name, schema]) => [name, shortened(schema)]),
  );
  if (headers && 'If-Match' in headers.properties) members.if_match = { type: 'string' };
  if (rawBody) members.content = { type: 'string' };
  if (rawBody && rawBody.mediaType !== 'text/markdown') members.content_base64 = { type: 'string' };
  const required = sections.flatMap((section) => (section?.required ?? []) as string[]);
  return { members, required };
}

/** Choices that a list shows; of more, that it is a text. */
const MOST_CHOICES = 12;

/** What remains of a schema: types, choices and members. */
function shortened(schema: Schema): Schema {
  const { type, enum: choices, items, properties, required, anyOf } = schema;
  if (Array.isArray(choices)) return choices.length > MOST_CHOICES ? { type: 'string' } : { enum: choices };
  if (Array.isArray(anyOf)) return eitherOf(anyOf as Schema[]);
  if (type === 'array') return { type, items: shortened((items ?? {}) as Schema) };
  if (type !== 'object' || properties === undefined) return type === undefined ? {} : { type };
  const members = Object.entries(properties as Record<string, Schema>);
  return {
    type,
    properties: Object.fromEntries(members.map(([name, member]) => [name, shortened(member)])),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}

/** Simple types beside each other; nothing where one of them has members. */
function eitherOf(schemas: readonly Schema[]): Schema {
  const types = schemas.map(({ type, properties, items }) => (properties || items ? undefined : type));
  return types.every((type) => typeof type === 'string') ? { type: [...new Set(types)] } : {};
}

/** All that describe_operation tells: the sections of a declaration with their whole schemas (MCP-48). */
export function describedOperation(operation: Operation): Schema {
  const { id, area, summary, description, permissions, params, query, body, rawBody, errors } = operation;
  const headers = Array.from(headerArguments(operation));
  const ofHeaders = headers.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return {
    operation_id: id,
    area,
    summary,
    description,
    permissions,
    writes: isWrite(operation),
    // Of those of the body, its own schema says so.
    required: [...(params?.required ?? []), ...(query?.required ?? []), ...ofHeaders],
    arguments: {
      path: params?.properties,
      query: query?.properties,
      headers: describedHeaders(operation),
      body: body ?? undefined,
      content: rawBody && CONTENT,
    },
    ...(rawBody ? { content: rawBody.mediaType } : {}),
    errors,
  };
}

const CONTENT: Schema = {
  content: { type: 'string', description: 'The content as text.' },
  content_base64: { type: 'string', description: 'Instead, as bytes in Base64.' },
};

const IDEMPOTENCY_KEY: Schema = {
  type: 'string',
  description:
    'Calls with the same one act once within a day; without one, those with the same arguments in ten minutes.',
};

function describedHeaders(operation: Operation): Schema {
  const declared = Array.from(headerArguments(operation), ([name, { schema }]) => [name, schema]);
  return Object.fromEntries([
    ...declared,
    ...(isWrite(operation) ? [['idempotency_key', IDEMPOTENCY_KEY]] : []),
  ]);
}
