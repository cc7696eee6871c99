/**
 * The whole interface as two files, so that every change of it is seen in review, and the client that follows from it.
 * `npm run golden` writes them anew.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OpenApiDocument } from '../scripts/client/document.ts';
import { clientFiles } from '../scripts/client/files.ts';
import { openApiDocument } from '../src/contract/openapi.ts';
import { isWrite, type Operation } from '../src/contract/operation.ts';
import { operationsOf } from '../src/start/server.ts';

const SERVER = { version: 'any', origin: 'http://127.0.0.1:8080', idempotencyTtlMs: 86_400_000 };
const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);
const ROOT = join(import.meta.dirname, '..');
const declarations = globSync('src/**/*operations.ts', { cwd: ROOT }).map((path) => ({
  path,
  source: readFileSync(join(ROOT, path), 'utf8'),
}));
const GOLDEN = join(import.meta.dirname, 'golden');
const GENERATED = join(import.meta.dirname, '../client/src/generated');

test('the routes are those of test/golden/routes.txt', (t) => {
  const lines = operations.map(lineOf).sort();
  t.assert.fileSnapshot(`${lines.join('\n')}\n`, join(GOLDEN, 'routes.txt'), { serializers: [String] });
});

test('the OpenAPI document is that of test/golden/openapi.json', (t) => {
  const document = openApiDocument(operations, SERVER);
  t.assert.fileSnapshot(document, join(GOLDEN, 'openapi.json'), { serializers: [pretty] });
});

test('the client is the one that follows from the OpenAPI document', async (t) => {
  const document = JSON.parse(JSON.stringify(openApiDocument(operations, SERVER))) as OpenApiDocument;
  const files = clientFiles(document);
  for (const [name, text] of Object.entries(files)) {
    t.assert.fileSnapshot(text, join(GENERATED, name), { serializers: [String] });
  }
  t.assert.deepEqual((await readdir(GENERATED)).sort(), Object.keys(files).sort());
});

/**
 * Path, method, status, permissions (either of them), whether it is idempotent by key, how it is paged, its id, and the file
 * that declares it.
 */
function lineOf(operation: Operation): string {
  const { id, path, method, permissions, paging, status = 200 } = operation;
  return [
    path.padEnd(50),
    method.padEnd(6),
    status,
    (permissions.join('|') || 'any key').padEnd(22),
    isWrite(operation) ? 'idempotent' : 'reads     ',
    (paging ? `paged ${paging.default}/${paging.cap}` : '-').padEnd(13),
    id.padEnd(28),
    fileOf(id),
  ].join('  ');
}

function fileOf(id: string): string {
  const files = declarations.filter(({ source }) => source.includes(`id: '${id}'`));
  assert.equal(files.length, 1, `${id} is declared in one file`);
  return files[0]?.path ?? '';
}

function pretty(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
