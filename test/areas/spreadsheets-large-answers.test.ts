/** What large answers hold until they have been sent is given back, whatever fails on the way. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { listPending } from '../../src/blobs/pending-store.ts';
import { type Database, StorageUnavailable } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { makeSpreadsheet, rangePath, write } from './spreadsheets-world.ts';

const CELL = 'x'.repeat(32_000);
/** Nearly as much as one answer may hold in memory, and more than that. */
const [HELD, STAGED] = [240, 270];
/** So many of them take the room of all together. */
const ALL_ROOM = 8;

forEachEngine((engine) => {
  describe('large answers', () => {
    let app: TestApp;
    let id: string;
    let real: Pick<Database, 'read'>;
    let put: TestApp['services']['blobs']['put'];
    let get: TestApp['services']['blobs']['get'];
    /** How many blobs were written. */
    let written: number;

    before(async () => {
      app = await startApp(engine);
      id = await makeSpreadsheet(app);
      await write(
        app,
        id,
        `A1:A${STAGED}`,
        Array.from({ length: STAGED }, () => [CELL]),
      );
    });
    after(() => app.stop());

    beforeEach(() => {
      const { database, blobs } = app.services;
      real = { read: database.read.bind(database) };
      put = blobs.put.bind(blobs);
      get = blobs.get.bind(blobs);
      written = 0;
      blobs.put = (...given) => {
        written++;
        return put(...given);
      };
    });
    afterEach(() => {
      Object.assign(app.services.database, real);
      Object.assign(app.services.blobs, { put, get });
    });

    const ask = (cells: number) => app.get(rangePath(id, `A1:A${cells}`, '?render=formula'));
    const exported = (format: string) => app.get(`/v1/spreadsheets/${id}/export?format=${format}`);
    const pending = () => real.read((tx) => listPending(tx, Number.MAX_SAFE_INTEGER));
    /** Changes what reads of the database come to, once their work is done. */
    const readThus = (read: Database['read']) => Object.assign(app.services.database, { read });
    const hasRoom = async () => {
      Object.assign(app.services.database, real);
      assert.equal((await ask(HELD)).status, 200);
      assert.equal(written, 0, 'the answer was held in memory');
    };

    test('room is given back where the transaction fails after the reading', async () => {
      for (let i = 0; i < ALL_ROOM; i++) {
        readThus(async (work) => {
          const made = await real.read(work);
          if (isLarge(made)) throw new StorageUnavailable('The connection was lost');
          return made;
        });
        assert.equal((await ask(HELD)).status, 503);
      }
      await hasRoom();
    });

    test('room is given back where the transaction begins anew', async () => {
      readThus(async (work) => {
        await real.read(work);
        return real.read(work);
      });
      for (let i = 0; i < ALL_ROOM; i++) assert.equal((await ask(HELD)).status, 200);
      await hasRoom();
    });

    const staged: [what: string, ask: () => Promise<{ status: number }>][] = [
      ['an answer', () => ask(STAGED)],
      ['an export', () => exported('csv')],
    ];
    for (const [what, askFor] of staged) {
      test(`the blob of ${what} goes where it cannot be opened`, async () => {
        const left = await pending();
        app.services.blobs.get = async () => {
          throw new BlobsUnavailable('The disk is gone');
        };
        assert.equal((await askFor()).status, 503);
        assert.equal(written, 1);
        assert.deepEqual(await pending(), left);
      });

      test(`the blob of ${what} goes where the transaction fails after it was written`, async () => {
        const left = await pending();
        readThus(async (work) => {
          const made = await real.read(work);
          if (written > 0 && isLarge(made)) throw new StorageUnavailable('The connection was lost');
          return made;
        });
        assert.equal((await askFor()).status, 503);
        assert.equal(written, 1);
        assert.deepEqual(await pending(), left);
      });
    }
  });
});

/** Whether what a transaction came to is an answer that holds something. */
function isLarge(made: unknown): boolean {
  if (typeof made !== 'object' || made === null) return false;
  const answer = 'data' in made ? made.data : made;
  return typeof answer === 'object' && answer !== null && 'discard' in answer;
}
