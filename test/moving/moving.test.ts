/** A workspace that moves to another installation, and what its clients see. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { atriumJson, runAtrium } from '../command-line.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY } from '../harness.ts';
import {
  appendMessage,
  assertSound,
  type Installations,
  type Moved,
  makeMoved,
  PAIRS,
  readMoved,
  startInstallations,
} from './world.ts';

const REPEATED = { idempotencyKey: 'asked-before-the-move' };
const GROUP = { name: 'Asked twice', member_ids: [] };

for (const pair of PAIRS) {
  describe(`a move from ${pair.from} to ${pair.to}${pair.s3 ? ' and S3' : ''}`, () => {
    let both: Installations;
    let moved: Moved;
    let contents: Record<string, unknown>;
    let first: string;
    let cursor: string;
    before(async () => {
      both = await startInstallations(pair);
      const { source, settings } = both;
      moved = await makeMoved(source);
      first = (await source.post('/v1/groups', GROUP, { key: moved.key, ...REPEATED })).text;
      cursor = data(await source.get('/v1/changes', { key: moved.key })).cursor;
      contents = await readMoved(source, moved);
      const location = 'https://there.example';
      const answer = await atriumJson(
        source,
        'workspace',
        'move',
        moved.id,
        '--to',
        settings,
        '--url',
        location,
      );
      assert.equal(answer.workspace_id, moved.id);
      assert.deepEqual(answer.problems, []);
    });
    after(() => both.stop());

    it('carries everything under the same ids and keys (OPS-71)', async () => {
      assert.deepEqual(await readMoved(both.target, moved), contents);
    });

    it('carries kept answers, which are answered to the byte (OPS-74)', async () => {
      const again = await both.target.post('/v1/groups', GROUP, { key: moved.key, ...REPEATED });
      assert.deepEqual([again.status, again.text], [201, first]);
    });

    it('ends cursors of the change feed, and says so (OPS-75)', async () => {
      const refused = await both.target.get(`/v1/changes?cursor=${cursor}`, { key: moved.key });
      assert.deepEqual([refused.status, refused.json.error.code], [410, 'cursor_expired']);
      const { cursor: now } = data(await both.target.get('/v1/changes', { key: moved.key }));
      data(await appendMessage(both.target, moved.key, 'after the move'), 201);
      // On PostgreSQL a change comes when no earlier transaction is open: waited for.
      const path = `/v1/changes?cursor=${now}&wait=10`;
      const { changes } = data(await both.target.get(path, { key: moved.key }));
      assert.deepEqual(
        changes.map(({ type }: { type: string }) => type),
        ['message.created'],
      );
    });

    it('is found by the search of the other installation (OPS-71)', async () => {
      await eventually(
        async () => data(await both.target.get('/v1/search?q=whale', { key: moved.key })).length === 2,
        'both messages are found',
      );
    });

    it('has the old installation answer where it went, to reads and writes (OPS-76)', async () => {
      const { source } = both;
      const asked = [
        () => source.get('/v1/folders', { key: moved.key }),
        () => source.post('/v1/groups', GROUP, { key: moved.key }),
      ];
      for (const ask of asked) {
        await eventually(async () => (await ask()).status === 421, 'it is refused');
        const { error } = (await ask()).json;
        assert.equal(error.code, 'workspace_moved');
        assert.deepEqual(error.details, { location: 'https://there.example' });
      }
    });

    it('leaves both installations sound, and the other workspaces as they were (OPS-77)', async () => {
      for (const app of [both.source, both.target]) {
        await assertSound(app);
        data(await appendMessage(app, OWNER_KEY, 'goes on'), 201);
      }
    });

    it('ends again when it is run again (OPS-73)', async () => {
      const again = await runAtrium(both.source, ['workspace', 'move', moved.id, '--to', both.settings]);
      assert.equal(again.code, 0, again.stderr);
      const told = (await both.source.get('/v1/folders', { key: moved.key })).json.error.details;
      assert.deepEqual(told, { location: 'https://there.example' });
      await assertSound(both.target);
    });

    it('leaves something behind until that is purged (OPS-78)', async () => {
      const { source, target } = both;
      const other = await runAtrium(target, ['workspace', 'purge', moved.id]);
      assert.equal(other.code, 1);
      await atriumJson(source, 'workspace', 'purge', moved.id);
      const left = (await atriumJson(source, 'workspace', 'list')).map(({ id }: Moved) => id);
      assert.ok(!left.includes(moved.id));
      await eventually(
        async () => (await source.get('/v1/folders', { key: moved.key })).status === 401,
        'gone',
      );
      await assertSound(source);
      data(await target.get('/v1/folders', { key: moved.key }));
    });
  });
}
