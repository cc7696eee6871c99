import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runAtrium } from '../command-line.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, readPages } from './accounts.ts';
import { exportCards, firstBook, vcard } from './contacts-world.ts';

const OWNER = 'owner@localhost';

forEachEngine((engine) => {
  describe('contacts on the command line', () => {
    let app: TestApp;
    let directory: string;

    before(async () => {
      app = await startApp(engine);
      directory = await mkdtemp(join(tmpdir(), 'atrium-contacts-'));
    });
    after(async () => {
      await app.stop();
      await rm(directory, { recursive: true });
    });

    const atrium = (...args: string[]) => runAtrium(app, args);

    test('files of any length are imported beside the server, and what cannot be read is told', async () => {
      const many = join(directory, 'many.vcf');
      const cards = Array.from({ length: 1_100 }, (_, i) => vcard(`UID:u${i}`, `FN:Person ${i}`));
      await writeFile(many, [...cards, vcard('NOTE:nobody')].join(''));
      const first = await atrium('import', 'contacts', OWNER, many, '--json');
      const skipped = [
        {
          source: many,
          index: 1_100,
          reason: 'It has no name, organization, e-mail address or phone number.',
        },
      ];
      assert.deepEqual(JSON.parse(first.stdout), { created: 1_100, updated: 0, skipped });
      assert.equal(first.code, 0);
      const again = await atrium('import', 'contacts', OWNER, many, join(directory, 'absent.vcf'));
      assert.equal(again.code, 1);
      assert.match(again.stdout, /^0 contacts created, 1100 updated, 2 skipped\.$/m);
      assert.match(again.stdout, /^skipped .*absent\.vcf: no such file or directory$/m);
      assert.equal((await readPages(app, '/v1/contacts', 200)).length, 1_100);
    });

    test('an export is what the API gives, on standard output or in a file', async () => {
      const expected = await exportCards(app, await firstBook(app));
      assert.equal((await atrium('export', 'contacts', OWNER)).stdout, expected);
      const output = join(directory, 'out.vcf');
      const told = await atrium('export', 'contacts', OWNER, '--output', output, '--json');
      assert.equal(JSON.parse(told.stdout).exported, 1_100);
      assert.equal(await readFile(output, 'utf8'), expected);
      const other = data(await app.post('/v1/address-books', { name: 'Club' }), 201);
      data(await app.post('/v1/contacts', { address_book_id: other.id, name: 'Member' }), 201);
      const club = await atrium('export', 'contacts', OWNER, '--book', 'Club');
      assert.match(club.stdout, /^FN:Member\r$/m);
    });

    test('what gives nothing is told by the exit code, directories are walked', async () => {
      const cards = join(directory, 'cards');
      await mkdir(join(cards, 'inner'), { recursive: true });
      await writeFile(join(cards, 'b.vcf'), vcard('UID:walked', 'FN:Walked'));
      await writeFile(join(cards, 'inner', 'a.vcf'), vcard('UID:inner', 'FN:Inner'));
      const readme = join(cards, 'inner', 'README');
      await writeFile(readme, 'hello');
      const walked = await atrium('import', 'contacts', OWNER, cards, '--json');
      const reason = 'This is no vCard: nothing begins with BEGIN:VCARD.';
      assert.deepEqual(
        [walked.code, JSON.parse(walked.stdout)],
        [0, { created: 2, updated: 0, skipped: [{ source: readme, index: 0, reason }] }],
      );
      const empty = join(directory, 'empty.vcf');
      await writeFile(empty, '');
      const nameless = join(directory, 'nameless.vcf');
      await writeFile(nameless, vcard('NOTE:nobody'));
      for (const paths of [[readme], [cards, readme], [empty], [nameless, cards], ['/dev/null']]) {
        const { code, stdout } = await atrium('import', 'contacts', OWNER, ...paths);
        assert.deepEqual([code, /^skipped /m.test(stdout)], [1, true], paths.join());
      }
    });

    test('what does not exist is refused', async () => {
      for (const [args, message, code] of [
        [['export', 'contacts', 'nobody@x.example'], /no user/, 1],
        [['export', 'contacts', OWNER, '--book', 'None'], /no address book None/, 1],
        [['export', 'contacts', OWNER, '--json'], /--output/, 2],
        [['import', 'contacts', OWNER], /missing required argument/, 2],
      ] as [string[], RegExp, number][]) {
        const outcome = await atrium(...args);
        assert.equal(outcome.code, code, outcome.stderr);
        assert.match(outcome.stderr, message);
      }
    });
  });
});
