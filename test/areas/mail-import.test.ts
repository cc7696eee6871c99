import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLAGS } from '../../src/areas/mail/changes/flags.ts';
import { ProgressLine } from '../../src/commands/progress.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { directoryOf, importMail, mbox, messagesIn, runImport, startImport } from './mail-import-world.ts';
import { folderCounts, folderOf, rfc822 } from './mail-world.ts';

interface Summary {
  subject: string;
  date: string;
  size: number;
  thread_id?: string;
  flags: Record<string, boolean>;
}

const isLinux = process.platform === 'linux';
const named = (subject: string) => rfc822({ subject });
const subjects = (messages: Summary[]) => messages.map(({ subject }) => subject).sort();
const flagsOf = ({ flags }: Summary) => FLAGS.filter((flag) => flags[flag]).join(' ');

forEachEngine((engine) => {
  describe('atrium import mail, beside a running server', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it('goes to the inbox, whatever that is called, unless a folder is named', async (t) => {
      const other = await startApp(engine);
      t.after(() => other.stop());
      const inbox = await folderOf(other, 'inbox');
      await other.put(`/v1/folders/${inbox}`, { name: 'Post' });
      const directory = await directoryOf(t, { 'one.eml': named('one') });
      assert.equal((await importMail(other, directory)).added, 1);
      assert.deepEqual(await folderCounts(other, inbox), [1, 1]);
      const names = (await other.get('/v1/folders')).json.data.map(({ name }: { name: string }) => name);
      assert.ok(!names.includes('Inbox'));
    });

    it('an import takes single messages, Maildirs and mailbox files, and directories of them (OPS-45)', async (t) => {
      const directory = await directoryOf(t, {
        'one.eml': named('one'),
        'deep/er/two.EML': named('two'),
        'maildir/cur/1.host:2,FRS': named('seen'),
        'maildir/cur/2.host:2,DT': named('draft'),
        'maildir/cur/3.host:2,': `no header\r\n${named('no flags')}`,
        'maildir/new/4.host': named('new'),
        'maildir/tmp/5.host': named('unfinished'),
        'maildir/dovecot-uidlist': '3 V1 N2\n',
        box: mbox([`Status: RO\nX-Status: AF\n${named('read')}`, named('not read')]),
      });
      const further = await directoryOf(t, { 'box.mbox': `\n${mbox([named('further')])}` });
      const report = await importMail(app, '--folder', 'Forms', directory, join(further, 'box.mbox'));
      assert.deepEqual([report.added, report.already_there], [9, 0]);
      assert.deepEqual(report.skipped, [
        {
          source: join(directory, 'maildir/dovecot-uidlist'),
          reason: 'neither a message nor a mailbox file',
        },
      ]);
      const flags = (await messagesIn(app, 'Forms')).map((message) => [message.subject, flagsOf(message)]);
      assert.deepEqual(Object.fromEntries(flags), {
        one: '',
        two: '',
        seen: 'read starred answered',
        draft: 'draft deleted',
        '': '',
        new: '',
        read: 'read starred answered',
        'not read': '',
        further: '',
      });
    });

    it('an import that is run again adds nothing twice, and says so in words (OPS-45)', async (t) => {
      const directory = await directoryOf(t, { 'a.eml': named('a'), 'b.eml': named('b'), 'c.eml': '' });
      const args = [app.config.ownerEmail, '--folder', 'Twice', directory];
      const skipped = `skipped ${directory}/c.eml: empty\n`;
      const first = await runImport(app, args);
      assert.deepEqual(first, {
        code: 0,
        stdout: `${skipped}2 messages added, 0 there already, 1 skipped.\n`,
        stderr: '',
      });
      const again = await runImport(app, args);
      assert.equal(again.stdout, `${skipped}0 messages added, 2 there already, 1 skipped.\n`);
      writeFileSync(join(directory, 'd.eml'), named('d'));
      assert.deepEqual((await importMail(app, '--folder', 'Twice', directory)).added, 1);
      assert.deepEqual(subjects(await messagesIn(app, 'Twice')), ['a', 'b', 'd']);
    });

    it('an import shows twenty of what is skipped before the sum, and all where that is asked for (OPS-60)', async (t) => {
      const odd = Array.from({ length: 25 }, (_, i) => [`${String(i).padStart(2, '0')}.eml`, '']);
      const directory = await directoryOf(t, { ...Object.fromEntries(odd), 'z.eml': named('z') });
      const args = [app.config.ownerEmail, '--folder', 'Many', directory];
      const first = (await runImport(app, args)).stdout.trimEnd().split('\n');
      assert.equal(first.length, 22);
      assert.deepEqual(first.slice(-2), [
        'and 5 more (--all shows them)',
        '1 message added, 0 there already, 25 skipped.',
      ]);
      const all = (await runImport(app, [...args, '--all'])).stdout.trimEnd().split('\n');
      assert.equal(all.length, 26);
      assert.ok(all.slice(0, 25).every((line) => line.startsWith(`skipped ${directory}/`)));
    });

    it('an import fails where nothing came from a file that was named, and not where all was there already (OPS-61)', async (t) => {
      const files = { box: `${mbox([named('a')])}`, 'odd.mbox': 'no message\n', 'b.eml': named('b') };
      const directory = await directoryOf(t, files);
      const import_ = (...names: string[]) =>
        runImport(app, [
          app.config.ownerEmail,
          '--folder',
          'Codes',
          ...names.map((name) => join(directory, name)),
        ]);
      assert.equal((await import_('box', 'b.eml')).code, 0);
      assert.equal((await import_('box', 'b.eml')).code, 0, 'all was there already');
      assert.equal((await import_('b.eml', 'odd.mbox')).code, 1, 'nothing came of one');
      assert.equal((await import_('.')).code, 0, 'a directory may hold anything');
    });

    it('gives as many copies as the source holds', async (t) => {
      const same = named('same').replaceAll('\r\n', '\n');
      const directory = await directoryOf(t, { box: mbox([same, same, named('other')]), 'c.eml': same });
      const first = await importMail(app, '--folder', 'Copies', directory);
      assert.deepEqual([first.added, first.already_there], [4, 0]);
      writeFileSync(join(directory, 'd.eml'), same);
      const again = await importMail(app, '--folder', 'Copies', directory);
      assert.deepEqual([again.added, again.already_there], [1, 4]);
      assert.deepEqual(subjects(await messagesIn(app, 'Copies')), ['other', ...Array(4).fill('same')]);
    });

    it('an import makes folders level by level, and leaves threads out when told (MAIL-80, OPS-45, MAIL-21)', async (t) => {
      const directory = await directoryOf(t, {
        'a.eml': rfc822({ subject: 'a', messageId: '<a@i.example>' }),
        'b.eml': rfc822({ subject: 'b', inReplyTo: '<a@i.example>' }),
      });
      await importMail(app, '--folder', 'Old/2025', '--no-threading', directory);
      await importMail(app, '--folder', 'Old/2026', directory);
      const without = await messagesIn(app, 'Old/2025');
      assert.deepEqual(
        without.map((message) => 'thread_id' in message),
        [false, false],
      );
      const [a, b] = await messagesIn(app, 'Old/2026');
      assert.ok(a.thread_id);
      assert.equal(a.thread_id, b.thread_id);
      assert.deepEqual(await messagesIn(app, 'Old'), []);
    });

    it('dates mail without a date by its delivery', async (t) => {
      const undated = 'Subject: undated\n\nbody\n';
      const directory = await directoryOf(t, {
        box: mbox([undated], 'Tue Feb  3 04:05:06 2015'),
        'a.eml': `${undated}a`,
      });
      utimesSync(join(directory, 'a.eml'), 1_000_000_000, 1_400_000_000);
      await importMail(app, '--folder', 'Undated', directory);
      const dates = (await messagesIn(app, 'Undated')).map(({ date }) => date);
      assert.deepEqual(dates, ['2015-02-03T04:05:06.000Z', '2014-05-13T16:53:20.000Z']);
    });

    it('skips what cannot be read, with the reason', async (t) => {
      const directory = await directoryOf(t, {
        'a.eml': named('a'),
        'empty.eml': '',
        'empty.mbox': '',
        'image.png': Buffer.from([137, 80, 78, 71]),
        'large.eml': 'Subject: large\n\n',
        'locked.eml': named('locked'),
        'notes.mbox': mbox([
          "Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA\nX-IMAP: 1 2\n\nx\n",
          named('after the notes'),
        ]),
        'text.mbox': 'no separator\n',
      });
      const inside = (name: string) => join(directory, name);
      truncateSync(inside('large.eml'), 64 * 1024 * 1024 + 1);
      chmodSync(inside('locked.eml'), 0);
      mkdirSync(inside('nothing'));
      symlinkSync('..', inside('nothing/loop'));
      symlinkSync(directory, inside('loop too'));
      symlinkSync('nowhere', inside('dangling.eml'));
      execFileSync('mkfifo', [inside('pipe.eml')]);
      if (isLinux) symlinkSync('/proc/self/mem', inside('unreadable.eml'));
      const absent = join(directory, 'absent');
      const { added, skipped } = await importMail(app, '--folder', 'Skips', `${directory}/`, absent);
      const reasons = skipped.map(({ source, reason }) => [source.replace(`${directory}/`, ''), reason]);
      const isRoot = process.getuid?.() === 0;
      assert.deepEqual(Object.fromEntries(reasons), {
        'dangling.eml': 'no such file or directory',
        'empty.eml': 'empty',
        'empty.mbox': 'empty',
        'image.png': 'neither a message nor a mailbox file',
        'large.eml': 'larger than 64 MiB',
        ...(isRoot ? {} : { 'locked.eml': 'permission denied' }),
        'loop too': 'a directory that was read already',
        'notes.mbox at byte 0': 'what a mail program notes of the mailbox, not a message',
        'pipe.eml': 'neither a file nor a directory',
        'text.mbox at byte 0': '13 bytes before the first message',
        ...(isLinux && { 'unreadable.eml': 'i/o error' }),
        'nothing/loop': 'a directory that was read already',
        absent: 'no such file or directory',
      });
      assert.equal(added, isRoot ? 3 : 2);
    });

    it('reads files whose names are no UTF-8', {
      skip: !isLinux && 'other systems have no such names',
    }, async (t) => {
      const directory = await directoryOf(t, {});
      const path = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from('é.eml', 'latin1')]);
      writeFileSync(path, named('in Latin-1'));
      assert.equal((await importMail(app, '--folder', 'Names', directory)).added, 1);
    });

    it('tells in one sentence what is wrong', async (t) => {
      const directory = await directoryOf(t, { 'a.eml': named('a') });
      const nobody = await runImport(app, ['nobody@example.org', directory]);
      assert.deepEqual(nobody, {
        code: 1,
        stdout: '',
        stderr: 'error: There is no user nobody@example.org.\n',
      });
      const before = (await app.get('/v1/folders')).json.data;
      for (const folder of ['', 'a//b', 'a\u0001']) {
        const outcome = await runImport(app, [app.config.ownerEmail, '--folder', folder, directory]);
        assert.equal(outcome.code, 1, folder);
        assert.match(outcome.stderr, /^error: folder\/\d: .+\.\n$/);
      }
      assert.deepEqual((await app.get('/v1/folders')).json.data, before);
      assert.equal((await runImport(app, [app.config.ownerEmail])).code, 2);
    });

    it('an import goes on after it was killed, and adds exactly what is missing (OPS-45)', async (t) => {
      const { directory, count } = await manyMessages(t);
      const args = ['--folder', 'Killed', directory];
      const child = startImport(app, [app.config.ownerEmail, ...args]);
      while ((await inserted(app, 'Killed')) === 0) await sleep(5);
      child.kill('SIGKILL');
      await once(child, 'close');
      const atKill = (await messagesIn(app, 'Killed')).length;
      assert.ok(atKill > 0 && atKill < count, `${atKill} of ${count} at the kill`);
      const { added, already_there } = await importMail(app, ...args);
      assert.deepEqual([added, already_there], [count - atKill, atKill]);
      await importMail(app, '--folder', 'Clean', directory);
      const summed = async (folder: string) =>
        (await messagesIn(app, folder)).map(({ subject, date, size }) => [subject, date, size]).sort();
      assert.deepEqual(await summed('Killed'), await summed('Clean'));
    });

    it('runs twice at once and adds each message once', async (t) => {
      const { directory, count } = await manyMessages(t);
      const args = ['--folder', 'At once', directory];
      const [one, other] = await Promise.all([importMail(app, ...args), importMail(app, ...args)]);
      assert.equal(one.added + other.added, count);
      assert.equal((await messagesIn(app, 'At once')).length, count);
    });
  });
});

