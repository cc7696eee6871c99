import { randomUUID } from 'node:crypto';
import { OWNER_KEY } from '../harness.ts';
import { EXAMPLES } from '../refusals/examples.ts';
import type { Objects } from '../refusals/world.ts';
import type { Declared } from './document.ts';
import type { FuzzRequest } from './requests.ts';

/** The request of which it is known that the operation takes it, as long as the objects are as they were made. */
export function workingRequest(operation: Declared, objects: Objects): FuzzRequest {
  const example = EXAMPLES[operation.id];
  if (!example) throw new TypeError(`There is no example of ${operation.id}`);
  const { pathname, searchParams } = new URL(example.path(objects), 'http://localhost');
  const isJson = example.body !== undefined;
  const body = isJson ? JSON.stringify(example.body?.(objects)) : example.raw;
  return {
    operation,
    path: pathParameters(operation.path, pathname),
    query: [...searchParams],
    headers: {
      authorization: `Bearer ${OWNER_KEY}`,
      'idempotency-key': randomUUID(),
      ...(body !== undefined && { 'content-type': isJson ? 'application/json' : mediaTypeOf(operation) }),
      ...lowerCased(example.headers),
    },
    body,
  };
}

function pathParameters(template: string, pathname: string): Record<string, string> {
  const values = pathname.split('/').map(decodeURIComponent);
  const names = template.split('/');
  return Object.fromEntries(
    names.flatMap((name, at) => (name.startsWith('{') ? [[name.slice(1, -1), values[at] ?? '']] : [])),
  );
}

function mediaTypeOf({ bodies }: Declared): string {
  const [type = '*/*'] = Object.keys(bodies);
  return type.includes('*') ? 'application/octet-stream' : type;
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
