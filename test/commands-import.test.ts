/** What other programs hold is brought in from files and directories, and is given to them again. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { data } from './areas/accounts.ts';
import { makeSpreadsheet, put } from './areas/spreadsheets-world.ts';
import { atriumJson, runAtrium } from './command-line.ts';
import { forEachEngine } from './engines.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';

const OWNER = 'owner@localhost';
const card = (name: string) =>
  ['BEGIN:VCARD', 'VERSION:4.0', `UID:${name}`, `FN:${name}`, 'END:VCARD', ''].join('\r\n');
const event = (uid: string) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', `UID:${uid}`, 'DTSTART:20260302T090000Z']
    .concat('DURATION:PT1H', 'END:VEVENT', 'END:VCALENDAR', '')
    .join('\r\n');
const message = (subject: string) => `Subject: ${subject}\r\n\r\ntext\r\n`;

/** By kind, what a file of it is called, its content, the member of the report that counts what came, and how an export shows each. */
const KINDS = {
  mail: { ending: 'eml', content: message, counted: 'added', shown: /^Subject: /gm },
  contacts: { ending: 'vcf', content: card, counted: 'created', shown: /^FN:/gm },
  calendar: { ending: 'ics', content: event, counted: 'created', shown: /^BEGIN:VEVENT/gm },
} as const;

forEachEngine((engine) => {
  describe('the command line', () => {
    let app: TestApp;
    let directory: string;
    before(async () => {
      app = await startApp(engine);
      directory = await mkdtemp(join(tmpdir(), 'atrium-import-'));
    });
    after(async () => {
      await app.stop();
      await rm(directory, { recursive: true });
    });

    for (const [kind, { ending, content, counted, shown }] of Object.entries(KINDS)) {
      test(`imports ${kind} from a file and from directories, and exports it as others take it (OPS-45, OPS-46)`, async () => {
        const home = join(directory, kind);
        await mkdir(join(home, 'inner'), { recursive: true });
        await writeFile(join(directory, `one.${ending}`), content('one'));
        await writeFile(join(home, `two.${ending}`), content('two'));
        await writeFile(join(home, 'inner', `three.${ending}`), content('three'));
        const sources = [join(directory, `one.${ending}`), home];
        const report = await atriumJson(app, 'import', kind, OWNER, ...sources);
        assert.deepEqual([report[counted], report.skipped], [3, []]);
        const { code, stdout } = await runAtrium(app, ['export', kind, OWNER]);
        assert.deepEqual([code, stdout.match(shown)?.length], [0, 3], stdout);
      });
    }

    test('exports a sheet as CSV and as a workbook (OPS-46)', async () => {
      const id = await makeSpreadsheet(app);
      data(await put(app, id, 'A1', [['a', 1]]));
      const server = { ATRIUM_URL: app.address, ATRIUM_KEY: OWNER_KEY };
      const csv = await runAtrium(app, ['export', 'sheet', id, '--format', 'csv'], server);
      assert.deepEqual([csv.code, csv.stdout], [0, 'a,1\r\n']);
      const path = join(directory, 'book.xlsx');
      assert.equal((await runAtrium(app, ['export', 'sheet', id, path], server)).code, 0);
      assert.equal((await readFile(path)).subarray(0, 2).toString(), 'PK');
    });
  });
});