/** Far more messages than one transaction takes; some are large. */
async function manyMessages(t: Parameters<typeof directoryOf>[0]) {
  const count = 1_200;
  const messages = Array.from({ length: count }, (_, i) =>
    rfc822({ subject: `message ${i}`, body: i % 100 === 99 ? 'x'.repeat(150_000) : 'body' }),
  );
  return { directory: await directoryOf(t, { box: mbox(messages) }), count };
}

/** How many messages the database holds of a folder, by its name. */
async function inserted({ services }: TestApp, name: string): Promise<number> {
  const rows = await services.database.read((tx) =>
    tx
      .selectFrom('message_states as m')
      .innerJoin('mail_folders as f', 'f.number', 'm.folder_number')
      .select('m.number')
      .where('f.name', '=', name)
      .limit(1)
      .execute(),
  );
  return rows.length;
}

describe('the line that shows progress', () => {
  const written = async (isTTY: boolean): Promise<string> => {
    const { write, isTTY: before } = process.stderr;
    let output = '';
    Object.assign(process.stderr, { isTTY, write: (piece: string) => (output += piece) });
    try {
      let step = 0;
      const line = new ProgressLine(() => `step ${++step}`);
      await sleep(500);
      line.end();
    } finally {
      Object.assign(process.stderr, { isTTY: before, write });
    }
    return output;
  };

  it('the line that shows progress is drawn anew on a terminal, and gone at the end (OPS-42)', async () => {
    const output = await written(true);
    const empty = '\r\x1b[K';
    assert.ok(output.startsWith(`${empty}step 1${empty}step 2`));
    assert.ok(output.endsWith(empty));
  });

  it('the line that shows progress is not written where nobody looks (OPS-42)', async () =>
    assert.equal(await written(false), ''));
});
