/** How often a request waits for an answer of PostgreSQL: on a network, that is most of its time. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Indexer } from '../../src/areas/search/indexer.ts';
import { data } from '../areas/accounts.ts';
import { createContact, firstBook } from '../areas/contacts-world.ts';
import { append, folderOf, rfc822 } from '../areas/mail-world.ts';
import { makeSpreadsheet, write } from '../areas/spreadsheets-world.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { startApp, type TestApp } from '../harness.ts';
import { countRoundTrips, waitsOf } from './round-trips.ts';

const OWNER = 'owner@localhost';
const MESSAGES = 100;

countRoundTrips();

describe('round trips to PostgreSQL', () => {
  let app: TestApp;
  let inbox: string;
  let archive: string;
  let messages: string[];
  before(async () => {
    // What follows the changes is no part of a request.
    Indexer.prototype.start = () => undefined;
    app = await startApp('postgres');
    [inbox, archive] = [await folderOf(app, 'inbox'), await folderOf(app, 'archive')];
    messages = [];
    for (let i = 0; i < MESSAGES; i++) messages.push((await append(app, inbox, rfc822())).id);
  });
  after(() => app.stop());

  /** Its work, and the most round trips that it may take. */
  function takes(most: number, name: string, work: (time: number) => Promise<unknown>): void {
    it(`${name} takes at most ${most}`, async (t) => {
      const waits = await waitsOf(work);
      const told = waits.map((texts, i) => `${i + 1}. ${texts.join('\n   ')}`).join('\n');
      t.diagnostic(`${waits.length} round trips\n${told}`);
      assert.ok(waits.length <= most, `${waits.length} round trips:\n${told}`);
    });
  }

  takes(1, 'the newest 50 messages', async () => {
    data(await app.get(`/v1/messages?folder_id=${inbox}&limit=50`));
  });

  takes(1, 'the newest 50 messages of a folder that is named by its role', async () => {
    data(await app.get('/v1/messages?folder_id=inbox&limit=50'));
  });

  for (const path of ['folders', 'labels', 'files', 'documents', 'file-folders', 'contacts', 'calendars'])
    takes(1, `the list of ${path}`, async () => {
      data(await app.get(`/v1/${path}`));
    });

  takes(4, 'a delivery by SMTP', async () => {
    const client = await greeted(app.smtp.port);
    const { code } = await client.transact([OWNER], rfc822({ messageId: `<${Math.random()}@a.example>` }));
    client.close();
    assert.equal(code, 250);
  });

  takes(4, 'a message that is appended', async () => {
    await append(app, archive, rfc822({ messageId: `<${Math.random()}@a.example>` }));
  });

  takes(11, 'a message that is sent to a user', async () => {
    data(await app.post('/v1/messages', { to: [OWNER], subject: 'Lunch', text: 'At noon?' }), 201);
  });

  takes(4, 'a change of the flags of 100 messages', async (time) => {
    const op = time % 2 === 0 ? 'add' : 'remove';
    data(
      await app.post(`/v1/folders/${inbox}/messages/flags`, {
        message_ids: messages,
        op,
        flags: ['starred'],
      }),
    );
  });

  takes(4, 'a change of a label of 100 messages', async (time) => {
    const op = time % 2 === 0 ? 'add' : 'remove';
    data(
      await app.post(`/v1/folders/${inbox}/messages/flags`, { message_ids: messages, op, labels: ['work'] }),
    );
  });

  takes(4, 'a move of 100 messages', async (time) => {
    const [from, to] = time % 2 === 0 ? [inbox, archive] : [archive, inbox];
    data(await app.post(`/v1/folders/${from}/messages/move`, { message_ids: messages, to_folder_id: to }));
  });

  let spreadsheet: Promise<string> | undefined;
  takes(4, 'a cell', async (time) => {
    spreadsheet ??= makeSpreadsheet(app);
    await write(app, await spreadsheet, 'B2', [[time]]);
  });

  let book: Promise<string> | undefined;
  takes(4, 'a new contact', async () => {
    book ??= firstBook(app);
    await createContact(app, await book, { name: 'Ada', notes: 'Engine' });
  });

  takes(5, 'a small file', async () => {
    const headers = { 'content-type': 'text/plain' };
    data(await app.request('POST', '/v1/files?filename=a.txt', { body: 'text', headers }), 201);
  });
});
