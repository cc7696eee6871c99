/** Who waits for whom while formulas are computed. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachEngine } from '../engines.ts';
import { type Answer, OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { makeSpreadsheet, put, rangePath, write } from './spreadsheets-world.ts';

/** More than there are connections of either engine that read. */
const MANY_USERS = 17;
/** Long after anything that nobody holds up has been answered. */
const PATIENCE_MS = 20_000;
const PERMISSIONS = [
  'docs.documents.read',
  'docs.documents.write',
  'sheets.values.read',
  'sheets.values.write',
  'files.read',
  'files.share',
] as const;
const SMALL = [['=1+1']];
const LARGE = [...SMALL, ...Array.from({ length: 21 }, () => ['x'.repeat(50_000)])];

forEachEngine((engine) => {
  describe('while formulas of a spreadsheet are computed', { skip: OF_ONE_NODE }, () => {
    let app: TestApp;
    let release: (() => void) | undefined;
    before(async () => {
      app = await startApp(engine);
    });
    afterEach(() => {
      release?.();
      mock.restoreAll();
    });
    after(() => app.stop());

    const person = async () => {
      const { id } = await makeUser(app);
      return { id, key: (await makeKey(app, PERMISSIONS, { user_id: id })).key };
    };
    const share = async (id: string, key: string, principal_id: string, role: string) =>
      data(await app.post(`/v1/files/${id}/permissions`, { principal_id, role }, { key }), 201);
    const sheetOf = async (key: string, values: string[][]) => {
      const id = await makeSpreadsheet(app, 'Sheet', key);
      data(await put(app, id, 'A1', values, { key }));
      return id;
    };
    const show = (id: string, key?: string) => app.get(rangePath(id, 'A1'), key ? { key } : {});
    const exported = (id: string, key?: string) =>
      app.get(`/v1/spreadsheets/${id}/export?format=xlsx`, key ? { key } : {});
    const append = (id: string, key?: string) =>
      app.post(`/v1/spreadsheets/${id}/values/append`, { values: [['new']] }, key ? { key } : {});

    /** What the calculation is asked of some spreadsheets has no answer until `release`; resolves once so many have asked. */
    function hold(asked: 'open' | 'extent', ids: readonly string[], times = 1): Promise<void> {
      const { calculation } = app.services;
      const original = calculation[asked].bind(calculation) as (...given: unknown[]) => Promise<unknown>;
      const released = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      release = released.resolve;
      let count = 0;
      mock.method(calculation, asked, async (...given: unknown[]) => {
        if (ids.includes(given[0] as string)) {
          if (++count === times) reached.resolve();
          await released.promise;
        }
        return original(...given);
      });
      return reached.promise;
    }

    async function answered(request: Promise<Answer>, status = 200): Promise<Answer> {
      const late = sleep(PATIENCE_MS, undefined, { ref: false });
      const answer = await Promise.race([request, late]);
      assert.ok(answer, 'waits for somebody else');
      assert.equal(answer.status, status);
      return answer;
    }

    test('others who read it wait for no other one of a reader', async () => {
      const [owner, reader] = [await person(), await person()];
      const shared = await sheetOf(owner.key, SMALL);
      await share(shared, owner.key, reader.id, 'viewer');
      const own = await sheetOf(reader.key, SMALL);
      const isHeld = hold('open', [own]);
      const first = show(own, reader.key);
      await isHeld;
      const second = show(shared, reader.key);
      await sleep(200);
      await answered(show(shared, owner.key));
      release?.();
      await answered(first);
      await answered(second);
    });

    test('its export leaves other spreadsheets to the same user', async () => {
      const [large, other] = [await sheetOf(OWNER_KEY, SMALL), await sheetOf(OWNER_KEY, SMALL)];
      await answered(show(large));
      const isHeld = hold('extent', [large]);
      const file = exported(large);
      await isHeld;
      await answered(show(other));
      release?.();
      await answered(file);
    });

    for (const [what, asked, values, request] of [
      ['open small ones', 'open', SMALL, show],
      ['open large ones', 'open', LARGE, show],
      ['export', 'extent', SMALL, exported],
    ] as const) {
      test(`many users who ${what} leave others their requests`, async () => {
        const users = await Promise.all(Array.from({ length: MANY_USERS }, person));
        const sheets = await Promise.all(
          users.map(async ({ key }) => ({ key, id: await sheetOf(key, values) })),
        );
        const isHeld = hold(
          asked,
          sheets.map(({ id }) => id),
        );
        const all = sheets.map(({ id, key }) => request(id, key));
        await isHeld;
        await sleep(500);
        await answered(app.get('/v1/users/me'));
        await answered(append(await sheetOf(OWNER_KEY, [['x']])));
        release?.();
        for (const one of all) await answered(one);
      });
    }

    test('who has its state already is told so without waiting', async () => {
      const id = await makeSpreadsheet(app);
      const { state } = await write(app, id, 'A1', SMALL);
      void hold('open', [id]);
      await answered(app.get(`/v1/spreadsheets/${id}`, { headers: { 'if-none-match': `"${state}"` } }), 304);
      await answered(app.get(`/v1/spreadsheets/${id}`, { headers: { 'if-match': '"another"' } }), 412);
    });

    test('rows that are appended follow those that are deleted meanwhile', async () => {
      const id = await makeSpreadsheet(app);
      await write(
        app,
        id,
        'A1',
        Array.from({ length: 100 }, (_, i) => [i]),
      );
      const { state } = await write(app, id, 'C1', [['=SEQUENCE(2)']]);
      const isHeld = hold('extent', [id]);
      const appending = append(id);
      await isHeld;
      const operations = [{ type: 'delete_rows', sheet: 'Sheet1', start: 31, count: 70 }];
      const headers = { 'if-match': state };
      await answered(app.post(`/v1/spreadsheets/${id}/structure`, { operations }, { headers }));
      release?.();
      assert.equal(data(await answered(appending)).range, 'Sheet1!A31');
    });

    test('rows are appended below what somebody spills meanwhile', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'C1', [['=SEQUENCE(2)']]);
      const isHeld = hold('extent', [id]);
      const appending = append(id);
      await isHeld;
      await write(app, id, 'C1', [['=SEQUENCE(9)']]);
      release?.();
      assert.equal(data(await answered(appending)).range, 'Sheet1!A10');
    });
  });

  describe('rows that are appended', { skip: OF_ONE_NODE }, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    afterEach(() => mock.restoreAll());
    after(() => app.stop());

    for (const [what, values] of [
      ['formulas', SMALL],
      ['no formulas', [['x']]],
    ] as const) {
      test(`are refused as ranges are, of a spreadsheet with ${what}`, async () => {
        const id = await makeSpreadsheet(app);
        data(await put(app, id, 'A1', values));
        const keys: Record<string, string> = { owner: OWNER_KEY };
        for (const role of ['editor', 'viewer']) {
          const user = await makeUser(app);
          keys[role] = (await makeKey(app, PERMISSIONS, { user_id: user.id })).key;
          data(await app.post(`/v1/files/${id}/permissions`, { principal_id: user.id, role }), 201);
        }
        const stranger = await makeUser(app);
        keys.stranger = (await makeKey(app, PERMISSIONS, { user_id: stranger.id })).key;
        const compare = async () => {
          const seen: Record<string, unknown> = {};
          for (const [who, key] of Object.entries(keys)) {
            const range = await put(app, id, 'B1', [[1]], { key });
            const body = { values: [['x']] };
            const appended = await app.post(`/v1/spreadsheets/${id}/values/append`, body, { key });
            const [expected, found] = [range, appended].map(({ status, json }) => [status, json.error?.code]);
            assert.deepEqual(found, expected, who);
            seen[who] = found;
          }
          return seen;
        };
        assert.deepEqual((await compare()).viewer, [403, 'forbidden']);
        await app.delete(`/v1/documents/${id}`);
        const { owner, editor } = await compare();
        assert.deepEqual([owner, editor], Array(2).fill([422, 'trashed']));
      });
    }

    test('take no more transactions than other writes where nothing is computed', async () => {
      const id = await makeSpreadsheet(app);
      const { database } = app.services;
      const readsOf = async (path: string, body: object) => {
        const reading = mock.method(database, 'read', database.read.bind(database));
        data(await app.post(`/v1/spreadsheets/${id}/values/${path}`, body));
        const count = reading.mock.callCount();
        mock.restoreAll();
        return count;
      };
      // Who calls is looked up anew every two seconds, with one or the other.
      const leastOf = async (path: string, body: object) =>
        Math.min(await readsOf(path, body), await readsOf(path, body), await readsOf(path, body));
      const batch = await leastOf('batch', { data: [{ range: 'A1', values: [['x']] }] });
      assert.equal(await leastOf('append', { values: [['y']] }), batch);
    });
  });
});
