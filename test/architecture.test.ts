import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseModule, readModules } from './architecture/modules.ts';
import { type Layout, RULES } from './architecture/rules.ts';

const ROOT = join(import.meta.dirname, '..');
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: object;
  devDependencies: object;
};

const LAYOUT: Layout = {
  arrows: {
    keys: ['directory'],
    mail: ['directory', 'drive'],
    drive: ['directory'],
    documents: ['drive'],
    spreadsheets: ['documents'],
    calendar: ['directory', 'mail'],
    search: ['changes', 'contacts', 'directory', 'documents', 'drive', 'mail', 'spreadsheets'],
  },
  ports: [
    'src/blobs/blob-store.ts',
    'src/blobs/checksum.ts',
    'src/blobs/pending-store.ts',
    'src/blobs/staging.ts',
    'src/blobs/store-marker.ts',
    'src/storage/blob-owner.ts',
    'src/storage/changes.ts',
    'src/storage/database.ts',
    'src/storage/moves.ts',
    'src/storage/full-text/full-text-index.ts',
    'src/storage/full-text/terms.ts',
    'src/storage/query/insertion.ts',
    'src/storage/query/json-parameters.ts',
    'src/storage/query/json-rows.ts',
    'src/storage/query/long-rows.ts',
    'src/storage/query/of-workspace.ts',
    'src/storage/query/statement.ts',
    'src/storage/query/stored-keys.ts',
    'src/storage/schema/integrity-rule.ts',
    'src/storage/schema/own-tables.ts',
    'src/storage/schema/table-rows.ts',
    'src/storage/schema/tables.ts',
    'src/storage/search/gram-entries.ts',
    'src/storage/search/gram-index.ts',
    'src/storage/search/gram-search.ts',
  ],
  packages: Object.keys(dependencies),
  packagesToBuild: Object.keys(devDependencies),
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
    tree: { 'src/contract/openapi.ts': "import type { Folder } from '../areas/mail/schema.ts';" },
    says: ['src/contract/openapi.ts imports src/areas/mail/schema.ts'],
  },
  'the contract knows neither who serves it nor how answers are kept': {
    tree: {
      'src/contract/operation.ts': "import type { Exchange } from '../server/http/exchange.ts';",
      'src/contract/answers.ts': "import { runOnce } from '../once/idempotency.ts';",
    },
    says: [
      'src/contract/operation.ts imports src/server/http/exchange.ts',
      'src/contract/answers.ts imports src/once/idempotency.ts',
    ],
  },
  'an area knows neither who serves it nor how answers are kept': {
    tree: { 'src/areas/mail/operations.ts': "import { runOnce } from '../../once/idempotency.ts';" },
    says: ['src/areas/mail/operations.ts imports src/once/idempotency.ts'],
  },
  'what every operation shares knows no engine': {
    tree: {
      'src/formats/csv.ts':
        "import {\n  open,\n  close,\n} from '../storage/sqlite/sqlite.ts';\nimport 'pg';",
    },
    says: ['src/formats/csv.ts imports src/storage/sqlite/sqlite.ts', 'src/formats/csv.ts imports pg'],
  },
  'engines know neither the contract nor the product': {
    tree: { 'src/blobs/disk/disk.ts': "export { ApiError } from '../../contract/errors.ts';" },
    says: ['src/blobs/disk/disk.ts imports src/contract/errors.ts'],
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
      'client/src/errors.ts': "import type { ErrorCode } from '../../src/contract/errors.ts';",
    },
    says: ['client/src/upload.ts imports node:crypto', 'client/src/errors.ts imports src/contract/errors.ts'],
  },
  'the client is used by the command line and the console alone': {
    tree: {
      'src/start/server.ts': "import { Atrium } from '../../client/src/atrium.ts';",
      'src/commands/transfer/upload.ts': "import { Atrium } from '../../../client/src/atrium.ts';",
    },
    says: ['src/start/server.ts imports client/src/atrium.ts'],
  },
  'the console knows the client and nothing of the server': {
    tree: {
      'console/src/app/api.ts':
        "import { Atrium } from '../../../client/src/index.ts';\nimport { ApiError } from '../../../src/contract/errors.ts';",
    },
    says: ['console/src/app/api.ts imports src/contract/errors.ts'],
  },
  'the server knows nothing of the sources of the console': {
    tree: {
      'src/server/http/console/page.ts': "import { texts } from '../../../../console/src/app/texts.ts';",
    },
    says: ['src/server/http/console/page.ts imports console/src/app/texts.ts'],
  },
  'a store calls no service and no operation': {
    tree: {
      'src/areas/mail/messages/message-store.ts': "import type { Rules } from '../../directory/service.ts';",
    },
    says: ['src/areas/mail/messages/message-store.ts imports src/areas/directory/service.ts'],
  },
  'a service calls no operation': {
    tree: { 'src/areas/mail/service.ts': "const { list } = await import('./operations/list.ts');" },
    says: ['src/areas/mail/service.ts imports src/areas/mail/operations/list.ts'],
  },
  'an operation reaches no store': {
    tree: { 'src/areas/drive/operations.ts': "import * as store from './store.ts';" },
    says: ['src/areas/drive/operations.ts imports src/areas/drive/store.ts'],
  },
  'a service passes on only what other rooms call': {
    tree: {
      'src/areas/mail/service.ts': `export class MailService {
  constructor(readonly dependencies: Dependencies) {
  }

  listMessages(tx: ReadTransaction, owner: Owner): Promise<Page> {
    return listMessages(tx, owner);
  }

  async createFolder(
    tx: WriteTransaction,
    owner: Owner,
  ): Promise<void> {
    await createFolder(
      tx,
      this.dependencies,
      owner,
    );
  }

  createMailbox(tx: WriteTransaction): Promise<void> {
    return createMailbox(tx);
  }

  listLabels(tx: ReadTransaction): Promise<Label[]> {
    return listLabels(tx, this.#now());
  }
}
`,
      'src/areas/mail/operations.ts': 'mail.listMessages(tx);\nmail.createFolder(tx);',
      'src/start/composition.ts':
        'mail.createMailbox(tx);\nfiles.createFolder(tx);\n// Unlike mail.listMessages: it waits.',
    },
    says: [
      'src/areas/mail/service.ts passes listMessages on for its own area alone',
      'src/areas/mail/service.ts passes createFolder on for its own area alone',
    ],
  },
  'what the use cases of an area work with is of no other room': {
    tree: {
      'src/areas/mail/service.ts': 'export class MailService {\n}\n',
      'src/areas/mail/operations.ts': 'listMessages(mail.dependencies);',
      'src/areas/calendar/notices/notices.ts': 'this.dependencies.mail.dependencies.staging.stage();',
    },
    says: ['src/areas/calendar/notices/notices.ts reaches mail.dependencies'],
  },
  'servers and commands call services': {
    tree: {
      'src/server/smtp/smtp-server.ts':
        "import { insert } from '../../areas/mail/store.ts';\nimport '../../areas/mail/service.ts';",
    },
    says: ['src/server/smtp/smtp-server.ts imports src/areas/mail/store.ts'],
  },
  'only the wiring constructs engines': {
    tree: {
      'src/start/server.ts': "import { openSqlite } from '../storage/sqlite/sqlite.ts';",
      'src/start/composition.ts': "import { openSqlite } from '../storage/sqlite/sqlite.ts';",
      'src/areas/drive/service.ts': "import type { BlobStore } from '../../blobs/blob-store.ts';",
    },
    says: ['src/start/server.ts imports src/storage/sqlite/sqlite.ts'],
  },
  'formulas are read through one module': {
    tree: { 'src/areas/spreadsheets/structure/references.ts': "import { tokenize } from '@borgar/fx/xlsx';" },
    says: ['src/areas/spreadsheets/structure/references.ts imports @borgar/fx/xlsx'],
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
    layout: { arrows: { mail: ['drive'], drive: ['mail'] }, ports: [], packages: [] },
    says: ['mail → drive → mail'],
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
  'no function is too long to read': {
    tree: {
      'src/long.ts': `export async function long() {\n${'  f();\n'.repeat(59)}}\n`,
      'src/short.ts': `function short() {\n${'  f();\n'.repeat(58)}}\n`,
      'src/class.ts': `class A {\n  async #long() {\n${'    f();\n'.repeat(59)}  }\n  short() {\n  }\n}\n`,
    },
    says: ['long of src/long.ts has 61 lines', '#long of src/class.ts has 61 lines'],
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
