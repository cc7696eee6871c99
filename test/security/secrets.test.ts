/** Keys, passwords and what people keep here are in no log at any level, in no metric, and in no error that tells of a failure within. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { makeDocument, putContent } from '../areas/documents-world.ts';
import { append, folderOf } from '../areas/mail-world.ts';
import { collectedLog } from '../collected-log.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { startRelay, type TestRelay } from '../relay.ts';

/** Stands in whatever is somebody's own; addresses and the words of relays are what a log of mail is for. */
const CONTENT = 'PLANTEDcontent';
const PASSWORD = 'PLANTEDpassword';
const WRONG_KEY = 'PLANTEDkeyThatNobodyHas';

forEachEngine((engine) => {
  describe('what is secret', () => {
    let app: TestApp;
    let relay: TestRelay;
    const logged = collectedLog();
    before(async () => {
      relay = await startRelay(0, { user: 'atrium', pass: 'another' });
      const url = new URL(relay.url);
      url.password = PASSWORD;
      app = await startApp(engine, { ATRIUM_SMTP_RELAY: url.href }, logged.log);
    });
    after(async () => {
      await app.stop();
      await relay.stop();
    });

    const assertUntold = (text: string) => {
      assert.doesNotMatch(text, /PLANTED/i);
      assert.ok(!text.includes(OWNER_KEY));
    };

    it('is not told where all goes well', async () => {
      const { key } = data(
        await app.post('/v1/api-keys', { name: CONTENT, permissions: ['files.read'] }),
        201,
      );
      assert.equal((await app.get('/v1/files', { key })).status, 200);
      await fill(app);
      assertUntold(logged.text());
      assert.ok(!logged.text().includes(key));
      assertUntold((await app.get('/metrics')).text);
    });

    it('is not told where somebody is refused', async () => {
      const refused = [
        await app.get('/v1/users', { key: WRONG_KEY }),
        await app.get(`/v1/${CONTENT}/${CONTENT}`, { key: WRONG_KEY }),
        await app.request(CONTENT.slice(0, 7), '/v1/users', { key: WRONG_KEY }),
        await app.get('/v1/users', { key: null, headers: { authorization: `Basic ${WRONG_KEY}` } }),
      ];
      for (const { status } of refused) assert.ok(status >= 400 && status < 500);
      const mine = [
        await app.post('/v1/groups', `{"name":"${CONTENT}"`, {
          headers: { 'content-type': 'application/json' },
        }),
        await app.get(`/v1/messages?folder_id=a&surprise=${CONTENT}`),
        await app.get(`/v1/files?cursor=${CONTENT}`),
        await app.get(`/v1/files/${CONTENT}`),
      ];
      for (const { status } of mine) assert.ok(status === 400 || status === 404);
      for (const { text } of refused) assert.ok(!text.includes(WRONG_KEY));
      assertUntold(logged.text());
      assertUntold((await app.get('/metrics')).text);
    });

    it('is not told where the server itself fails', { skip: OF_ONE_NODE }, async (t) => {
      const { database, blobs } = app.services;
      const failure = new Error('the disk is gone');
      t.mock.method(blobs, 'put', () => Promise.reject(failure));
      t.mock.method(blobs, 'begin', () => Promise.reject(failure));
      t.mock.method(database, 'write', () => Promise.reject(failure));
      const answers = [
        await app.post('/v1/documents', { type: 'document', title: CONTENT }),
        await app.post(`/v1/files?filename=${CONTENT}`, CONTENT),
        await app.post('/v1/messages', { to: ['owner@localhost'], subject: CONTENT, text: CONTENT }),
      ];
      for (const { status, text } of answers) {
        assert.equal(status, 500, text);
        assertUntold(text);
        assert.doesNotMatch(text, /disk/);
      }
      assert.match(logged.text(), /the disk is gone/);
      assertUntold(logged.text());
    });

    it('is not told where the relay does not take the password', async () => {
      const mail = { to: ['ada@elsewhere.example'], subject: CONTENT, text: CONTENT };
      data(await app.post('/v1/messages', mail), 201);
      await eventually(
        () => logged.text().includes('offered mail to the relay'),
        'a word of the relay in the log',
      );
      assertUntold(logged.text());
    });

    it('is not told where the database refuses a row', async () => {
      const row = { name: CONTENT, value: Buffer.from(CONTENT) };
      const insert = () =>
        app.services.database.write((tx) => tx.insertInto('server_secrets').values(row).execute());
      await insert();
      const error = await insert().catch((refused: unknown) => refused);
      assert.ok(error instanceof Error);
      await app.services.database.write((tx) =>
        tx.deleteFrom('server_secrets').where('name', '=', CONTENT).execute(),
      );
      const told = collectedLog();
      told.log.error({ err: error });
      assert.match(told.text(), /server_secrets/);
      assertUntold(told.text());
    });

    it('a secret is no label of a metric, whatever is asked for (OPS-36)', {
      skip: OF_ONE_NODE,
    }, async () => {
      const series = async () => (await app.get('/metrics')).text.match(/^atrium_\w+\{[^}]*\}/gm)?.length;
      await app.get(`/v1/none/${CONTENT}`);
      const before = await series();
      for (let i = 0; i < 20; i++) await app.get(`/v1/none/${CONTENT}${i}`);
      assert.equal(await series(), before);
    });
  });
});

/** Puts a secret wherever there is room for one. */
async function fill(app: TestApp): Promise<void> {
  const inbox = await folderOf(app, 'inbox');
  await append(app, inbox, `Subject: ${CONTENT}\r\nX-${CONTENT}: 1\r\n\r\n${CONTENT}`);
  const client = await greeted(app.smtp.port, CONTENT);
  const { code } = await client.transact(['owner@localhost'], `Subject: ${CONTENT}\r\n\r\n${CONTENT}`, {
    sender: 'ada@elsewhere.example',
  });
  assert.equal(code, 250);
  client.close();
  const { id } = await makeDocument(app, { key: OWNER_KEY }, { title: CONTENT, metadata: { a: CONTENT } });
  await putContent(app, { key: OWNER_KEY }, id, CONTENT);
  const sheet = await makeDocument(app, { key: OWNER_KEY }, { type: 'spreadsheet', title: CONTENT });
  const values = { values: [[CONTENT, `="${CONTENT}"+1`, `=${CONTENT}(1)`]] };
  assert.equal((await app.put(`/v1/spreadsheets/${sheet.id}/values/A1`, values)).status, 200);
  assert.equal((await app.get(`/v1/spreadsheets/${sheet.id}/values/A1:C1`)).status, 200);
  data(await app.post(`/v1/files?filename=${CONTENT}.txt`, CONTENT), 201);
  const [{ id: book }] = data(await app.get('/v1/address-books'));
  data(await app.post('/v1/contacts', { address_book_id: book, name: CONTENT, notes: CONTENT }), 201);
  assert.equal((await app.get(`/v1/contacts?q=${CONTENT}`)).json.data.length, 1);
}
