import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runAtrium } from '../command-line.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { busyOf, makePerson } from './calendar-world.ts';

forEachEngine((engine) => {
  describe('calendars on the command line', () => {
    let app: TestApp;
    let directory: string;

    before(async () => {
      app = await startApp(engine);
      directory = await mkdtemp(join(tmpdir(), 'atrium-calendar-'));
    });
    after(async () => {
      await app.stop();
      await rm(directory, { recursive: true });
    });

    const atrium = (...args: string[]) => runAtrium(app, args);

    test('files are imported beside the server, and what cannot be read is told', async () => {
      const one = await makePerson(app);
      const file = join(directory, 'one.ics');
      const event = ['BEGIN:VEVENT', 'UID:a', 'DTSTART:20260302T090000Z', 'DURATION:PT1H', 'END:VEVENT'];
      const odd = ['BEGIN:VEVENT', 'SUMMARY:x', 'END:VEVENT'];
      await writeFile(file, ['BEGIN:VCALENDAR', ...event, ...odd, 'END:VCALENDAR', ''].join('\r\n'));
      assert.deepEqual(await busyOf(app, one), []);
      const first = await atrium('import', 'calendar', one.email, file, '--json');
      const skipped = [{ source: file, index: 1, line: 7, reason: 'It has no DTSTART.' }];
      assert.deepEqual(JSON.parse(first.stdout), { created: 1, updated: 0, skipped });
      assert.equal(first.code, 0);
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00']);
      const again = await atrium('import', 'calendar', one.email, join(directory, 'absent.ics'), file);
      assert.equal(again.code, 1);
      assert.equal(
        again.stdout,
        `skipped ${join(directory, 'absent.ics')}: no such file or directory\n` +
          `skipped line 7 of ${file}: It has no DTSTART.\n0 events created, 1 updated, 2 skipped.\n`,
      );
    });

    test('what gives nothing is told by the exit code, directories are walked', async () => {
      const one = await makePerson(app);
      const inner = join(directory, 'calendars', 'inner');
      await mkdir(inner, { recursive: true });
      const event = (day: number) =>
        ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', `UID:${day}`, `DTSTART:2026030${day}T090000Z`]
          .concat('DURATION:PT1H', 'END:VEVENT', 'END:VCALENDAR', '')
          .join('\r\n');
      await writeFile(join(directory, 'calendars', 'b.ics'), event(2));
      await writeFile(join(inner, 'a.ics'), event(3));
      const readme = join(inner, 'README');
      await writeFile(readme, 'hello');
      const walked = await atrium('import', 'calendar', one.email, join(directory, 'calendars'), '--json');
      const reason = 'This is no iCalendar: nothing begins with BEGIN:VCALENDAR.';
      assert.deepEqual(
        [walked.code, JSON.parse(walked.stdout)],
        [0, { created: 2, updated: 0, skipped: [{ source: readme, index: 0, line: 1, reason }] }],
      );
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00', '03-03 09:00–10:00']);
      const empty = join(directory, 'empty.ics');
      await writeFile(empty, '');
      const outdated = join(directory, 'outdated.ics');
      await writeFile(outdated, event(2).replace('UID:2', 'UID:2\r\nSEQUENCE:1'));
      assert.equal((await atrium('import', 'calendar', one.email, outdated)).code, 0);
      for (const paths of [
        [readme],
        [readme, outdated],
        [outdated, empty],
        [join(directory, 'calendars', 'b.ics')],
        ['/dev/null'],
      ]) {
        const { code, stdout } = await atrium('import', 'calendar', one.email, ...paths);
        assert.deepEqual([code, /^skipped /m.test(stdout)], [1, true], paths.join());
      }
    });

    test('the calendar may be named, and what does not exist is refused', async () => {
      const one = await makePerson(app);
      const club = data(await app.post('/v1/calendars', { name: 'Club' }, { key: one.key }), 201);
      const file = join(directory, 'two.ics');
      const lines = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'DTSTART:20260302T090000Z', 'END:VEVENT', ''];
      await writeFile(file, lines.join('\r\n'));
      const { code, stdout } = await atrium('import', 'calendar', one.email, file, '--calendar', 'Club');
      assert.deepEqual([code, stdout], [0, '1 event created, 0 updated, 0 skipped.\n']);
      const path = `/v1/calendars/${club.id}/events?start=2026-03-01T00:00:00Z&end=2026-04-01T00:00:00Z`;
      assert.equal(data(await app.get(path, { key: one.key })).length, 1);
      for (const [args, message, code] of [
        [['nobody@x.example', file], /no user/, 1],
        [[one.email, file, '--calendar', 'None'], /no calendar None/, 1],
        [[one.email], /missing required argument/, 2],
      ] as [string[], RegExp, number][]) {
        const outcome = await atrium('import', 'calendar', ...args);
        assert.equal(outcome.code, code, outcome.stderr);
        assert.match(outcome.stderr, message);
      }
    });
  });
});
