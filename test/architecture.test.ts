import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseModule, readModules } from './architecture/modules.ts';
import { type Layout, RULES } from './architecture/rules.ts';

const ROOT = join(import.meta.dirname, '..');
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: object;
};

const LAYOUT: Layout = {
  arrows: {
    keys: ['directory'],
    mail: ['directory'],
    files: ['directory'],
    documents: ['files'],
    spreadsheets: ['documents'],
    calendar: ['directory'],
  },
  ports: [
    'src/storage/database.ts',
    'src/storage/tables.ts',
    'src/storage/blob-owner.ts',
    'src/storage/contains.ts',
    'src/storage/elements.ts',
    'src/storage/gathering.ts',
    'src/storage/ground-integrity.ts',
    'src/storage/gram-entries.ts',
    'src/storage/gram-index.ts',
    'src/storage/gram-search.ts',
    'src/storage/json-rows.ts',
    'src/storage/long-rows.ts',
    'src/storage/made-tables.ts',
    'src/storage/own-tables.ts',
    'src/storage/portions.ts',
    'src/storage/insertion.ts',
    'src/storage/integrity-rule.ts',
    'src/storage/remembered.ts',
    'src/storage/row-numbers.ts',
    'src/storage/statement.ts',
    'src/storage/table-rows.ts',
    'src/blobs/blob-store.ts',
    'src/blobs/checksum.ts',
    'src/blobs/staging.ts',
    'src/blobs/store-marker.ts',
  ],
  packages: Object.keys(dependencies),
};

describe('the layout of src', () => {
  const modules = readModules(ROOT);

  it('is read at all', () =>
    assert.ok(modules.some(({ imports }) => imports.includes('src/storage/database.ts'))));

  for (const [name, rule] of Object.entries(RULES)) {
    it(name, () => assert.deepEqual(rule(modules, LAYOUT), []));
  }
});

