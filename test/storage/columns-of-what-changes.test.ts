/** What databases from before the step of the schema hold in texts stands in columns after it. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { migrate } from '../../src/storage/schema/migrate.ts';
import { migrations } from '../../src/storage/schema/migrations/index.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';

const STEP = '0016-columns-of-what-changes';

/** A body whose data looks like what stands behind it. */
const BODY =
  '{"data":{"title":"\\"meta\\":{\\"request_id\\":\\"req_other\\"} \\u0000","metadata":{"meta":{"request_id":"req_other"}}},' +
  '"meta":{"request_id":"req_00ff","timestamp":"2026-01-01T00:00:00.000Z"},' +
  '"pagination":{"next_cursor":"","has_more":false,"limit":1}}';

forEachEngine((engine) => {
  describe('the step of the schema', () => {
    /** A database that lacks the step, filled, and then brought up to date. */
    const upgraded = async (t: TestContext, fill: (tx: WriteTransaction) => Promise<unknown>) => {
      const settings = await freshDatabase(engine);
      const database = await openDatabase(settings);
      t.after(async () => {
        await database.close();
        await settings.remove();
      });
      await migrate(
        database,
        migrations.slice(
          0,
          migrations.findIndex(({ name }) => name === STEP),
        ),
      );
      await database.write(fill);
      await migrate(database);
      return database;
    };
    const storedAnswer = (tx: WriteTransaction, key: string, body: string, fingerprint = 'x') =>
      sql`insert into idempotency_records
            (workspace_id, key_id, idempotency_key, fingerprint, status, body, expires_at)
          values ('wsp_1', 'key_1', ${key}, ${fingerprint}, 200, ${body}, 1)`.execute(tx);

    test('finds the request ids of stored answers that can be read, and keeps the others', async (t) => {
      const database = await upgraded(t, async (tx) => {
        await storedAnswer(tx, 'of data', BODY);
        await storedAnswer(tx, 'of 204', '');
        await storedAnswer(tx, 'sealed', '/+W0');
      });
      const rows = await database.read((tx) =>
        tx.selectFrom('idempotency_records').select(['idempotency_key', 'body', 'request_id']).execute(),
      );
      assert.deepEqual(
        new Map(rows.map(({ idempotency_key, ...row }) => [idempotency_key, row])),
        new Map([
          ['of data', { body: BODY, request_id: 'req_00ff' }],
          ['of 204', { body: '', request_id: null }],
          ['sealed', { body: '/+W0', request_id: null }],
        ]),
      );
    });

    test('leaves an answer whose metadata nest as deep as a request may without an id where its engine cannot read it', async (t) => {
      const metadata = `${'{"a":'.repeat(998)}{}${'}'.repeat(998)}`;
      const deep = `{"data":{"metadata":${metadata}},"meta":{"request_id":"req_00ff","timestamp":"2026-01-01T00:00:00.000Z"}}`;
      const database = await upgraded(t, (tx) => storedAnswer(tx, 'of deep metadata', deep));
      const row = await database.read((tx) =>
        tx.selectFrom('idempotency_records').select(['body', 'request_id']).executeTakeFirstOrThrow(),
      );
      assert.deepEqual(row, { body: deep, request_id: engine === 'sqlite' ? null : 'req_00ff' });
    });

    test('removes answers of which only a part was stored', async (t) => {
      const part =
        '[1,[2,["work"]]]\n,"meta":{"request_id":"req_00ff","timestamp":"2026-01-01T00:00:00.000Z"}}';
      const database = await upgraded(t, (tx) => storedAnswer(tx, 'of flags', part));
      const rows = await database.read((tx) => tx.selectFrom('idempotency_records').selectAll().execute());
      assert.deepEqual(rows, []);
    });

    test('takes the time of the last change out of the records of files, folders and documents', async (t) => {
      const time = '2026-01-02T03:04:05.678Z';
      const members = `"id":"doc_1","title":"é😀 \\"}","created_at":"${time}"`;
      const database = await upgraded(t, (tx) =>
        sql`insert into nodes
              (workspace_id, id, kind, owner_id, parent_id, title, search_text, state, facts, record, place, created_at, updated_at)
            values ('wsp_1', 'doc_1', 'document', 'usr_1', '', '', '', 'active', '', ${`${members},"updated_at":"${time}"`},
              'p', 0, ${Date.parse(time)})`.execute(tx),
      );
      const row = await database.read((tx) =>
        tx.selectFrom('nodes').select(['record', 'updated_at']).executeTakeFirstOrThrow(),
      );
      assert.deepEqual(row, { record: members, updated_at: Date.parse(time) });
    });

    test('forgets the fingerprints of streamed bodies, and the secret that they were made with', async (t) => {
      const [sha256, gmac] = ['s'.repeat(43), 'g'.repeat(22)];
      const database = await upgraded(t, async (tx) => {
        for (const fingerprint of [sha256, gmac]) await storedAnswer(tx, fingerprint, BODY, fingerprint);
        for (const name of ['fingerprints', 'cursors'])
          await tx
            .insertInto('server_secrets')
            .values({ name, value: Buffer.alloc(32) })
            .execute();
      });
      const rows = await database.read((tx) =>
        tx.selectFrom('idempotency_records').select(['idempotency_key', 'fingerprint']).execute(),
      );
      const fingerprints = rows.map(({ idempotency_key, fingerprint }) => [idempotency_key, fingerprint]);
      assert.deepEqual(Object.fromEntries(fingerprints), { [sha256]: sha256, [gmac]: '' });
      const secrets = await database.read((tx) => tx.selectFrom('server_secrets').select('name').execute());
      assert.deepEqual(secrets, [{ name: 'cursors' }]);
    });
  });
});
