/** The reference says of everything what it means and what it looks like. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { DescribedOperation, OpenApiDocument, Schema } from '../../scripts/client/document.ts';

type Documented = Schema & { examples?: unknown[] };

const DOCUMENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../golden/openapi.json'), 'utf8'),
) as OpenApiDocument & { info: { description: string }; components: { schemas: Record<string, Schema> } };

/** What shows its values by itself: choices, truths, and what consists of members that have examples. */
function speaksForItself(schema: Schema): boolean {
  const { type, properties, anyOf, items } = schema;
  if (schema.enum || 'const' in schema || '$ref' in schema || properties) return true;
  if (items) return speaksForItself(items) || 'examples' in items;
  return anyOf?.every(speaksForItself) ?? (type === 'boolean' || type === 'null');
}

/** One sentence for each field that lacks its meaning or an example. */
function gaps(schema: Documented, where: string): string[] {
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => gapsOf(field, `${where}.${name}`)),
    ...(schema.anyOf ?? []).flatMap((choice) => gaps(choice, where)),
  ];
  return schema.items ? [...below, ...gaps(schema.items, `${where}[]`)] : below;
}

function gapsOf(field: Documented, where: string): string[] {
  const hasMeaning = Boolean(field.description) || '$ref' in field;
  const hasExample = (field.examples?.length ?? 0) > 0 || speaksForItself(field) || isTable(field);
  return [
    ...(hasMeaning ? [] : [`${where} has no description`]),
    ...(hasExample ? [] : [`${where} has no example`]),
    ...gaps(field, where),
  ];
}

/** Rows of cells, as read: the write beside it shows one. */
function isTable({ items }: Schema): boolean {
  return items?.items?.anyOf !== undefined;
}

function gapsOfOperation(operation: DescribedOperation, name: string): string[] {
  const bodies = Object.values(operation.requestBody?.content ?? {});
  const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  return [
    ...(operation.summary ? [] : [`${name} has no summary`]),
    ...operation.parameters.flatMap((parameter) => {
      const { description, schema } = parameter;
      return gapsOf(
        { ...schema, ...(description !== undefined && { description }) },
        `${name} ${parameter.name}`,
      );
    }),
    ...bodies.flatMap(({ schema }) => (schema ? gaps(schema, `${name} body`) : [])),
    ...Object.entries(operation.responses).flatMap(([status, { content }]) => {
      const data = content?.['application/json']?.schema?.properties?.data;
      return data ? gaps(data, `${name} ${status}`) : [];
    }),
    ...refusals.flatMap(([status, answer]) => refusalGaps(answer, `${name} ${status}`)),
  ];
}

function refusalGaps(answer: { description?: string }, where: string): string[] {
  return /^`[a-z_]+`: \S/.test(answer.description ?? '') ? [] : [`${where} names no code`];
}

describe('the reference', () => {
  const operations = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );

  it('describes every field of every operation, with an example, and every refusal', () => {
    assert.ok(operations.length > 90);
    assert.deepEqual(
      operations.flatMap(([name, operation]) => gapsOfOperation(operation, name)),
      [],
    );
  });

  it('describes what all answers have', () => {
    const schemas = Object.entries(DOCUMENT.components.schemas);
    assert.deepEqual(
      schemas.flatMap(([name, schema]) => gaps(schema, name)),
      [],
    );
  });

  it('explains every error code, those of no operation too', () => {
    const codes = DOCUMENT.components.schemas.Error?.properties?.error?.properties?.code?.enum ?? [];
    assert.ok(codes.length > 40);
    const unexplained = codes.filter((code) => !DOCUMENT.info.description.includes(` \`${code}\`: `));
    assert.deepEqual(unexplained, []);
  });

  it('is found lacking where something is missing', () => {
    const field = (schema: Documented) => gaps({ properties: { field: schema } }, 'x');
    assert.deepEqual(field({ type: 'string' }), ['x.field has no description', 'x.field has no example']);
    assert.deepEqual(field({ type: 'string', description: 'A field.', examples: ['a'] }), []);
    assert.deepEqual(field({ type: 'boolean', description: 'A field.' }), []);
    assert.deepEqual(refusalGaps({ description: 'Refused.' }, '400'), ['400 names no code']);
  });
});
