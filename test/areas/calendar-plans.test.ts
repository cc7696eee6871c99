import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  findEvents,
  findEventsByUid,
  listEvents,
  listVersions,
  setTimeZone,
} from '../../src/areas/calendar/events/event-store.ts';
import {
  deleteSpans,
  listBusyPatterns,
  listHeldEvents,
} from '../../src/areas/calendar/recurrence/span-store.ts';
import type { DirectoryService } from '../../src/areas/directory/service.ts';
import type { Engine, ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';

const WORKSPACE = 'wsp_1';
const PEOPLE = 4_000;
const EVENTS_EACH = 4;
const AT_ONCE = 500;
const HOUR = 3_600_000;
const WEEK = { start: 24 * HOUR, end: 8 * 24 * HOUR };
const HOLDERS = ['usr_7', 'usr_8', 'usr_nobody'];

/** What is asked, with the indexes that it is found by; SQLite does not name primary keys. */
const KEY = 'PRIMARY KEY|_key|autoindex';
const QUESTIONS: [string, (tx: ReadTransaction, directory: DirectoryService) => Promise<unknown>, string][] =
  [
    ['events of a window', (tx) => Array.fromAsync(listHeldEvents(tx, WORKSPACE, HOLDERS, WEEK)), KEY],
    ['patterns of a window', (tx) => listBusyPatterns(tx, WORKSPACE, HOLDERS, WEEK), KEY],
    ['events by id', (tx) => Array.fromAsync(findEvents(tx, WORKSPACE, ['evt_1', 'evt_2'])), KEY],
    ['versions of two', (tx) => listVersions(tx, WORKSPACE, HOLDERS.slice(1)), KEY],
    ['versions', (tx) => listVersions(tx, WORKSPACE, HOLDERS), KEY],
    [
      'events by UID',
      (tx) => Array.fromAsync(findEventsByUid(tx, 'cal_3', ['uid_1', 'uid_2'])),
      'calendar_events_by_uid',
    ],
    ['events of a calendar', (tx) => listEvents(tx, 'cal_3', 'uid_1', 10), 'calendar_events_by_uid'],
    [
      'people by address',
      (tx, directory) => directory.findAddressHolders(tx, WORKSPACE, ['a@b', 'c@d']),
      KEY,
    ],
    ['one of them', (tx, directory) => directory.findAddressHolders(tx, WORKSPACE, ['usr_3@b']), KEY],
    ['resources', (tx, directory) => directory.findResourceIds(tx, WORKSPACE, ['res_1', 'res_2']), KEY],
  ];

/** Reading a table or an index from end to end; of the values that were asked for, all are read. */
const DETOURS: Record<Engine, RegExp> = {
  sqlite: /SCAN (?!(e|json_each)\b)|AUTOMATIC/,
  postgres: /Seq Scan|Hash|Merge/,
};

forEachEngine((engine) => {
  describe('how busy times are found', () => {
    let app: TestApp;

    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      await analyze(app.services.database);
    });
    after(() => app.stop());

    for (const [name, ask, index] of QUESTIONS) {
      test(`${name}: along ${index}`, async () => {
        const { database, directory } = app.services;
        assertFound(await database.read((tx) => plansOf(tx, (recorded) => ask(recorded, directory))), index);
      });
    }

    test('spans of an event: along calendar_spans_by_event', async () => {
      const plans = await app.services.database.write((tx) =>
        plansOf(tx, (recorded) => deleteSpans(recorded, ['evt_1', 'evt_2'])),
      );
      assertFound(plans, 'calendar_spans_by_event');
    });

    test('events of a calendar that changes its zone: along calendar_events_by_uid', async () => {
      const plans = await app.services.database.write((tx) =>
        plansOf(tx, (recorded) => setTimeZone(recorded, 'cal_3', 'Europe/Paris')),
      );
      assertFound(plans, 'calendar_events_by_uid');
    });
  });

  function assertFound(plans: string[][], index: string): void {
    const lines = plans.flat();
    assert.ok(
      lines.some((line) => new RegExp(index).test(line)),
      lines.join('\n'),
    );
    const detours = lines.filter((line) => DETOURS[engine].test(line));
    assert.deepEqual(detours, [], lines.join('\n'));
  }
});

/** Enough of everything for PostgreSQL to know that reading all of it is dear. */
async function fill(tx: WriteTransaction): Promise<void> {
  const people = Array.from({ length: PEOPLE }, (_, i) => `usr_${i}`);
  const events = people.flatMap((userId, i) =>
    Array.from({ length: EVENTS_EACH }, (_, k) => eventOf(userId, i, k)),
  );
  for (const rows of portions(events)) await tx.insertInto('calendar_events').values(rows).execute();
  for (const rows of portions(events))
    await tx.insertInto('calendar_spans').values(rows.map(spanOf)).execute();
  for (const rows of portions(people)) {
    const versions = rows.map((holder) => ({ workspace_id: WORKSPACE, holder, version: holder }));
    await tx.insertInto('calendar_versions').values(versions).execute();
    await tx.insertInto('resources').values(rows.map(resourceOf)).execute();
    await tx.insertInto('users').values(rows.map(userOf)).execute();
    const addresses = rows.map((id) => ({ address: `${id}@b`, workspace_id: WORKSPACE, user_id: id }));
    await tx.insertInto('user_addresses').values(addresses).execute();
  }
}

function eventOf(userId: string, person: number, i: number) {
  return {
    workspace_id: WORKSPACE,
    user_id: userId,
    id: `evt_${person * EVENTS_EACH + i}`,
    calendar_id: `cal_${person}`,
    uid: `uid_${i}`,
    time_zone: 'UTC',
    definition: '{"overrides":[]}',
    resources: '[]',
    created_at: i * 12 * HOUR,
    updated_at: 0,
  };
}

function spanOf({ workspace_id, user_id, id, created_at }: ReturnType<typeof eventOf>) {
  const times = { span_class: 0, starts_at: created_at, ends_at: created_at + HOUR, busy: '[]' };
  return { workspace_id, holder: user_id, event_id: id, ...times };
}

function userOf(id: string) {
  const texts = { name: id, email: `${id}@b`, aliases: '[]', time_zone: 'UTC', search_text: id };
  const numbers = { is_owner: 0, share_availability: 1, created_at: 0, updated_at: 0 };
  return { workspace_id: WORKSPACE, id, state: 'active' as const, ...texts, ...numbers };
}

function resourceOf(id: string) {
  const kind = 'room' as const;
  return { workspace_id: WORKSPACE, id, name: id, kind, capacity: null, created_at: 0, updated_at: 0 };
}

function* portions<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += AT_ONCE) yield rows.slice(i, i + AT_ONCE);
}
