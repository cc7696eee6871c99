/** Addresses that fold to many times their length: known without regard to case, and stored as digests. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addressKey } from '../../src/areas/calendar/events/holders.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { migrate } from '../../src/storage/schema/migrate.ts';
import { migrations } from '../../src/storage/schema/migrations/index.ts';
import { fold } from '../../src/text/fold.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { askFreeBusy, makeEvent, makePerson, shortTimes } from './calendar-world.ts';

const LONG = `${'\ufdfa'.repeat(200)}-ab@b.example`;
const IN_CAPITALS = `${'\ufdfa'.repeat(200)}-AB@b.example`;
const SHORT = 'Ada@B.example';

forEachEngine((engine) => {
  describe('an address that folds to many times its length', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    test('keeps its user busy and lets them answer, in whatever case it is listed', async () => {
      const me = await makePerson(app);
      const other = await makePerson(app, { aliases: [LONG] });
      const { id } = await makeEvent(app, me, { attendees: [IN_CAPITALS, LONG] });
      const busy = async () => {
        const { attendees } = await askFreeBusy(app, { attendees: [LONG] }, { key: me.key });
        return shortTimes(attendees[0].busy);
      };
      assert.deepEqual(await busy(), ['03-02 09:00–10:00']);
      data(await app.post(`/v1/events/${id}/response`, { response: 'declined' }, { key: other.key }));
      assert.deepEqual(await busy(), []);
      const holders = await app.services.database.read((tx) =>
        tx.selectFrom('calendar_spans').select('holder').where('event_id', '=', id).execute(),
      );
      assert.deepEqual(
        holders.filter(({ holder }) => holder.length > 508),
        [],
      );
    });
  });

  test('what is stored of long addresses becomes what is stored today; others stay', async (t) => {
    const settings = await freshDatabase(engine);
    const database = await openDatabase(settings);
    t.after(async () => {
      await database.close();
      await settings.remove();
    });
    const earlier = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === '0021-long-holders'),
    );
    await migrate(database, earlier);
    const holders = [fold(LONG), fold(SHORT), 'é'.repeat(300)];
    await database.write(async (tx) => {
      for (const holder of holders) {
        const span = { workspace_id: 'wsp_1', holder, span_class: 0, starts_at: 0, event_id: 'evt_1' };
        await tx
          .insertInto('calendar_spans')
          .values({ ...span, ends_at: 1, busy: '' })
          .execute();
        await tx
          .insertInto('calendar_versions')
          .values({ workspace_id: 'wsp_1', holder, version: 'v' })
          .execute();
      }
    });
    await migrate(database);
    const [spans, versions] = await database.read(async (tx) => [
      await tx.selectFrom('calendar_spans').select('holder').execute(),
      await tx.selectFrom('calendar_versions').select('holder').execute(),
    ]);
    const texts = (rows: { holder: string }[] = []) => rows.map(({ holder }) => holder).sort();
    assert.deepEqual(texts(spans), [addressKey(LONG), 'ada@b.example', 'é'.repeat(300)].sort());
    assert.deepEqual(texts(versions), ['ada@b.example', 'é'.repeat(300)].sort());
  });
});
