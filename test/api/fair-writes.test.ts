/** However many slow writes one user sends at once, those of others come between them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/platform/ids.ts';
import { data } from '../areas/accounts.ts';
import { makePerson, type Person, putFile } from '../areas/files-world.ts';
import { makeSpreadsheet, put } from '../areas/spreadsheets-world.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';

/** The title of a file is indexed for each of so many: a tenth of a second on either engine. */
const SHARED_WITH = { sqlite: 300, postgres: 50 };
/** Several times what PostgreSQL has connections for. */
const AT_ONCE = 24;
const MANY_CELLS = Array.from({ length: 300 }, (_, row) => Array.from({ length: 100 }, (_, i) => row * i));
/** What was under way when the other one came, on PostgreSQL that of eight connections, and what has begun before it was understood. */
const MOST_BEFORE = { sqlite: 4, postgres: 10 };
/** A message is read and parsed before it is written, and waits for a turn each time. */
const MOST_BEFORE_MAIL = 8;

forEachEngine((engine) => {
  describe('while one user sends many slow writes', () => {
    let app: TestApp;
    let busy: Person;
    let other: Person;
    let fileId: string;
    before(async () => {
      app = await startApp(engine, { ATRIUM_DOMAIN: 'home.example', ATRIUM_OWNER_EMAIL: 'ada@home.example' });
      [busy, other] = [await makePerson(app), await makePerson(app)];
      fileId = (await putFile(app, busy)).id;
      await shareWithMany(app, fileId, SHARED_WITH[engine]);
    });
    after(() => app.stop());

    /** Each kind of test has titles of its own. */
    const rename = (kind: string) => (i: number) =>
      app.put(`/v1/files/${fileId}`, { title: `${kind} ${i} `.repeat(8) }, { key: busy.key });
    const makeFolder = async () =>
      data(await app.post('/v1/file-folders', { name: 'Another' }, { key: other.key }), 201);

    /** How many of the slow writes are answered before the other one. */
    async function answeredBefore(
      writeSlowly: (i: number) => Promise<Answer>,
      write: () => Promise<unknown>,
    ): Promise<number> {
      let answered = 0;
      const slow = Array.from({ length: AT_ONCE }, async (_, i) => {
        data(await writeSlowly(i));
        answered++;
      });
      await Promise.race(slow);
      const before = answered;
      await write();
      const between = answered - before;
      await Promise.all(slow);
      return between;
    }

    test('a write of another user waits for a few of them', async () => {
      const between = await answeredBefore(rename('folder'), makeFolder);
      assert.ok(between <= MOST_BEFORE[engine], `it waited for ${between}`);
    });

    test('of large writes of cells too it waits for a few', async () => {
      const { key } = busy;
      const sheets = await Promise.all(
        Array.from({ length: AT_ONCE }, () => makeSpreadsheet(app, 'Cells', key)),
      );
      const writeCells = (i: number) => put(app, sheets[i] ?? '', 'A1', MANY_CELLS, { key });
      const between = await answeredBefore(writeCells, makeFolder);
      assert.ok(between <= MOST_BEFORE[engine], `it waited for ${between}`);
    });

    test('so does mail that arrives', async () => {
      const client = await greeted(app.smtp.port);
      await client.begin(['ada@home.example']);
      const between = await answeredBefore(rename('mail'), async () => {
        client.send('Subject: A\r\n\r\nText\r\n.\r\n');
        assert.equal((await client.reply()).code, 250);
      });
      client.close();
      assert.ok(between <= MOST_BEFORE_MAIL, `it waited for ${between}`);
    });
  });
});

/** Shares a file with people whom nobody else has to know. */
async function shareWithMany({ services }: TestApp, fileId: string, count: number): Promise<void> {
  await services.database.write(async (tx) => {
    const node = await tx.selectFrom('nodes').selectAll().where('id', '=', fileId).executeTakeFirstOrThrow();
    const grants = Array.from({ length: count }, (_, i) => ({
      workspace_id: node.workspace_id,
      id: newId('perm'),
      node_id: node.id,
      principal_type: 'user' as const,
      principal_id: `usr_${i}`,
      role: 'viewer' as const,
      created_by: node.owner_id,
      created_at: 0,
      node_kind: node.kind,
      node_parent_id: node.parent_id,
      node_state: node.state,
      node_place: node.place,
    }));
    await tx.insertInto('node_grants').values(grants).execute();
  });
}
