import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { atriumJson, runAtrium } from '../command-line.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, freshAddress, makeKey, makeUser } from './accounts.ts';
import { append, everyPage, rfc822 } from './mail-world.ts';

/** Lines that a mailbox file has to quote, no line end at the end, bytes that are no text. */
const ODD = [
  'From the first line on',
  'Subject: a\n\nFrom here Mon Jan  1 00:00:00 2026\n>From there\n\nFrom x@y Mon Jan  1 00:00:00 2026\nA: b\n\nc',
  'Status: RO\r\nX-Status: D\r\nContent-Length: 5000\r\nSubject: brought along\r\n\r\nbody',
  '\r\nno header',
  'Subject: only this',
  '',
];

forEachEngine((engine) => {
  describe('mail that is exported', () => {
    let app: TestApp;
    let directory: string;

    before(async () => {
      app = await startApp(engine);
      directory = await mkdtemp(join(tmpdir(), 'atrium-mail-'));
    });
    after(async () => {
      await app.stop();
      await rm(directory, { recursive: true });
    });

    async function makeReader() {
      const email = freshAddress();
      const { id } = await makeUser(app, { email });
      const { key } = await makeKey(
        app,
        ['mail.messages.read', 'mail.messages.write', 'mail.folders.write'],
        { user_id: id },
      );
      const folder = data(await app.post('/v1/folders', { name: 'Kept' }, { key }), 201).id;
      return { email, key, folder };
    }

    /** All that tells messages apart, but for what is made anew: ids and conversations. */
    async function messagesOf({ key, folder }: { key: string; folder: string }) {
      const messages = await everyPage(app, `/v1/messages?folder_id=${folder}`, 200, key);
      return Promise.all(
        messages.map(async ({ id, thread_id: _thread, folder_id: _folder, ...summary }) => ({
          ...summary,
          raw: (await app.get(`/v1/messages/${id}/raw`, { key })).text,
        })),
      );
    }

    it('mail that is exported comes back equal in the mailbox of somebody else (OPS-46)', async () => {
      const [one, other] = [await makeReader(), await makeReader()];
      const large = rfc822({ body: `${'From me\r\n'.repeat(20_000)}\xff` });
      for (const raw of [...ODD, large]) await append(app, one.folder, raw, { key: one.key });
      for (let i = 0; i < 60; i++) {
        const query = `?${['flag=read', 'flag=draft&flag=starred', 'flag=answered', ''][i % 4]}&label=${i % 2 ? 'to%20do' : 'gr%C3%B6%C3%9Fe'}`;
        const receivedAt = new Date(Date.UTC(2026, 0, 1 + i));
        await append(app, one.folder, rfc822({ subject: `${i}`, receivedAt }), { key: one.key, query });
      }
      const output = join(directory, 'kept.mbox');
      const report = await atriumJson(
        app,
        'export',
        'mail',
        one.email,
        '--folder',
        'Kept',
        '--output',
        output,
      );
      assert.equal(report.exported, 67);
      const done = await atriumJson(app, 'import', 'mail', other.email, output, '--folder', 'Kept');
      assert.deepEqual(done, { added: 67, already_there: 0, skipped: [] });
      const messages = await messagesOf(other);
      assert.equal(messages.length, 67);
      assert.deepEqual(messages, await messagesOf(one));
    });

    it('goes to standard output, of every folder unless one is named', async () => {
      const one = await makeReader();
      await append(app, one.folder, rfc822({ subject: 'kept' }), { key: one.key });
      const [inbox] = data(await app.get('/v1/folders', { key: one.key }));
      await append(app, inbox.id, rfc822({ subject: 'new' }), { key: one.key, query: '?flag=deleted' });
      const all = await runAtrium(app, ['export', 'mail', one.email]);
      assert.deepEqual([all.code, all.stderr], [0, '']);
      assert.deepEqual(all.stdout.match(/^Subject: .*(?=\r)|^(X-)?Status: .*/gm), [
        'Status: O',
        'X-Status: D',
        'Subject: new',
        'Status: O',
        'X-Status: ',
        'Subject: kept',
      ]);
      const kept = await runAtrium(app, ['export', 'mail', one.email, '--folder', 'Kept']);
      assert.deepEqual(kept.stdout.match(/^Subject: .*(?=\r)/gm), ['Subject: kept']);
    });

    it('takes its date and flags from the note only while the bytes behind it are the same', async () => {
      const [one, other] = [await makeReader(), await makeReader()];
      await append(app, one.folder, rfc822({ subject: 'kept' }), {
        key: one.key,
        query: '?flag=read&label=x',
      });
      const output = join(directory, 'edited.mbox');
      await atriumJson(app, 'export', 'mail', one.email, '--folder', 'Kept', '--output', output);
      await writeFile(output, `${await readFile(output, 'latin1')}and more\n`, 'latin1');
      await atriumJson(app, 'import', 'mail', other.email, output, '--folder', 'Kept');
      const [message] = await messagesOf(other);
      assert.deepEqual([message?.flags.read, message?.labels], [true, []]);
      assert.match(message?.raw ?? '', /^X-Atrium-Message: /);
    });

    it('is refused for a folder and a user that do not exist, and --json without a file', async () => {
      const one = await makeReader();
      for (const [args, message, code] of [
        [['nobody@x.example'], /no user nobody@x\.example/, 1],
        [[one.email, '--folder', 'Kept/None'], /^error: There is no folder Kept\/None\.$/m, 1],
        [[one.email, '--json'], /--output/, 2],
        [[one.email, '--output', join(directory, 'none', 'x')], /no such file or directory/, 1],
      ] as [string[], RegExp, number][]) {
        const outcome = await runAtrium(app, ['export', 'mail', ...args]);
        assert.match(outcome.stderr, message);
        assert.equal(outcome.code, code);
      }
    });
  });
});
