import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey } from './accounts.ts';
import { settled } from './changes-feed.ts';
import { changeIn, type EventStream, openEventStream } from './event-stream.ts';

const KEYS = 50;
const READERS_OF_A_KEY = 20;
/** Beside the time that so many requests take on this machine. */
const WITHIN_MS = 5_000;
/** More than a server accepts at once while it has something else to do. */
const OPENED_AT_ONCE = 100;

forEachEngine((engine) => {
  describe('the change feed with 1,000 readers', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    test('every stream says each change soon (CHANGE-10, CHANGE-12)', {
      timeout: 300_000,
    }, async () => {
      const keys = await Promise.all(
        Array.from({ length: KEYS }, () => makeKey(app, ['mail.messages.read', 'contacts.read'])),
      );
      await settled(app);
      const { cursor } = data(await app.get('/v1/changes'));
      const readers = keys.flatMap(({ key }: { key: string }) => Array<string>(READERS_OF_A_KEY).fill(key));
      const streams: EventStream[] = [];
      const begun = performance.now();
      for (let i = 0; i < readers.length; i += OPENED_AT_ONCE) {
        const some = readers.slice(i, i + OPENED_AT_ONCE);
        streams.push(
          ...(await Promise.all(some.map((key) => openEventStream(app.address, { key, cursor })))),
        );
      }
      const opening = performance.now() - begun;
      const hear = () => Promise.all(streams.map(async (stream) => changeIn(await stream.next())));
      for (const name of ['first', 'second']) {
        const hearing = hear();
        const { id } = data(await app.post('/v1/folders', { name }), 201);
        await settled(app);
        const written = performance.now();
        const heard = await hearing;
        assert.ok(performance.now() - written < WITHIN_MS + opening, `${name} change`);
        for (const { type, ids } of heard)
          assert.deepEqual([type, ids], ['folder.created', { folder_id: id }]);
      }
      await Promise.all(streams.map((stream) => stream.close()));
    });
  });
});
