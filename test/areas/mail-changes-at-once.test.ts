/** Changes of one mailbox that arrive at once are carried out one after the other. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verify } from '../../src/start/verification.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { append, everyPage, folderCounts, rfc822 } from './mail-world.ts';

forEachEngine((engine) => {
  describe('changes of a mailbox at once', () => {
    let app: TestApp;
    let from: string;
    let to: string;

    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const newFolder = async (name: string) => data(await app.post('/v1/folders', { name }), 201).id;
    const folders = async (name: string) => {
      from = await newFolder(`From ${name}`);
      to = await newFolder(`To ${name}`);
    };
    const messages = async (count: number, query = '') => {
      const ids: string[] = [];
      for (let i = 0; i < count; i++) ids.push((await append(app, from, rfc822(), { query })).id);
      return ids;
    };
    const move = (ids: readonly string[]) =>
      app.post(`/v1/folders/${from}/messages/move`, { message_ids: ids, to_folder_id: to });
    const change = (body: object) => app.post(`/v1/folders/${from}/messages/flags`, body);
    const assertSound = async () =>
      assert.deepEqual(await verify(app.services, { rows: 0, blobs: 0, bytes: 0 }), []);

    test('of many requests that move the same messages one moves them, and the others name those that are gone', async () => {
      await folders('same');
      const ids = await messages(3, '?label=a&label=b');
      const answers = await Promise.all(Array.from({ length: 20 }, () => move(ids)));
      const moved = answers.filter(({ status }) => status === 200);
      assert.deepEqual(
        moved.map((answer) => data(answer)),
        [{ moved: 3, to_folder_id: to }],
      );
      for (const { status, json } of answers.filter((answer) => !moved.includes(answer))) {
        assert.deepEqual([status, json.error.code], [400, 'messages_not_in_folder']);
        assert.deepEqual(json.error.details, { message_ids: ids });
      }
      assert.deepEqual(
        [await folderCounts(app, from), await folderCounts(app, to)],
        [
          [0, 0],
          [3, 3],
        ],
      );
      await assertSound();
    });

    test('each of several moves that overlap is all or nothing (MAIL-54)', async () => {
      await folders('overlapping');
      const ids = await messages(12);
      const parts = ids.map((_, i) => ids.slice(i, i + 3));
      const answers = await Promise.all(parts.map(move));
      const moved = parts.filter((_, i) => answers[i]?.status === 200).flat();
      assert.equal(new Set(moved).size, moved.length);
      const there = await everyPage(app, `/v1/messages?folder_id=${to}`, 50);
      assert.deepEqual(there.map(({ id }) => id).sort(), [...moved].sort());
      assert.deepEqual(await folderCounts(app, to), [moved.length, moved.length]);
      await assertSound();
    });

    test('messages that many requests give the same flags and labels count once', async () => {
      await folders('flags');
      const ids = await messages(10, '?label=a');
      const body = (i: number) => ({
        message_ids: ids.slice(i % 8),
        op: 'add',
        flags: ['read'],
        labels: ['b'],
      });
      const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => change(body(i))));
      for (const [i, answer] of answers.entries()) {
        const results = data(answer);
        assert.deepEqual(
          results.map(({ id }: { id: string }) => id),
          ids.slice(i % 8),
        );
        for (const { flags, labels } of results) assert.deepEqual([flags.read, labels], [true, ['a', 'b']]);
      }
      assert.deepEqual(await folderCounts(app, from), [10, 0]);
      await assertSound();
    });
  });
});
