/** A move that is killed at every step: one side has the workspace, and the next run goes on. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Step } from '../../src/archive/moving/move.ts';
import { data } from '../areas/accounts.ts';
import { atriumJson } from '../command-line.ts';
import { eventually } from '../eventually.ts';
import { moveKilled } from './killed.ts';
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

/** The steps in order, and what a write meets at the source and at the target when the process has died behind it. */
const STEPS: readonly [step: Step, table: string | undefined, source: number, target: number][] = [
  ['begun', undefined, 201, 401],
  ['blobs', undefined, 201, 401],
  ['frozen', undefined, 503, 401],
  ['cleared', undefined, 503, 401],
  ['copied', 'contact_grams', 503, 401],
  ['copied', 'messages', 503, 401],
  ['copied', 'nodes', 503, 401],
  ['compared', undefined, 503, 401],
  ['activated', undefined, 503, 201],
  ['left', undefined, 421, 201],
];

for (const pair of PAIRS) {
  describe(`a move from ${pair.from} to ${pair.to}${pair.s3 ? ' and S3' : ''} that dies`, () => {
    let both: Installations;
    let moved: Moved;
    let contents: Record<string, unknown>;
    before(async () => {
      both = await startInstallations(pair);
      moved = await makeMoved(both.source);
      contents = await readMoved(both.source, moved);
    });
    after(() => both.stop());

    for (const [index, [step, table, atSource, atTarget]] of STEPS.entries()) {
      const name = table === undefined ? step : `${step} ${table}`;
      it(`after "${name}" has left one side that serves (OPS-73)`, async () => {
        await moveKilled(both, moved.id, step, table);
        const { source, target } = both;
        const write = (app: typeof source) =>
          app.post('/v1/groups', { name: `Group ${index}`, member_ids: [] }, { key: moved.key });
        assert.equal((await write(source)).status, atSource);
        assert.equal((await write(target)).status, atTarget);
        const serving = atTarget === 201 ? target : source;
        data(await serving.get('/v1/folders', { key: moved.key }));
      });
    }

    it('ends by another run, with everything there once (OPS-73)', async () => {
      const { source, target, settings } = both;
      await atriumJson(source, 'workspace', 'move', moved.id, '--to', settings);
      const groups = data(await target.get('/v1/groups', { key: moved.key }));
      const names = groups.map(({ name }: { name: string }) => name).sort();
      assert.deepEqual(names, ['Friends', 'Group 0', 'Group 1', 'Group 8', 'Group 9']);
      const read = await readMoved(target, moved);
      assert.deepEqual({ ...read, '/v1/groups': [] }, { ...contents, '/v1/groups': [] });
      data(await appendMessage(target, moved.key, 'afterwards'), 201);
      await eventually(
        async () => data(await target.get('/v1/search?q=whale', { key: moved.key })).length === 2,
        'both messages are found',
      );
      for (const app of [source, target]) await assertSound(app);
    });
  });
}
