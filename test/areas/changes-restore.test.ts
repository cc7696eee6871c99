/** A cursor from before a restore is not followed behind it: what was written since the backup is gone. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runAtrium } from '../command-line.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';
import { OWNER_KEY, startApp } from '../harness.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { serveProcess } from './served-process.ts';

forEachEngine((engine) => {
  test('a cursor from before a restore is refused, by whatever way it comes (CHANGE-9)', {
    skip: OF_ONE_NODE,
  }, async (t) => {
    const app = await startApp(engine);
    t.after(() => app.stop());
    const { cursor } = (await app.get('/v1/changes')).json.data;
    const directory = join(app.config.dataDir, '..', `changes-backup-${crypto.randomUUID()}`);
    t.after(() => rm(directory, { recursive: true, force: true }));
    assert.equal((await runAtrium(app, ['backup', directory])).code, 0);
    const target = await freshDatabase(engine);
    t.after(() => target.remove());
    const config = { ...app.config, dataDir: target.dataDir, databaseUrl: target.databaseUrl };
    const restored = await runAtrium({ config }, ['restore', directory]);
    assert.equal(restored.code, 0, restored.stderr);

    const server = await serveProcess({
      ATRIUM_DATA_DIR: target.dataDir,
      ATRIUM_DATABASE_URL: target.databaseUrl,
      ATRIUM_SMTP_PORT: 'off',
    });
    t.after(() => server.kill());
    const ask = async (query: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${server.address}/v1/changes${query}`, {
        headers: { authorization: `Bearer ${OWNER_KEY}`, ...headers },
      });
      const { data, error } = (await answer.json()) as {
        data?: { cursor: string; changes: unknown[] };
        error?: { code: string };
      };
      return { status: answer.status, code: error?.code, data };
    };
    const events = { accept: 'text/event-stream', 'last-event-id': cursor };
    for (const { status, code } of [await ask(`?cursor=${cursor}`), await ask('', events)])
      assert.deepEqual([status, code], [410, 'cursor_expired']);
    const { data: fresh } = await ask('');
    const { data: now } = await ask(`?cursor=${fresh?.cursor}`);
    assert.deepEqual([fresh?.changes, now?.changes], [[], []]);
  });
});
