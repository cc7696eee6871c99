import type { TSchema } from 'typebox';
import type { Operation } from '../../src/contract/operation.ts';
import type { Example } from '../refusals/examples.ts';
import { validRequest } from '../refusals/refusals.ts';
import type { Objects } from '../refusals/world.ts';

/** Where in a request a text stands. */
export interface Place {
  in: 'path' | 'query' | 'body';
  name: string;
  /** In a body, whether it stands below the first level. */
  isNested?: boolean;
  /** Whether it is an item of a list. */
  isItem?: boolean;
}

/** Every place where a request of the operation may hold a text of the caller's choice. */
export function textPlaces({ path, query, body }: Operation): Place[] {
  return [
    ...path.matchAll(/:(\w+)/g).map(([, name = '']): Place => ({ in: 'path', name })),
    ...textsOf(query).map((text): Place => ({ in: 'query', ...text })),
    ...textsOf(body).map((text): Place => ({ in: 'body', ...text })),
  ];
}

/** The parts of a JSON schema that hold others. */
interface Holder {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
  allOf?: TSchema[];
}

type Text = Omit<Place, 'in'>;

function textsOf(schema: TSchema | undefined, at?: Text): Text[] {
  if (schema === undefined) return [];
  const { type, enum: closed, properties = {}, items, anyOf = [], allOf = [] } = schema as Holder;
  const members = Object.entries(properties).flatMap(([name, member]) =>
    textsOf(member, at ? { name, isNested: true } : { name }),
  );
  const found = [
    ...(at && type === 'string' && closed === undefined ? [at] : []),
    ...members,
    ...textsOf(items, at && { ...at, isItem: true }),
    ...[...anyOf, ...allOf].flatMap((part) => textsOf(part, at)),
  ];
  return found.filter((text, i) => found.findIndex(({ name }) => name === text.name) === i);
}

/** A request that can be sent. */
export interface Request {
  path: string;
  options: { headers: Record<string, string>; body?: unknown };
}

/** The request of the operation's example with these values at a place; several only where it takes a list. */
export function requestWith(
  operation: Operation,
  example: Example,
  of: Objects,
  place: Place,
  values: readonly string[],
  beside: object = {},
): Request {
  const { path, options } = validRequest(operation, example, of);
  if (place.in === 'path') return { path: withSegment(operation.path, path, place.name, values), options };
  if (place.in === 'query') return { path: withQuery(path, place.name, values), options };
  const value = place.isItem ? values : values[0];
  const body = { ...(options.body as object), ...beside, [place.name]: value };
  return { path, options: { ...options, body } };
}

function withSegment(declared: string, path: string, name: string, [value = '']: readonly string[]): string {
  const [bare = '', query] = path.split('?');
  const at = declared.split('/').indexOf(`:${name}`);
  const segments = bare.split('/').with(at, value);
  return [segments.join('/'), ...(query === undefined ? [] : [query])].join('?');
}

function withQuery(path: string, name: string, values: readonly string[]): string {
  const [bare, query] = path.split('?');
  const parameters = new URLSearchParams(query);
  parameters.delete(name);
  for (const value of values) parameters.append(name, value);
  return `${bare}?${parameters}`;
}
