import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { putContent } from '../areas/documents-world.ts';
import { folderOf } from '../areas/mail-world.ts';
import { RawSmtp } from '../doors/raw-smtp.ts';
import type { Answer, TestApp } from '../harness.ts';
import {
  assertQuick,
  BOUND_WITH_START_MS,
  begin,
  type Person,
  timeOf,
  withUsers,
} from './isolation-world.ts';

const USERS = [2, 8];
const REQUESTS = 3;

/** Each of the users sends so many requests of a kind, which nobody waits for. */
async function beginAll(users: Person[], request: (user: Person) => Promise<unknown>): Promise<void> {
  await begin(users.flatMap((user) => Array.from({ length: REQUESTS }, () => () => request(user))));
}

describe('users whose Markdown takes long to be made a page', () => {
  const HEAVY = 'a\n\n'.repeat(60_000);

  async function documentOf(app: TestApp, { key }: Person, content: string): Promise<string> {
    const { id } = data(await app.post('/v1/documents', { type: 'document', title: 'Text' }, { key }), 201);
    data(await putContent(app, { key }, id, content));
    return id;
  }
  const page = (app: TestApp, { key }: Person, id: string) =>
    app.get(`/v1/documents/${id}/export?format=html`, { key });

  for (const users of USERS) {
    it(`${users} of them leave others theirs`, async () => {
      await withUsers(users, async (app, hostile, other) => {
        const light = await documentOf(app, other, '# Light\n\nA page.\n');
        const heavy = new Map<Person, string>();
        for (const user of hostile) heavy.set(user, await documentOf(app, user, HEAVY));
        const measure = () => timeOf(async () => assert.equal((await page(app, other, light)).status, 200));
        await measure();
        await beginAll(hostile, (user) => page(app, user, heavy.get(user) ?? ''));
        await assertQuick(measure, BOUND_WITH_START_MS);
      });
    });
  }
});

describe('users whose messages take long to be shown', () => {
  const html = (paragraphs: number) =>
    `Subject: HTML\r\nContent-Type: text/html\r\n\r\n${'<p style="color: red">One <b>two</b></p>\r\n'.repeat(paragraphs)}`;
  const HEAVY = html(24_000);
  const USUAL = html(2_100);

  for (const users of USERS) {
    it(`${users} of them leave others theirs`, async () => {
      await withUsers(users, async (app, hostile, other) => {
        const inboxes = new Map<Person, string>();
        for (const user of [...hostile, other]) inboxes.set(user, await folderOf(app, 'inbox', user.key));
        const append = async (user: Person, body: string) =>
          data(
            await app.request('POST', `/v1/folders/${inboxes.get(user)}/messages`, {
              key: user.key,
              headers: { 'content-type': 'message/rfc822' },
              body,
            }),
            201,
          );
        const measure = () => timeOf(() => append(other, USUAL));
        await measure();
        await beginAll(hostile, (user) => append(user, HEAVY));
        await assertQuick(measure, BOUND_WITH_START_MS);
      });
    });
  }

  it('by another host leave the mail of a host its time, and nothing of it is lost', async () => {
    await withUsers(0, async (app, _hostile, user) => {
      const deliver = async (localAddress: string, message: string) => {
        const socket = connect({ host: '127.0.0.1', port: app.smtp.port, localAddress });
        await once(socket, 'connect');
        const client = new RawSmtp(socket);
        await client.reply();
        await client.expect(250, 'EHLO elsewhere.example');
        const { code } = await client.transact([user.email], message);
        assert.equal(code, 250);
        client.close();
      };
      const measure = () => timeOf(() => deliver('127.0.0.1', USUAL));
      await measure();
      await begin(Array.from({ length: 4 }, () => () => deliver('127.0.0.2', HEAVY)));
      await assertQuick(measure, BOUND_WITH_START_MS);
      const inbox = await folderOf(app, 'inbox', user.key);
      const path = `/v1/messages?folder_id=${inbox}`;
      const [newest] = data(await app.get(path, { key: user.key }));
      const shown = data(await app.get(`/v1/messages/${newest.id}`, { key: user.key }));
      assert.equal(shown.html.split('<b>two</b>').length, 2_101);
    });
  });
});

describe('users whose uploads take long to be told', () => {
  const HEAVY = Buffer.alloc(65_536, '\n');

  for (const users of USERS) {
    it(`${users} of them leave others theirs`, async () => {
      await withUsers(users, async (app, hostile, other) => {
        const upload = ({ key }: Person, body: Buffer): Promise<Answer> =>
          app.request('POST', '/v1/files?filename=file.bin', {
            key,
            headers: { 'content-type': 'application/octet-stream' },
            body,
          });
        const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
        const measure = () =>
          timeOf(async () => assert.equal(data(await upload(other, png), 201).mime_type, 'image/png'));
        await measure();
        await beginAll(hostile, (user) => upload(user, HEAVY));
        await assertQuick(measure, BOUND_WITH_START_MS);
      });
    });
  }
});

describe('users who import workbooks that take long', () => {
  const row = `${Array.from({ length: 20 }, (_, column) => column).join(',')}\n`;

  for (const [what, rows] of [
    ['large', 40_000],
    ['small', 4_000],
  ] as const) {
    it(`users who import ${what} workbooks leave others their turns`, async () => {
      await withUsers(4, async (app, hostile, other) => {
        const upload = async ({ key }: Person, body: string): Promise<string> => {
          const headers = { 'content-type': 'text/csv' };
          const path = '/v1/files?filename=file.csv';
          return data(await app.request('POST', path, { key, headers, body }), 201).id;
        };
        const load = ({ key }: Person, source_file_id: string) =>
          app.post('/v1/documents', { type: 'spreadsheet', title: 'Import', source_file_id }, { key });
        const light = await upload(other, '1,2\n');
        const heavy = new Map<Person, string>();
        for (const user of hostile) heavy.set(user, await upload(user, row.repeat(rows)));
        const measure = () => timeOf(async () => data(await load(other, light), 201));
        await measure();
        await beginAll(hostile, (user) => load(user, heavy.get(user) ?? ''));
        await assertQuick(measure, BOUND_WITH_START_MS);
      });
    });
  }
});
