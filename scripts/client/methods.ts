import {
  answersBytes,
  type DescribedOperation,
  dataOf,
  isPaged,
  type Parameter,
  type Schema,
} from './document.ts';
import { comment, literal, type NamedTypes } from './types.ts';

/** An operation with where it is. */
export interface PlacedOperation {
  path: string;
  method: string;
  operation: DescribedOperation;
}

/** What one argument of a method is called, how it is declared, and what it becomes in the call. */
interface Argument {
  declaration: string;
  /** Members of the call. */
  call: readonly string[];
}

/** Those that the client itself sees to: keys of its own, and answers that it has not kept. */
const OWN_HEADERS = new Set(['idempotency-key', 'if-none-match']);

/** The method of an operation; the types that it needs are declared in `types`. */
export function methodOf(placed: PlacedOperation, types: NamedTypes): string {
  const { operation } = placed;
  const { operationId, summary, description } = operation;
  const args = [
    ...pathArguments(operation),
    ...bodyArgument(operation, types),
    ...queryArgument(operation, types),
  ];
  const headers = operation.parameters.filter(({ in: place, name }) => place === 'header' && !isOwn(name));
  const declarations = [...args.map(({ declaration }) => declaration), optionsDeclaration(headers)];
  const call = [
    ...verb(placed),
    `path: ${pathText(placed.path)}`,
    ...args.flatMap(({ call: members }) => members),
  ];
  const { kind, type } = answerOf(operation, types);
  const members = [...call, ...headersMember(headers)].join(', ');
  return [
    comment([summary, description].filter(Boolean).join('\n\n')),
    `${operationId}(${declarations.join(', ')}): ${type} {\n`,
    `  return this.requests.${kind}({ ${members} }, options);\n`,
    '}\n',
  ].join('');
}

/** GET is what a call is unless it says otherwise. */
function verb({ method }: PlacedOperation): string[] {
  return method === 'get' ? [] : [`method: ${literal(method.toUpperCase())}`];
}

function pathText(path: string): string {
  const text = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${${camel(name)}}`);
  return text.includes('$') ? `path\`${text}\`` : literal(text);
}

function pathArguments({ parameters }: DescribedOperation): Argument[] {
  return parameters
    .filter(({ in: place }) => place === 'path')
    .map(({ name, schema }) => ({
      declaration: `${camel(name)}: ${schema.type === 'integer' ? 'number' : 'string'}`,
      call: [],
    }));
}

function bodyArgument({ operationId, requestBody }: DescribedOperation, types: NamedTypes): Argument[] {
  const [mediaType, described] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (mediaType === undefined) return [];
  if (described?.schema === undefined) {
    const declared = mediaType === '*/*' ? 'application/octet-stream' : mediaType;
    return [{ declaration: 'content: Bytes', call: ['content', `mediaType: ${literal(declared)}`] }];
  }
  const name = `${pascal(operationId)}Body`;
  types.declare(name, withoutTitle(described.schema));
  return [{ declaration: `body: ${name}`, call: ['body'] }];
}

function queryArgument({ operationId, parameters }: DescribedOperation, types: NamedTypes): Argument[] {
  const members = parameters.filter(({ in: place }) => place === 'query');
  if (members.length === 0) return [];
  const name = `${pascal(operationId)}Query`;
  const required = members.filter((member) => member.required).map((member) => member.name);
  types.declare(name, { properties: Object.fromEntries(members.map(describedMember)), required });
  return [{ declaration: `query: ${name}${required.length > 0 ? '' : ' = {}'}`, call: ['query'] }];
}

/** One that may be repeated takes a single value as well. */
function describedMember({ name, schema, description }: Parameter): [string, Schema] {
  const type = schema.items ? { anyOf: [schema.items, schema] } : schema;
  return [name, { ...type, ...(description !== undefined && { description }) }];
}

function optionsDeclaration(headers: readonly Parameter[]): string {
  const own = headers.map(({ name }) => `${camel(name)}?: string`).join('; ');
  return `options: RequestOptions${own && ` & { ${own} }`} = {}`;
}

function headersMember(headers: readonly Parameter[]): string[] {
  if (headers.length === 0) return [];
  const members = headers.map(({ name }) => `${literal(name.toLowerCase())}: options.${camel(name)}`);
  return [`headers: { ${members.join(', ')} }`];
}

function answerOf(operation: DescribedOperation, types: NamedTypes): { kind: string; type: string } {
  if (answersBytes(operation)) return { kind: 'content', type: 'Promise<Content>' };
  const data = dataOf(operation);
  if (data === undefined) return { kind: 'done', type: 'Promise<void>' };
  if (isPaged(operation)) return { kind: 'pages', type: `Pages<${types.expressionOf(data.items ?? {})}>` };
  return { kind: 'data', type: `Promise<${types.expressionOf(data)}>` };
}

function isOwn(header: string): boolean {
  return OWN_HEADERS.has(header.toLowerCase());
}

function withoutTitle({ title: _, ...schema }: Schema): Schema {
  return schema;
}

/** "If-Match", "folder_id" and "API keys" become ifMatch, folderId and apiKeys. */
export function camel(name: string): string {
  const [first = '', ...rest] = name.toLowerCase().split(/[-_ ]/).filter(Boolean);
  return first + rest.map(pascal).join('');
}

/** With a capital in front. */
export function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
