/** What PostgreSQL may be set to, and what Atrium makes of it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { inspectDatabase, openRestoreTarget, openServices } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { runAtrium } from '../command-line.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';
import { startPooler } from './pooler.ts';

describe('a PostgreSQL database', () => {
  let storage: TestDatabase;
  let name: string;
  let administrator: pg.Client;
  before(async () => {
    storage = await freshDatabase('postgres');
    const url = new URL(storage.databaseUrl ?? '');
    name = url.pathname.slice(1);
    url.pathname = '/postgres';
    administrator = new pg.Client(url.href);
    await administrator.connect();
  });
  after(async () => {
    await administrator.end();
    await storage.remove();
  });

  const environment = (databaseUrl = storage.databaseUrl) => ({
    ATRIUM_DATABASE_URL: databaseUrl,
    ATRIUM_DATA_DIR: storage.dataDir,
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: 'off',
  });
  const withSetting = async (setting: string, value: string, work: () => Promise<void>) => {
    await administrator.query(`alter database ${name} set ${setting} = '${value}'`);
    await work().finally(() => administrator.query(`alter database ${name} reset ${setting}`));
  };
  const settingsOf = async (...names: string[]) => settingsAt(storage.databaseUrl, names);
  const settingsAt = async (databaseUrl: string | undefined, names: string[]) => {
    const database = await openDatabase({ databaseUrl, dataDir: storage.dataDir });
    try {
      const { rows } = await database.read((tx) =>
        sql<{ value: string }>`
          select current_setting(name) as value from unnest(${names}::text[]) as name
        `.execute(tx),
      );
      return rows.map(({ value }) => value);
    } finally {
      await database.close();
    }
  };

  for (const [setting, value, message] of [
    ['synchronous_commit', 'off', /synchronous_commit = off, which loses answered writes/],
    ['statement_timeout', '30s', /statement_timeout = 30000, which ends work in the middle/],
    ['lock_timeout', '5s', /lock_timeout = 5000/],
  ] as const) {
    test(`whose ${setting} is ${value} is refused by whatever opens it (OPS-32)`, () =>
      withSetting(setting, value, async () => {
        const config = readConfig(environment());
        for (const open of [openServices, openRestoreTarget, inspectDatabase]) {
          await assert.rejects(open(config), { name: 'ConfigError', message });
        }
      }));
  }

  test('whose synchronous_commit is off ends the server and commands with one sentence, and the doctor tells it', () =>
    withSetting('synchronous_commit', 'off', async () => {
      for (const args of [['serve'], ['user', 'list'], ['verify']]) {
        const { code, stderr } = await runAtrium({ config: readConfig(environment()) }, args, {
          ATRIUM_PORT: '0',
          ATRIUM_SMTP_PORT: 'off',
        });
        assert.equal(code, 1);
        assert.match(
          stderr,
          /^error: The database that ATRIUM_DATABASE_URL names has synchronous_commit = off[^\n]*\n$/m,
        );
      }
      const { code, stdout } = await runAtrium({ config: readConfig(environment()) }, ['doctor']);
      assert.equal(code, 1);
      assert.match(stdout, /synchronous_commit = off/);
    }));

  test('that waits for standbys does so as the operator chose', async () => {
    for (const value of ['remote_apply', 'remote_write']) {
      await withSetting('synchronous_commit', value, async () => {
        assert.deepEqual(await settingsOf('synchronous_commit'), [value]);
      });
    }
  });

  test('that would not wait for its standbys waits for them', () =>
    withSetting('synchronous_commit', 'local', async () => {
      assert.deepEqual(await settingsOf('synchronous_commit'), ['on']);
    }));

  test('that speaks another encoding to its clients is spoken to in UTF-8', () =>
    withSetting('client_encoding', 'LATIN1', async () => {
      assert.deepEqual(await settingsOf('client_encoding'), ['UTF8']);
    }));

  test('that hides warnings from its clients is asked for them, for one says that a commit is on no standby (OPS-65)', () =>
    withSetting('client_min_messages', 'error', async () => {
      assert.deepEqual(await settingsOf('client_min_messages'), ['warning']);
    }));

  test('behind a pooler is the same in each transaction, whichever session that gets (OPS-85)', () =>
    withSetting('synchronous_commit', 'local', () =>
      withSetting('client_min_messages', 'error', async () => {
        const pooler = await startPooler(storage.databaseUrl ?? '');
        try {
          const names = ['synchronous_commit', 'client_min_messages', 'idle_in_transaction_session_timeout'];
          assert.deepEqual(await settingsAt(pooler.url, names), ['on', 'warning', '1min']);
        } finally {
          pooler.close();
        }
      }),
    ));

  test('a database of another encoding than UTF-8 is refused (OPS-32)', async () => {
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const other = `${name}_${encoding.toLowerCase()}`;
      await administrator.query(
        `create database ${other} template template0 encoding '${encoding}' locale 'C' locale_provider libc`,
      );
      try {
        const url = new URL(storage.databaseUrl ?? '');
        url.pathname = `/${other}`;
        const config = readConfig(environment(url.href));
        const message = `The database that ATRIUM_DATABASE_URL names must have the encoding UTF8, not ${encoding}: create it with encoding 'UTF8' template template0.`;
        for (const open of [openServices, openRestoreTarget, inspectDatabase]) {
          await assert.rejects(open(config), { name: 'ConfigError', message });
        }
      } finally {
        await administrator.query(`drop database ${other} with (force)`);
      }
    }
  });
});
