/** How long events last, what they list, how often they recur, and which windows are listed: at each limit and beyond it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { makeEvent, makePerson, type Person } from './calendar-world.ts';

forEachEngine((engine) => {
  describe('limits of events', () => {
    let app: TestApp;
    let one: Person;
    before(async () => {
      app = await startApp(engine);
      one = await makePerson(app);
    });
    after(() => app.stop());

    const refused = async (body: Record<string, unknown>) => {
      const answer = await app.post(`/v1/calendars/${one.calendar}/events`, body, { key: one.key });
      assert.deepEqual([answer.status, answer.json.error?.code], [400, 'validation_failed'], answer.text);
      return answer.json.error;
    };

    test('a recurrence has at most 100 lines, 5 rules, 10,000 dates and 10,000 instances in a year (CAL-17)', async () => {
      const rules = (count: number) =>
        Array.from({ length: count }, (_, i) => `RRULE:FREQ=DAILY;COUNT=${i + 2}`);
      const dates = (count: number, name = 'RDATE') => {
        const all = Array.from({ length: count }, (_, i) =>
          new Date(Date.UTC(2026, 2, 2, 9, i)).toISOString().slice(0, 19).replace(/[-:]/g, ''),
        );
        const lines = Array.from({ length: Math.ceil(count / 3_500) }, (_, i) =>
          all.slice(3_500 * i, 3_500 * (i + 1)),
        );
        return lines.map((line) => `${name}:${line.map((time) => `${time}Z`).join(',')}`);
      };
      const exceptions = (count: number) =>
        Array.from(
          { length: count },
          (_, i) => `EXDATE:202704${String((i % 28) + 1).padStart(2, '0')}T090000Z`,
        );
      for (const [most, more] of [
        [exceptions(100), exceptions(101)],
        [rules(5), rules(6)],
        [dates(10_000), dates(10_001)],
        [dates(10_000, 'EXDATE'), dates(10_001, 'EXDATE')],
        [['RRULE:FREQ=MINUTELY;COUNT=10000'], ['RRULE:FREQ=MINUTELY;COUNT=10001']],
      ] as const) {
        const times = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T09:00:30Z' };
        await makeEvent(app, one, { ...times, recurrence: most });
        await refused({ ...times, recurrence: more });
      }
    });

    test('an event that recurs lasts at most 366 days, and another one longer (CAL-12)', async () => {
      const lasting = (ends_at: string, recurrence: string[]) => ({
        starts_at: '2026-03-02T09:00:00Z',
        ends_at,
        recurrence,
      });
      const yearly = ['RRULE:FREQ=YEARLY;COUNT=2'];
      await makeEvent(app, one, lasting('2027-03-03T09:00:00Z', yearly));
      await makeEvent(app, one, lasting('2028-03-03T09:00:00Z', []));
      const { details } = await refused(lasting('2027-03-03T09:00:01Z', yearly));
      assert.equal(details.errors[0].pointer, '/ends_at');
    });

    test('an event lists at most 200 attendees and 200 resources (CAL-19)', async () => {
      const attendees = Array.from({ length: 201 }, (_, i) => `a${i}@b.example`);
      const event = await makeEvent(app, one, { attendees: attendees.slice(1) });
      assert.deepEqual([event.attendees, event.responses.length], [attendees.slice(1), 200]);
      const times = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z' };
      for (const [field, listed] of [
        ['attendees', attendees],
        ['resources', attendees.map((_, i) => `res_${i}`)],
      ] as const) {
        const { details } = await refused({ ...times, [field]: listed });
        assert.deepEqual(
          details.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
          [[`/${field}`, 'too_many']],
        );
      }
    });

    test('a listing of instances requires a window of at most 366 days (CAL-22)', async () => {
      const path = `/v1/calendars/${one.calendar}/events`;
      const start = 'start=2026-01-01T00:00:00Z';
      assert.equal(
        (await app.get(`${path}?${start}&end=2027-01-02T00:00:00Z`, { key: one.key })).status,
        200,
      );
      for (const [query, parameter] of [
        ['', 'start'],
        [start, 'end'],
        ['end=2026-01-01T00:00:00Z', 'start'],
        [`${start}&end=2027-01-02T00:00:01Z`, 'end'],
        [`${start}&end=2026-01-01T00:00:00Z`, 'end'],
      ] as const) {
        const { status, json } = await app.get(`${path}?${query}`, { key: one.key });
        assert.deepEqual([status, json.error?.code], [400, 'validation_failed'], query);
        assert.equal(json.error.details.errors[0].parameter, parameter, query);
      }
    });
  });
});
