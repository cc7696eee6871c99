import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { FileNames } from '../src/commands/export/file-names.ts';
import { data } from './areas/accounts.ts';
import { createContact, firstBook } from './areas/contacts-world.ts';
import { makeDocument, putContent } from './areas/documents-world.ts';
import { makeFolder, makePerson, type Person, putFile, shareWith } from './areas/files-world.ts';
import { append, folderOf, rfc822 } from './areas/mail-world.ts';
import { makeSpreadsheet } from './areas/spreadsheets-world.ts';
import { atriumJson, runAtrium } from './command-line.ts';
import { forEachEngine } from './engines.ts';
import { startApp, type TestApp } from './harness.ts';
import { mountSmallDisk } from './torture/small-disk.ts';

describe('names of exported files', () => {
  it('are safe and each its own, whatever things are called', () => {
    const wanted = fc.oneof(
      fc.constantFrom(
        '.',
        '..',
        '...',
        '',
        ' ',
        'CON',
        'nul.txt',
        'a/b',
        '../x',
        'a',
        'A',
        'a (2)',
        'ß',
        'SS',
      ),
      fc.string({ unit: 'binary', maxLength: 400 }),
    );
    fc.assert(
      fc.property(fc.array(wanted, { maxLength: 30 }), fc.constantFrom('', '.md'), (all, ending) => {
        const names = new FileNames();
        const given = all.map((name) => names.take(name, ending));
        assert.equal(new Set(given.map((name) => name.toLowerCase())).size, all.length);
        for (const name of given) {
          assert.match(name, /^[^/\\:*?"<>|\p{Cc}]+$/u);
          assert.doesNotMatch(name, /^\.\.?$|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
          assert.ok(Buffer.byteLength(name) <= 255 && name.toLowerCase().endsWith(ending), name);
        }
      }),
    );
  });

  it('stay as they are where nothing speaks against them', () => {
    const names = new FileNames();
    const given = ['Report 2026.pdf', 'report 2026.PDF', '.profile', 'Größe', 'x.tar.gz'].map((name) =>
      names.take(name),
    );
    assert.deepEqual(given, ['Report 2026.pdf', 'report 2026 (2).PDF', '.profile', 'Größe', 'x.tar.gz']);
  });
});

forEachEngine((engine) => {
  describe('everything of a user', () => {
    let app: TestApp;
    let directory: string;
    let one: Person;

    before(async () => {
      app = await startApp(engine);
      directory = await mkdtemp(join(tmpdir(), 'atrium-export-'));
      one = await makePerson(app);
      await fill(app, one);
    });
    after(async () => {
      await app.stop();
      await rm(directory, { recursive: true });
    });

    /** The files below a directory with their bytes. */
    async function read(path: string): Promise<Record<string, string>> {
      const found = await readdir(path, { recursive: true, withFileTypes: true });
      const files = found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const contents = files
        .sort()
        .map(async (file) => [file.slice(path.length + 1), await readFile(file, 'latin1')]);
      return Object.fromEntries(await Promise.all(contents));
    }

    it('everything of a user goes into a directory, the same each time (OPS-46)', async () => {
      const [first, second] = [join(directory, 'first'), join(directory, 'second')];
      const report = await atriumJson(app, 'export', 'user', one.id, first);
      await mkdir(second);
      await atriumJson(app, 'export', 'user', one.id, second);
      const files = await read(first);
      assert.deepEqual(await read(second), files);
      const { 'index.json': index = '', ...others } = files;
      const paths = Object.keys(others);
      assert.equal(report.files, paths.length);
      const drive = paths.filter((path) => path.startsWith('files'));
      assert.deepEqual(drive.sort(), [
        'files/Budget.xlsx',
        'files/Notes.md',
        'files/Plans/_.._etc_passwd.md',
        'files/Plans/_CON',
        'files/Plans/file (2).txt',
        'files/Plans/file.txt',
      ]);
      assert.deepEqual(
        paths.filter((path) => !path.startsWith('files')),
        [
          'calendars/Calendar.ics',
          'contacts/Contacts.vcf',
          ...['Archive', 'Drafts', 'Inbox', 'Junk', 'Sent', 'Trash'].map((name) => `mail/${name}.mbox`),
          'mail/Inbox/Kept.mbox',
        ].sort(),
      );
      assert.equal(files['files/Notes.md'], '# Hello');
      assert.equal(files['files/Plans/file.txt'], 'newer');
      assert.match(files['mail/Inbox/Kept.mbox'] ?? '', /^Subject: kept\r$/m);
      assert.match(files['contacts/Contacts.vcf'] ?? '', /^FN:Ada\r$/m);
      const { user, entries } = JSON.parse(index);
      assert.equal(user.id, one.id);
      const listed = entries.filter(({ type }: { type: string }) => type !== 'file_folder');
      assert.deepEqual(listed.map(({ path }: { path: string }) => path).sort(), paths.sort());
    });

    it('is refused for a directory with something in it, and for nobody', async () => {
      const full = join(directory, 'full');
      await mkdir(full);
      await writeFile(join(full, 'mine'), '');
      for (const [args, message] of [
        [[one.id, full], /full is not empty; name a new or an empty directory/],
        [['nobody@x.example', join(directory, 'none')], /no user nobody@x\.example/],
        [[one.id, join(full, 'mine', 'in')], /ENOTDIR|not a directory/],
      ] as [string[], RegExp][]) {
        const { code, stderr } = await runAtrium(app, ['export', 'user', ...args]);
        assert.match(stderr, message);
        assert.notEqual(code, 0);
      }
      assert.deepEqual(Object.keys(await read(full)), ['mine']);
    });

    it('says of which file the disk had no room', async (t) => {
      const small = join(directory, 'small');
      await mkdir(small);
      const disk = mountSmallDisk(small);
      if (!disk) return t.skip('the system lets us mount no file system in memory');
      t.after(() => disk.unmount());
      await disk.fill();
      // The only page that there is takes the beginning of the index.
      for (const [args, file] of [
        [['user', one.id, join(small, 'all')], 'all/mail/Inbox/Kept.mbox'],
        [['user', one.id, join(small, 'again')], 'again/index.json'],
        [['contacts', one.id, '--output', join(small, 'contacts.vcf')], 'contacts.vcf'],
      ] as [string[], string][]) {
        const { code, stderr } = await runAtrium(app, ['export', ...args]);
        assert.deepEqual([code, stderr], [1, `error: ${join(small, file)}: no space left on device.\n`]);
      }
    });

    it('goes on with paths that are too long for any disk', async () => {
      const deep = await makePerson(app);
      let parent = '';
      for (let level = 0; level < 25; level++)
        parent = (await makeFolder(app, deep, `${level}${'x'.repeat(180)}`, parent)).id;
      await putFile(app, deep, { filename: `${'ü'.repeat(200)}.txt`, folderId: parent });
      const target = join(directory, 'deep');
      await atriumJson(app, 'export', 'user', deep.id, target);
      const files = Object.keys(await read(target)).filter((path) => path.endsWith('.txt'));
      assert.equal(files.length, 1);
      assert.ok(Buffer.byteLength(files[0] ?? '') < 2_000);
    });
  });
});

async function fill(app: TestApp, one: Person): Promise<void> {
  const { key } = one;
  const inbox = await folderOf(app, 'inbox', key);
  const kept = data(await app.post('/v1/folders', { name: 'Kept', parent_id: inbox }, { key }), 201);
  await append(app, kept.id, rfc822({ subject: 'kept' }), { key });
  await createContact(app, await firstBook(app, { key }), { name: 'Ada' }, { key });
  const note = await makeDocument(app, one);
  await putContent(app, one, note.id, '# Hello');
  await makeSpreadsheet(app, 'Budget', key);
  const plans = await makeFolder(app, one, 'Plans');
  for (const [filename, text] of [
    ['file.txt', 'older'],
    ['file.txt', 'newer'],
    ['CON', ''],
  ] as const)
    await putFile(app, one, { filename, bytes: Buffer.from(text), folderId: plans.id });
  await makeDocument(app, one, { title: 'gone', folder_id: plans.id }).then(({ id }) =>
    app.delete(`/v1/documents/${id}`, { key }),
  );
  await makeDocument(app, one, { title: '/../etc/passwd', folder_id: plans.id });
  const other = await makePerson(app);
  const shared = await putFile(app, other, { filename: 'not mine.txt' });
  await shareWith(app, other, shared.id, one.id, 'viewer');
}
