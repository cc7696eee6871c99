/** Changes of one mailbox that arrive at once share transactions; each is answered as if it had come alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError } from '../../src/api/errors.ts';
import { flagSet } from '../../src/areas/mail/flags.ts';
import { MOST_LABELS } from '../../src/areas/mail/marks.ts';
import { verify } from '../../src/verification.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { append, everyPage, folderCounts, rfc822 } from './mail-world.ts';

const UNKNOWN = 'msg_01h2xcejqtf2nbrexx3vqjhp41';

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
    const theOwner = async () => {
      const { email } = data(await app.get('/v1/users/me'));
      const owner = await app.product.database.read((tx) => app.product.directory.findUser(tx, email));
      assert.ok(owner);
      return owner;
    };
    const move = (ids: readonly string[]) =>
      app.post(`/v1/folders/${from}/messages/move`, { message_ids: ids, to_folder_id: to });
    const mark = (body: object) => app.post(`/v1/folders/${from}/messages/flags`, body);
    const assertSound = async () =>
      assert.deepEqual(await verify(app.product, { rows: 0, blobs: 0, bytes: 0 }), []);

    test('of many that move the same messages one does, and the others are told which are gone', async () => {
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

    test('moves that overlap are all or nothing, one by one', async () => {
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

    test('flags and labels of the same messages count once', async () => {
      await folders('marks');
      const ids = await messages(10, '?label=a');
      const body = (i: number) => ({
        message_ids: ids.slice(i % 8),
        op: 'add',
        flags: ['read'],
        labels: ['b'],
      });
      const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => mark(body(i))));
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

    test('in one transaction a move is told of all that is not there, moved before or never', async () => {
      await folders('moves in one transaction');
      const [one = '', two = '', three = ''] = await messages(3);
      const moves = [[one], [two, one, UNKNOWN], [two, two], [one, two], [three]];
      const owner = await theOwner();
      const outcomes = await app.product.database.write((tx) =>
        app.product.mail.moveMessages(
          tx,
          owner,
          moves.map((messageIds) => ({ fromId: from, toId: to, messageIds })),
        ),
      );
      const told = outcomes.map((outcome) =>
        outcome instanceof ApiError ? outcome.details.message_ids : outcome.moved,
      );
      assert.deepEqual(told, [1, [one, UNKNOWN], 1, [one, two], 1]);
      assert.deepEqual(
        [await folderCounts(app, from), await folderCounts(app, to)],
        [
          [0, 0],
          [3, 3],
        ],
      );
      await assertSound();
    });

    test('in one transaction each is done on what the one before left, and refusals change nothing', async () => {
      await folders('one transaction');
      const [one = '', two = ''] = await messages(2, '?label=a');
      const owner = await theOwner();
      const many = Array.from({ length: MOST_LABELS }, (_, i) => `label ${i}`);
      const asks = (
        op: 'add' | 'remove' | 'set',
        messageIds: string[],
        labels: string[],
        folderId = from,
      ) => ({
        folderId,
        messageIds,
        change: { op, flags: flagSet(['starred']), labels },
      });
      const outcomes = await app.product.database.write((tx) =>
        app.product.mail.changeMarks(tx, owner, [
          asks('add', [one], ['b']),
          asks('add', [one, two], ['b']),
          asks('add', [two, UNKNOWN], ['b']),
          asks('add', [one], many),
          asks('add', [one], ['c'], 'fld_unknown'),
          asks('remove', [one], ['a']),
          asks('set', [two], []),
        ]),
      );
      const told = outcomes.map((outcome) =>
        outcome instanceof ApiError
          ? outcome.code
          : JSON.parse(outcome.text).map(
              ({ flags, labels }: { flags: { starred: boolean }; labels: string[] }) => [
                flags.starred,
                ...labels,
              ],
            ),
      );
      assert.deepEqual(told, [
        [[true, 'a', 'b']],
        [
          [true, 'a', 'b'],
          [true, 'a', 'b'],
        ],
        'messages_not_in_folder',
        'validation_failed',
        'not_found',
        [[false, 'b']],
        [[true]],
      ]);
      const listed = await everyPage(app, `/v1/messages?folder_id=${from}`, 50);
      const kept = Object.fromEntries(
        listed.map(({ id, flags, labels }) => [id, [flags.starred, ...labels]]),
      );
      assert.deepEqual(kept, { [one]: [false, 'b'], [two]: [true] });
      await assertSound();
    });
  });
});
