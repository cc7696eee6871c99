/** Times at the end of the year 9999, after which years have five digits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, problems } from './accounts.ts';
import { askFreeBusy, instancesOf, makePerson, type Person } from './calendar-world.ts';

const LAST_DAY = { start: '9999-12-31T00:00:00Z', end: '9999-12-31T23:59:59Z' };
const LAST_TIME = '9999-12-31T23:59:59.999Z';

forEachEngine((engine) => {
  describe('the end of the year 9999', () => {
    let app: TestApp;
    let me: Person;
    before(async () => {
      app = await startApp(engine);
      me = await makePerson(app);
    });
    after(() => app.stop());

    test('no window is taken whose end is in the year 10000 by UTC, or whose start is before the year 0', async () => {
      const late = { start: '9999-12-31T20:00:00-05:00', end: '9999-12-31T23:00:00-05:00' };
      const early = { start: '0000-01-01T00:00:00+05:00', end: '0000-01-02T00:00:00Z' };
      for (const [window, found] of [
        [late, problems(['/start', 'not_allowed'], ['/end', 'not_allowed'])],
        [early, problems(['/start', 'not_allowed'])],
      ] as const) {
        for (const path of ['/v1/freebusy', '/v1/freebusy/find']) {
          const answer = await app.post(path, { ...window, attendees: [me.email] }, { key: me.key });
          assert.equal(answer.status, 400, answer.text);
          assert.partialDeepStrictEqual(answer.json.error.details, found);
        }
      }
    });

    test('what ends later is shown with the last time that can be said', async () => {
      const lines = ['UID:late', 'DTSTART:99991231T220000Z', 'DURATION:PT5H'];
      const file = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join(
        '\r\n',
      );
      const headers = { 'content-type': 'text/calendar' };
      const path = `/v1/calendars/${me.calendar}/import`;
      const report = data(await app.post(path, file, { key: me.key, headers }));
      assert.equal(report.created, 1, JSON.stringify(report));
      const [instance] = await instancesOf(app, me, LAST_DAY);
      assert.equal(instance.ends_at, LAST_TIME);
      const { attendees } = await askFreeBusy(app, { attendees: [me.email], ...LAST_DAY }, { key: me.key });
      assert.doesNotMatch(JSON.stringify(attendees), /[+-]0\d{5}-/);
      const body = { ...LAST_DAY, attendees: [me.email], max_results: 50, duration_minutes: 60 };
      const { slots } = data(await app.post('/v1/freebusy/find', body, { key: me.key }));
      assert.ok(slots.length > 0);
      assert.doesNotMatch(JSON.stringify(slots), /[+-]0\d{5}-/);
    });
  });
});
