/** Events that are older than invitations invite whom they list, as if they were stored today. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { openDatabase } from '../../src/storage/open.ts';
import { migrate } from '../../src/storage/schema/migrate.ts';
import { migrations } from '../../src/storage/schema/migrations/index.ts';
import { forEachEngine } from '../engines.ts';
import { startApp } from '../harness.ts';
import { data } from './accounts.ts';
import { makeEvent, makePerson } from './calendar-world.ts';

const LONG = `${'\ufdfa'.repeat(200)}-AB@b.example`;
const ENDLESS = { recurrence: ['RRULE:FREQ=DAILY'] };

forEachEngine((engine) => {
  test('events that are older than invitations are listed to those whom they list (CAL-61, CAL-63)', async (t) => {
    const app = await startApp(engine);
    t.after(() => app.stop());
    const owner = await makePerson(app);
    const guest = await makePerson(app, { aliases: [LONG] });
    const attendees = [guest.email.toUpperCase(), 'someone@elsewhere.example', LONG];
    // More than are read at once.
    for (let i = 0; i < 45; i++)
      await makeEvent(app, owner, {
        attendees: i % 4 === 3 ? [] : attendees,
        ...(i % 3 === 0 && ENDLESS),
        ...(i % 5 === 0 && { recurrence: ['RDATE:20260227T090000Z'] }),
        ...(i % 7 === 0 && { status: 'cancelled' }),
      });
    const changed = await makeEvent(app, owner, { attendees, ...ENDLESS });
    data(await app.post(`/v1/events/${changed.id}/response`, { response: 'declined' }, { key: guest.key }));
    const { database } = app.services;
    const rows = () =>
      database.read((tx) =>
        tx.selectFrom('calendar_invitations').selectAll().orderBy('event_id').orderBy('address').execute(),
      );
    const path = '/v1/invitations?start=2026-03-01T00:00:00Z&end=2026-03-05T00:00:00Z&limit=100';
    const [before, list] = [await rows(), data(await app.get(path, { key: guest.key }))];
    assert.ok(before.length > 100 && list.length > 30);

    const earlier = await openDatabase(app.config);
    t.after(() => earlier.close());
    await earlier.alter(async (tx) => {
      await tx.schema.dropTable('calendar_invitations').execute();
      await tx.executeQuery(CompiledQuery.raw(`delete from migrations where name >= '0026'`));
    });
    const last = migrations.findIndex(({ name }) => name === '0026-invitations');
    await migrate(earlier, migrations.slice(0, last + 1));
    assert.deepEqual(await rows(), before);
    assert.deepEqual(data(await app.get(path, { key: guest.key })), list);
  });
});