/** For each rule a smallest tree that breaks it, and what the rule says of it. */
const BROKEN: Record<string, { tree: Record<string, string>; layout?: Layout; says: string[] }> = {
  'what every operation shares knows no area': {
    tree: { 'src/api/openapi.ts': "import type { Folder } from '../areas/mail/schema.ts';" },
    says: ['src/api/openapi.ts imports src/areas/mail/schema.ts'],
  },
  'what every operation shares knows no engine': {
    tree: {
      'src/formats/csv.ts': "import {\n  open,\n  close,\n} from '../storage/sqlite.ts';\nimport 'pg';",
    },
    says: ['src/formats/csv.ts imports src/storage/sqlite.ts', 'src/formats/csv.ts imports pg'],
  },
  'engines know neither the API nor the product': {
    tree: { 'src/blobs/disk.ts': "export { ApiError } from '../api/errors.ts';" },
    says: ['src/blobs/disk.ts imports src/api/errors.ts'],
  },
  'the platform knows nothing of the product': {
    tree: {
      'src/platform/directories.ts': "import { readConfig } from '../start/config.ts';",
      'src/platform/ids.ts': "import { uuidv7obj } from 'uuidv7';\nimport { VERSION } from './version.ts';",
    },
    says: ['src/platform/directories.ts imports src/start/config.ts'],
  },
  'the client knows only itself': {
    tree: {
      'client/src/upload.ts': "import { hash } from 'node:crypto';\nimport { path } from './path.ts';",
      'client/src/errors.ts': "import type { ErrorCode } from '../../src/api/errors.ts';",
    },
    says: ['client/src/upload.ts imports node:crypto', 'client/src/errors.ts imports src/api/errors.ts'],
  },
  'the client is used by the command line alone': {
    tree: {
      'src/start/server.ts': "import { Atrium } from '../../client/src/atrium.ts';",
      'src/commands/transfer/upload.ts': "import { Atrium } from '../../../client/src/atrium.ts';",
    },
    says: ['src/start/server.ts imports client/src/atrium.ts'],
  },
  'a store calls no service and no operation': {
    tree: { 'src/areas/mail/message-store.ts': "import type { Rules } from '../directory/service.ts';" },
    says: ['src/areas/mail/message-store.ts imports src/areas/directory/service.ts'],
  },
  'a service calls no operation': {
    tree: { 'src/areas/mail/service.ts': "const { list } = await import('./operations/list.ts');" },
    says: ['src/areas/mail/service.ts imports src/areas/mail/operations/list.ts'],
  },
  'an operation reaches no store': {
    tree: { 'src/areas/files/operations.ts': "import * as store from './store.ts';" },
    says: ['src/areas/files/operations.ts imports src/areas/files/store.ts'],
  },
  'doors and commands call services': {
    tree: {
      'src/doors/smtp.ts':
        "import { insert } from '../areas/mail/store.ts';\nimport '../areas/mail/service.ts';",
    },
    says: ['src/doors/smtp.ts imports src/areas/mail/store.ts'],
  },
  'only the wiring constructs engines': {
    tree: {
      'src/start/server.ts': "import { openSqlite } from '../storage/sqlite.ts';",
      'src/start/composition.ts': "import { openSqlite } from '../storage/sqlite.ts';",
      'src/areas/files/service.ts': "import type { BlobStore } from '../../blobs/blob-store.ts';",
    },
    says: ['src/start/server.ts imports src/storage/sqlite.ts'],
  },
  'formulas are read through one module': {
    tree: { 'src/areas/spreadsheets/references.ts': "import { tokenize } from '@borgar/fx/xlsx';" },
    says: ['src/areas/spreadsheets/references.ts imports @borgar/fx/xlsx'],
  },
  'areas meet through services, along the arrows': {
    tree: {
      'src/areas/mail/service.ts':
        "import '../directory/service.ts';\nimport type { User } from '../directory/schema.ts';",
      'src/areas/directory/service.ts': "import '../mail/service.ts';",
    },
    says: [
      'src/areas/mail/service.ts imports src/areas/directory/schema.ts',
      'src/areas/directory/service.ts imports src/areas/mail/service.ts',
    ],
  },
  'the arrows between areas run in no circle': {
    tree: {},
    layout: { arrows: { mail: ['files'], files: ['mail'] }, ports: [], packages: [] },
    says: ['mail → files → mail'],
  },
  'only the configuration reads the environment': {
    tree: {
      'src/start/server.ts': 'const port = process.env.PORT;',
      'src/start/verification.ts': "import { argv, env } from 'node:process';",
      'src/start/config.ts': 'const { env } = process.env;',
    },
    says: ['src/start/server.ts reads the environment', 'src/start/verification.ts reads the environment'],
  },
  'every package is a declared dependency': {
    tree: {
      'src/a.ts':
        "import '@some/package/file.js';\nimport 'other/file.js';\nimport 'node:fs';\nimport './b.ts';",
    },
    layout: { arrows: {}, ports: [], packages: ['@some/package', 'another'] },
    says: ['src/a.ts imports other/file.js'],
  },
  'no import runs in a circle': {
    tree: {
      'src/a.ts': "import './b.ts';",
      'src/b.ts': "const worker = new Worker(new URL('./c.ts', import.meta.url));",
      'src/c.ts': "import type { A } from './a.ts';",
    },
    says: ['src/a.ts → src/b.ts → src/c.ts → src/a.ts'],
  },
  'no file is too long to read': {
    tree: { 'src/long.ts': 'f();\n'.repeat(401), 'src/longest.ts': 'f();\n'.repeat(400) },
    says: ['src/long.ts has 401 lines'],
  },
};

describe('each rule of the layout can fail', () => {
  for (const [name, rule] of Object.entries(RULES)) {
    it(name, () => {
      const broken = BROKEN[name];
      assert.ok(broken, 'no tree that breaks this rule');
      const modules = Object.entries(broken.tree).map(([path, source]) => parseModule(path, source));
      assert.deepEqual(rule(modules, broken.layout ?? LAYOUT), broken.says);
    });
  }
});
