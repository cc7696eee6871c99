import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { verify } from '../../src/start/verification.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { append, everyPage, folderOf } from './mail-world.ts';

const LABELS = ['a', 'b', 'c', 'd","e'];
const MESSAGES = 12;

interface Summary {
  id: string;
  folder_id: string;
  labels: string[];
  flags: { read: boolean };
}

/** Whatever may be done to some of the messages, by their numbers. */
type Step =
  | { kind: 'flags'; op: 'add' | 'remove' | 'set'; numbers: number[]; labels: string[]; read: boolean }
  | { kind: 'move'; numbers: number[] }
  | { kind: 'expunge'; numbers: number[]; restored: boolean };

const numbers = fc.uniqueArray(fc.nat(MESSAGES - 1), { minLength: 1, maxLength: 5 });
const labels = fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('flags' as const),
    op: fc.constantFrom('add' as const, 'remove' as const, 'set' as const),
    numbers,
    labels,
    read: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('move' as const), numbers }),
  fc.record({ kind: fc.constant('expunge' as const), numbers, restored: fc.boolean() }),
);

function queryOf(labels: readonly string[]): string {
  return labels.map((label) => `label=${encodeURIComponent(label)}`).join('&');
}

forEachEngine((engine) => {
  describe('listing by several labels', () => {
    let app: TestApp;
    let inbox: string;
    let archive: string;
    before(async () => {
      app = await startApp(engine);
      inbox = await folderOf(app, 'inbox');
      archive = await folderOf(app, 'archive');
    });
    after(() => app.stop());

    const list = async (query: string): Promise<Summary[]> =>
      data(await app.get(`/v1/messages?limit=200&${query}`));

    const run = async (one: Step, ids: readonly string[]): Promise<void> => {
      const named = new Set(one.numbers.map((number) => ids[number]));
      const present = (await list(`folder_id=${inbox}&folder_id=${archive}`)).filter(({ id }) =>
        named.has(id),
      );
      for (const [folder, inFolder] of Map.groupBy(present, ({ folder_id }) => folder_id)) {
        const message_ids = inFolder.map(({ id }) => id);
        await runIn(folder, one, message_ids);
      }
    };

    const runIn = async (folder: string, one: Step, message_ids: string[]): Promise<void> => {
      const path = `/v1/folders/${folder}`;
      if (one.kind === 'move') {
        const to_folder_id = folder === inbox ? archive : inbox;
        data(await app.post(`${path}/messages/move`, { message_ids, to_folder_id }));
      } else if (one.kind === 'flags') {
        const flags = one.read ? ['read'] : [];
        data(
          await app.post(`${path}/messages/flags`, { message_ids, op: one.op, flags, labels: one.labels }),
        );
      } else {
        data(await app.post(`${path}/messages/flags`, { message_ids, op: 'add', flags: ['deleted'] }));
        data(await app.post(`${path}/expunge`));
        for (const id of one.restored ? message_ids : []) data(await app.post(`/v1/messages/${id}/restore`));
      }
    };

    /** Every listing by some of the labels shows what looking at every message finds. */
    const check = async (): Promise<void> => {
      const all = await list('unread=false');
      for (let set = 0; set < 1 << LABELS.length; set++) {
        const wanted = LABELS.filter((_, bit) => set & (1 << bit));
        const query = queryOf(wanted);
        const having = all.filter((message) => wanted.every((label) => message.labels.includes(label)));
        assert.deepEqual(await list(`unread=false&${query}`), having);
        assert.deepEqual(
          await list(`unread=true&folder_id=${inbox}&${query}`),
          having.filter(({ folder_id, flags }) => folder_id === inbox && !flags.read),
        );
        assert.deepEqual(await everyPage(app, `/v1/messages?unread=false&${query}`, 3), having);
      }
    };

    it('takes a label that looks like what stands between two for one', async () => {
      const { id } = await append(app, inbox, 'Subject: comma\r\n\r\nx', { query: `?${queryOf([','])}` });
      const verified = () => verify(app.services, { rows: 0, blobs: 0, bytes: 0 });
      assert.deepEqual(await verified(), []);
      const path = `/v1/folders/${inbox}/messages/flags`;
      data(await app.post(path, { message_ids: [id], op: 'add', labels: ['"'] }));
      assert.deepEqual(await verified(), []);
      assert.deepEqual(
        (await list(queryOf(['"', ',']))).map((message) => message.id),
        [id],
      );
    });

    it('shows what looking at every message finds, whatever has been done to them', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
          const ids: string[] = [];
          for (let i = 0; i < MESSAGES; i++) {
            const query = `?${queryOf(LABELS.slice(0, i % 4))}`;
            const { id } = await append(app, inbox, `Subject: ${i}\r\n\r\nx`, { query });
            ids.push(id);
          }
          for (const one of steps) await run(one, ids);
          await check();
        }),
        { numRuns: 5 },
      );
    });
  });
});
