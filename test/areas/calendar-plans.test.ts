import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  findEvents,
  findEventsByUid,
  listEvents,
  listVersions,
  setTimeZone,
} from '../../src/areas/calendar/events/event-store.ts';
import { deleteInvitations, listInvitedEvents } from '../../src/areas/calendar/events/invitation-store.ts';
import {
  deleteSpans,
  listBusyPatterns,
  listBusyPatternsWithout,
  listHeldEvents,
} from '../../src/areas/calendar/recurrence/span-store.ts';
import type { DirectoryService } from '../../src/areas/directory/service.ts';
import type { Engine, ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';

const WORKSPACE = 'wsp_1';
const CALENDAR = { workspace_id: WORKSPACE, id: 'cal_3' };
const PEOPLE = 4_000;
const EVENTS_EACH = 4;
const AT_ONCE = 500;
const HOUR = 3_600_000;
const WEEK = { start: 24 * HOUR, end: 8 * 24 * HOUR };
const HOLDERS = ['usr_7', 'usr_8', 'usr_nobody'];
const INVITED = {
  workspaceId: WORKSPACE,
  person: { userId: 'usr_8', addresses: ['usr_7@b', 'usr_8@b', 'nobody@b'] },
  window: WEEK,
  after: { startsAt: 0, eventId: '' },
  limit: 26,
};

/** What is asked, with the indexes that it is found by; SQLite does not name primary keys. */
const KEY = 'PRIMARY KEY|_key|autoindex';
const QUESTIONS: [string, (tx: ReadTransaction, directory: DirectoryService) => Promise<unknown>, string][] =
  [
    ['events of a window', (tx) => Array.fromAsync(listHeldEvents(tx, WORKSPACE, HOLDERS, WEEK)), KEY],
    ['patterns of a window', (tx) => listBusyPatterns(tx, WORKSPACE, HOLDERS, WEEK), KEY],
    [
      'patterns without an event',
      (tx) => listBusyPatternsWithout(tx, WORKSPACE, HOLDERS, WEEK, 'evt_1'),
      KEY,
    ],
    ['working hours', (tx, directory) => directory.findWorkingHours(tx, WORKSPACE, ['usr_1', 'usr_2']), KEY],
    ['invitations of a window', (tx) => listInvitedEvents(tx, INVITED), KEY],
    ['events by id', (tx) => Array.fromAsync(findEvents(tx, WORKSPACE, ['evt_1', 'evt_2'])), KEY],
    ['versions of two', (tx) => listVersions(tx, WORKSPACE, HOLDERS.slice(1)), KEY],
    ['versions', (tx) => listVersions(tx, WORKSPACE, HOLDERS), KEY],
    [
      'events by UID',
      (tx) => Array.fromAsync(findEventsByUid(tx, CALENDAR, ['uid_1', 'uid_2'])),
      'calendar_events_by_uid',
    ],
    ['events of a calendar', (tx) => listEvents(tx, CALENDAR, 'uid_1', 10), 'calendar_events_by_uid'],
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
  sqlite: /SCAN (?!(e|json_each|stream)\b)|AUTOMATIC/,
  postgres: /Seq Scan|Hash|Merge (?!Append)/,
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
      test(`finding ${name} reads along ${index}`, async () => {
        const { database, directory } = app.services;
        assertFound(await database.read((tx) => plansOf(tx, (recorded) => ask(recorded, directory))), index);
      });
    }

    test('finding the spans of an event reads along calendar_spans_by_event', async () => {
      const plans = await app.services.database.write((tx) =>
        plansOf(tx, (recorded) => deleteSpans(recorded, WORKSPACE, ['evt_1', 'evt_2'])),
      );
      assertFound(plans, 'calendar_spans_by_event');
    });

    test('invitations to an event: along calendar_invitations_by_event', async () => {
      const plans = await app.services.database.write((tx) =>
        plansOf(tx, (recorded) => deleteInvitations(recorded, WORKSPACE, ['evt_1', 'evt_2'])),
      );
      assertFound(plans, 'calendar_invitations_by_event');
    });

    test('invitations of an address and a class are read in order, without sorting, up to a page', async () => {
      const { database } = app.services;
      const plans = await database.read((tx) =>
        plansOf(tx, (recorded) => listInvitedEvents(recorded, INVITED)),
      );
      const lines = plans.flat().join('\n');
      if (engine === 'sqlite') {
        assert.equal(lines.match(/SEARCH calendar_invitations USING PRIMARY KEY/g)?.length, 3 * 13, lines);
        // What is sorted is the page that a stream has yielded.
        assert.doesNotMatch(lines, /SEARCH calendar_invitations.*\n(?!SCAN stream)/);
      } else {
        assert.equal(
          lines.match(/Index (Only )?Scan using calendar_invitations_key/g)?.length,
          3 * 13,
          lines,
        );
        assert.ok((lines.match(/\bSort\b {2}/g)?.length ?? 0) <= 1, lines);
      }
    });

    test('finding the events of a calendar that changes its zone reads along calendar_events_by_uid', async () => {
      const plans = await app.services.database.write((tx) =>
        plansOf(tx, (recorded) => setTimeZone(recorded, CALENDAR, 'Europe/Paris')),
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
  for (const rows of portions(events))
    await tx.insertInto('calendar_invitations').values(rows.map(invitationTo)).execute();
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
    sequence: 0,
    created_at: i * 12 * HOUR,
    updated_at: 0,
  };
}

function spanOf({ workspace_id, user_id, id, created_at }: ReturnType<typeof eventOf>) {
  const times = { span_class: 0, starts_at: created_at, ends_at: created_at + HOUR, busy: '[]' };
  return { workspace_id, holder: user_id, event_id: id, ...times };
}

function invitationTo({ workspace_id, user_id, id, created_at }: ReturnType<typeof eventOf>) {
  const times = { span_class: 0, starts_at: created_at, ends_at: created_at + HOUR };
  return { workspace_id, address: `${user_id}@b`, event_id: id, owner_id: 'usr_9', ...times };
}

function userOf(id: string) {
  const texts = {
    name: id,
    email: `${id}@b`,
    aliases: '[]',
    time_zone: 'UTC',
    working_hours: '[]',
    search_text: id,
  };
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
