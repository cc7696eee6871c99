import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { busyOf, instancesOf, makeEvent, makePerson } from './calendar-world.ts';

/** Of a meeting at half past two, on days around a change of the clock in Amsterdam. */
const SERIES: [first: string, until: string, starts: string[], why: string][] = [
  ['2026-10-24', '20261025T010000Z', ['24 00:30', '25 00:30'], 'in the hour that is shown again'],
  ['2026-10-24', '20261025T003000Z', ['24 00:30', '25 00:30'], 'at the start of the last instance'],
  ['2026-10-24', '20261025T002959Z', ['24 00:30'], 'a second before an instance'],
  ['2026-10-24', '20261026T013000Z', ['24 00:30', '25 00:30', '26 01:30'], 'after the change'],
  [
    '2026-03-27',
    '20260329T010000Z',
    ['27 01:30', '28 01:30'],
    'before an instance that the clock leaves out',
  ],
  [
    '2026-03-27',
    '20260329T013000Z',
    ['27 01:30', '28 01:30', '29 01:30'],
    'at one that the clock leaves out',
  ],
];

forEachEngine((engine) => {
  describe('a series with an UNTIL in UTC', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    for (const [first, until, starts, why] of SERIES) {
      it(`ends at that moment, ${why} (CAL-15)`, async () => {
        const person = await makePerson(app);
        await makeEvent(app, person, {
          starts_at: `${first}T02:30:00`,
          ends_at: `${first}T02:45:00`,
          time_zone: 'Europe/Amsterdam',
          recurrence: [`RRULE:FREQ=DAILY;UNTIL=${until}`],
        });
        const window = { start: `${first}T00:00:00Z`, end: '2026-11-10T00:00:00Z' };
        const listed: { starts_at: string }[] = await instancesOf(app, person, window);
        assert.deepEqual(
          listed.map(({ starts_at }) => starts_at.slice(8, 16).replace('T', ' ')),
          starts,
        );
        const busy = (await busyOf(app, person, window)).map((time) => time.slice(3, 11));
        assert.deepEqual(busy, starts);
      });
    }
  });
});
