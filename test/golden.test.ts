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

// The method, path, status, permission and paging of operations as the specification gives them:
// CONTACT-4, CONTACT-5, CONTACT-6, CONTACT-17, CONTACT-22, CONTACT-23, CONTACT-26, CONTACT-27, CONTACT-28,
// CONTACT-29, CONTACT-33, FILE-16, FILE-20, FILE-21, FILE-24, FILE-25, FILE-26, FILE-30, FILE-38, FILE-43, FILE-46,
// FILE-50, FILE-53, FILE-57, FILE-59, FILE-60, FILE-61, FILE-62, FILE-65, FILE-71, FILE-72, FILE-73, DOC-9, DOC-11,
// DOC-12, DOC-15, DOC-16, DOC-17, DOC-18, DOC-19, DOC-24, DOC-25, DOC-26, SHEET-6, SHEET-22, SHEET-23, SHEET-26,
// SHEET-27, SHEET-40, SHEET-52, SHEET-58, SHEET-59, CAL-5, CAL-6, CAL-8, CAL-9, CAL-22, CAL-24, CAL-25, CAL-26, CAL-27, CAL-34, CAL-47.
test('the routes are those of test/golden/routes.txt', (t) => {
  const lines = operations.map(lineOf).sort();
  t.assert.fileSnapshot(`${lines.join('\n')}\n`, join(GOLDEN, 'routes.txt'), { serializers: [String] });
});

test('every operation is below /v1, and is stated in docs/spec by its method, its path and what it requires (API-1, API-2, API-91)', () => {
  const pages = globSync('docs/spec/*.md', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const text = pages.join('\n').replaceAll(/\s+/g, ' ').replaceAll('`GET` and `HEAD` of `', '`GET ');
  for (const { method, path, permissions } of operations) {
    assert.match(path, /^\/v1\//);
    const stated = `\`${method} ${path}\``;
    const required = permissions.map((permission) => `\`${permission}\``).join(' or ');
    assert.ok(text.includes(required ? `${stated} (${required})` : stated), `${stated} (${required})`);
  }
  const routes = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  const stated = [...text.matchAll(/`((?:GET|POST|PUT|DELETE) \/v1\/[^` ]+)`/g)].map(
    ([, route = '']) => route,
  );
  assert.deepEqual(
    stated.filter((route) => !routes.has(route) && route !== 'GET /v1/openapi.json'),
    [],
  );
});

test('a list is paged by 25 items, at most 100, but for those that state others, and these are whole (API-139, API-146)', () => {
  const pagings = operations.flatMap(({ id, paging }) =>
    paging && !(paging.default === 25 && paging.cap === 100) ? [`${id} ${paging.default}/${paging.cap}`] : [],
  );
  assert.deepEqual(pagings.sort(), [
    'listContacts 50/200',
    'listFiles 50/200',
    'listMessages 50/200',
    'listThreadMessages 50/200',
  ]);
  const whole = operations.filter(({ id, paging }) => id.startsWith('list') && !paging).map(({ id }) => id);
  const stated = [
    'listAddressBooks',
    'listCalendars',
    'listFileAccess',
    'listFileFolderAccess',
    'listFileFolderPermissions',
    'listFileFolders',
    'listFilePermissions',
    'listMailFolders',
    'listWebhookAttempts',
  ];
  assert.deepEqual(whole.sort(), stated);
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
