/** Range writes that arrive at once share transactions; each is answered as if it had come alone. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { changesOf } from './changes-feed.ts';
import { makeFolder, makePerson, shareWith, theOwner } from './files-world.ts';
import { makeSpreadsheet, put, read, stateOf } from './spreadsheets-world.ts';

forEachEngine((engine) => {
  describe('range writes at once', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const atOnce = <T>(count: number, make: (index: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, index) => make(index)));
    const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))];

    test('each change has a state of its own, the last one is that of the spreadsheet, and no change has none', async () => {
      const id = await makeSpreadsheet(app);
      const answers = await atOnce(120, (i) => put(app, id, 'A1', [[i % 3]]));
      assert.deepEqual(statuses(answers), [200]);
      const results = answers.map((answer) => data(answer));
      const changes = results.filter(({ changed }) => changed);
      assert.equal(new Set(changes.map(({ state }) => state)).size, changes.length);
      for (const { changed, updated_cells } of results) assert.equal(updated_cells, changed ? 1 : 0);
      const states = new Set(changes.map(({ state }) => state));
      for (const { state } of results) assert.ok(states.has(state), 'every state was made by a change');
      assert.ok(states.has(await stateOf(app, id)));
    });

    test('what is written and taken back in between is a change of each', async () => {
      const id = await makeSpreadsheet(app);
      await put(app, id, 'A1', [['start']]);
      const before = await stateOf(app, id);
      const answers = await atOnce(60, (i) => put(app, id, 'A1', [[i % 2 === 0 ? 'other' : 'start']]));
      const changed = answers.filter((answer) => data(answer).changed);
      assert.ok(changed.length > 0);
      assert.notEqual(await stateOf(app, id), before);
      assert.ok(changed.every((answer) => data(answer).state !== before));
    });

    test('duplicates at once are one write with one answer', async () => {
      const id = await makeSpreadsheet(app);
      const keys = Array.from({ length: 10 }, () => randomUUID());
      const answers = await atOnce(60, (i) =>
        put(app, id, `A${(i % 10) + 1}`, [[i % 10]], { idempotencyKey: keys[i % 10] ?? '' }),
      );
      assert.deepEqual(statuses(answers), [200]);
      for (let i = 0; i < 10; i++) {
        const same = answers.filter((_, at) => at % 10 === i);
        assert.equal(new Set(same.map(({ text }) => text)).size, 1);
        const first = same.filter(({ headers }) => headers.get('idempotency-replayed') === null);
        assert.equal(first.length, 1);
      }
    });

    test('the same key of several API keys is that of several requests, answered anew or again', async () => {
      const id = await makeSpreadsheet(app);
      const owner = await theOwner(app);
      const editor = await makePerson(app);
      await shareWith(app, owner, id, editor.id, 'editor');
      const keys = Array.from({ length: 10 }, () => randomUUID());
      const write = (key: string, column: string) => (i: number) =>
        put(app, id, `${column}${i + 1}`, [[column]], { key, idempotencyKey: keys[i] ?? '' });
      const earlier = await atOnce(5, write(owner.key, 'A'));
      const [owners, editors] = await Promise.all([
        atOnce(10, write(owner.key, 'A')),
        atOnce(10, write(editor.key, 'B')),
      ]);
      assert.deepEqual(
        owners.slice(0, 5).map(({ text }) => text),
        earlier.map(({ text }) => text),
      );
      const isReplayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';
      assert.deepEqual(
        owners.map(isReplayed),
        keys.map((_, i) => i < 5),
      );
      assert.ok(!editors.some(isReplayed));
      assert.deepEqual(
        await read(app, id, 'A1:B10'),
        keys.map(() => ['A', 'B']),
      );
    });

    test('a key that is reused is refused beside others that are done', async () => {
      const id = await makeSpreadsheet(app);
      const idempotencyKey = randomUUID();
      await put(app, id, 'A1', [['first']], { idempotencyKey });
      const answers = await atOnce(20, (i) =>
        put(app, id, `B${i + 1}`, [[i]], i % 2 === 0 ? { idempotencyKey } : {}),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map((_, i) => (i % 2 === 0 ? 422 : 200)),
      );
      assert.deepEqual(
        await read(app, id, 'B1:B20'),
        answers.map((_, i) => (i % 2 === 0 ? [] : [i])),
      );
    });

    test('each is refused for itself: who may not write, who sees nothing, and a sheet that is not there', async () => {
      const id = await makeSpreadsheet(app);
      const owner = await theOwner(app);
      const [viewer, editor, stranger] = [
        await makePerson(app),
        await makePerson(app),
        await makePerson(app),
      ];
      await shareWith(app, owner, id, viewer.id, 'viewer');
      await shareWith(app, owner, id, editor.id, 'editor');
      const lost = randomUUID();
      const asked = [
        ['A', {}, 200],
        ['B', { key: editor.key }, 200],
        ['C', { key: viewer.key }, 403],
        ['D', { key: stranger.key }, 404],
        ['Missing!E', { idempotencyKey: lost }, 404],
      ] as const;
      const answers = await atOnce(5, async (row) =>
        Promise.all(
          asked.map(([column, options]) =>
            put(app, id, `${column}${row + 1}`, [[row]], row > 0 && column === 'Missing!E' ? {} : options),
          ),
        ),
      );
      for (const row of answers) {
        assert.deepEqual(
          row.map(({ status }) => status),
          asked.map(([, , status]) => status),
        );
      }
      const rows = Array.from({ length: 5 }, (_, row) => [row, row]);
      assert.deepEqual(await read(app, id, 'A1:E5'), rows);
      const again = await put(app, id, 'Missing!E1', [[0]], { idempotencyKey: lost });
      assert.equal(again.headers.get('idempotency-replayed'), 'true', 'a refusal of the operation is kept');
      const trashing = app.delete(`/v1/documents/${id}`);
      const late = await atOnce(20, (i) => put(app, id, `A${i + 1}`, [['late']]));
      assert.equal((await trashing).status, 204);
      for (const answer of late) assert.ok([200, 422].includes(answer.status), answer.text);
    });

    test('an answer is given again to who may not write any more, alone and beside a new write', async () => {
      const id = await makeSpreadsheet(app);
      const owner = await theOwner(app);
      const editor = await makePerson(app);
      const grant = await shareWith(app, owner, id, editor.id, 'editor');
      const asked = { key: editor.key, idempotencyKey: randomUUID() };
      const first = await put(app, id, 'A1', [[1]], asked);
      assert.equal((await app.delete(`/v1/files/${id}/permissions/${grant.id}`)).status, 204);
      assert.equal((await put(app, id, 'A1', [[1]], asked)).text, first.text);
      const [again, other, anew] = await Promise.all([
        put(app, id, 'A1', [[1]], asked),
        put(app, id, 'B1', [[2]]),
        put(app, id, 'C1', [[3]], { key: editor.key }),
      ]);
      assert.equal(again.text, first.text);
      assert.deepEqual([other.status, anew.status], [200, 404]);
      assert.deepEqual(await read(app, id, 'A1:C1'), [[1, 2]]);
    });

    test('who gets a share of a spreadsheet while a long write is under way is told of the write', {
      skip: engine === 'sqlite' && 'one write at a time',
    }, async (t) => {
      const id = await makeSpreadsheet(app);
      const [owner, reader] = [await theOwner(app), await makePerson(app)];
      const { documents } = app.services.spreadsheets.dependencies;
      const hold = documents.holdSpreadsheet.bind(documents);
      let isShared = false;
      t.mock.method(documents, 'holdSpreadsheet', async (...of: Parameters<typeof hold>) => {
        const seen = await hold(...of);
        if (!isShared) {
          isShared = true;
          await shareWith(app, owner, id, reader.id, 'viewer');
        }
        return seen;
      });
      const twoBlocks = Array.from({ length: 40 }, (_, i) => [i]);
      const changes = await changesOf(app, reader.key, async () => data(await put(app, id, 'A1', twoBlocks)));
      const types = changes.map(({ type }) => type).sort();
      assert.deepEqual(types, ['spreadsheet.changed', 'spreadsheet.shared']);
    });

    test('a spreadsheet is not moved between the look-up of who sees a write and its end', async () => {
      const id = await makeSpreadsheet(app);
      const { id: folder_id } = await makeFolder(app, await theOwner(app), 'Elsewhere');
      const { database, spreadsheets } = app.services;
      const order: string[] = [];
      let moving: Promise<unknown> | undefined;
      await database.write(async (tx) => {
        const { workspace_id: workspaceId } = await tx
          .selectFrom('nodes')
          .select('workspace_id')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        await spreadsheets.dependencies.documents.holdSpreadsheet(tx, { workspaceId, id });
        moving = app.put(`/v1/documents/${id}`, { folder_id }).then(({ status }) => {
          assert.equal(status, 200);
          order.push('moved');
        });
        await wait(200);
        order.push('written');
      });
      await moving;
      assert.deepEqual(order, ['written', 'moved']);
    });

    test('writes of several sheets, of formulas and of deletions meet in one workbook', async () => {
      const id = await makeSpreadsheet(app);
      const headers = { 'if-match': await stateOf(app, id) };
      const operations = [{ type: 'add_sheet', sheet: 'Second' }];
      await app.post(`/v1/spreadsheets/${id}/structure`, { operations }, { headers });
      const answers = await atOnce(60, (i) => {
        const row = Math.floor(i / 3) + 1;
        if (i % 3 === 0) return put(app, id, `A${row}`, [[row]]);
        if (i % 3 === 1) return put(app, id, `Second!A${row}`, [[`=Sheet1!A${row}*2`]]);
        return put(app, id, `Second!B${row}`, [['']]);
      });
      assert.deepEqual(statuses(answers), [200]);
      assert.deepEqual(
        await read(app, id, 'Second!A1:B20', 'value'),
        Array.from({ length: 20 }, (_, row) => [(row + 1) * 2]),
      );
      const { sheets } = data(await app.get(`/v1/spreadsheets/${id}`));
      assert.deepEqual(
        sheets.map(({ rows, columns }: { rows: number; columns: number }) => [rows, columns]),
        [
          [20, 1],
          [20, 1],
        ],
      );
    });
  });
});
