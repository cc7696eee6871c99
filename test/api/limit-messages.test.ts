/** The messages about limits, for every limit that a declared body or query has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { SchemaCheck } from '../../src/contract/validation.ts';
import type { Violation } from '../../src/contract/violations.ts';
import { operationsOf } from '../../src/start/server.ts';

interface Keywords {
  type?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  not?: unknown;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  examples?: readonly unknown[];
  properties?: Record<string, Keywords>;
  items?: Keywords;
  anyOf?: readonly Keywords[];
}

/** Texts that the patterns of declarations refuse: control characters, blanks, separators, a text of another form. */
const ODD_TEXTS = ['\u0000', '\t', ' ', '/', '\\', 'a/ /b', 'é', 'no such form', ''];

/** For each keyword, values that break it. */
const BREAKING: Record<string, (schema: Keywords) => unknown[]> = {
  type: ({ type }) => [type === 'string' ? 5 : 'text', null],
  enum: () => ['none of these'],
  minimum: ({ minimum = 0 }) => [minimum - 1],
  maximum: ({ maximum = 0 }) => [maximum + 1],
  minLength: ({ minLength = 0 }) => (minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
  maxLength: ({ maxLength = 0 }) => ['x'.repeat(maxLength + 1)],
  pattern: () => ODD_TEXTS,
  format: () => ['tomorrow', '2026-11-30', '2026-11-30T09:30:00'],
  not: () => ODD_TEXTS,
  minItems: ({ minItems = 0 }) => (minItems > 0 ? [Array(minItems - 1).fill('x')] : []),
  maxItems: ({ maxItems = 0 }) => [Array(maxItems + 1).fill('x')],
  uniqueItems: () => [['x', 'x']],
  minProperties: () => [{}],
  anyOf: () => [{}, null, { type: 'none of these' }, 'none of these'],
};

function* schemasWithin(schema: Keywords): Generator<Keywords> {
  yield schema;
  const { properties = {}, items, anyOf = [] } = schema;
  for (const child of [...Object.values(properties), ...(items ? [items] : []), ...anyOf])
    yield* schemasWithin(child);
}

/** Every schema within a body or a query once, with the operation that declares it first. */
const DECLARED = new Map<string, { id: string; schema: Keywords }>();
for (const { id, body, query } of operationsOf({} as Parameters<typeof operationsOf>[0])) {
  for (const declared of [body, query]) {
    for (const schema of declared ? schemasWithin(declared as Keywords) : []) {
      const text = JSON.stringify(schema);
      if (!DECLARED.has(text)) DECLARED.set(text, { id, schema });
    }
  }
}

interface Message extends Violation {
  id: string;
  keyword: string;
  schema: Keywords;
}

/** What is said of each value that breaks a keyword; of the value itself, not of its members. */
function* messages(): Generator<Message> {
  for (const { id, schema } of DECLARED.values()) {
    const check = new SchemaCheck(schema as TSchema);
    for (const [keyword, valuesOf] of Object.entries(BREAKING)) {
      for (const value of Object.hasOwn(schema, keyword) ? valuesOf(schema) : []) {
        for (const violation of check.violations(value)) {
          if (violation.pointer === '') yield { ...violation, id, keyword, schema };
        }
      }
    }
  }
}

test('the message about a limit says in words what to give, for every limit that is declared (API-159)', () => {
  const seen = new Set<string>();
  for (const { id, keyword, message } of messages()) {
    seen.add(keyword);
    assert.match(message, /^(?:Give|Add) .*\.$/, `${id}, ${keyword}: ${message}`);
    assert.doesNotMatch(message, /[<>]=|Must be|undefined|the reference/, `${id}, ${keyword}: ${message}`);
  }
  assert.deepEqual([...seen].toSorted(), Object.keys(BREAKING).toSorted());
});

test('the message about a limit of numbers, texts and arrays shows an example where one is declared (API-159)', () => {
  const limits = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']);
  for (const { id, keyword, schema, message } of messages()) {
    if (!limits.has(keyword) || schema.examples === undefined) continue;
    const [example] = schema.examples;
    assert.ok(message.includes(JSON.stringify(example)), `${id}, ${keyword}: ${message}`);
  }
});
