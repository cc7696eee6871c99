/** Moves that are refused before anything changes, and those that are given up. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { lockOf, moveWorkspace } from '../../src/archive/moving/move.ts';
import { createOwnedWorkspace } from '../../src/start/first-workspace.ts';
import { accounts, data } from '../areas/accounts.ts';
import { atriumJson, runAtrium } from '../command-line.ts';
import { moveKilled } from './killed.ts';
import {
  appendMessage,
  assertSound,
  type Installations,
  makeMoved,
  PAIRS,
  startInstallations,
} from './world.ts';

for (const pair of PAIRS.filter(({ s3 }) => !s3)) {
  describe(`a move from ${pair.from} to ${pair.to} that is not to be`, () => {
    let both: Installations;
    before(async () => {
      both = await startInstallations(pair);
    });
    after(() => both.stop());

    it('is refused where an address is taken there, and nothing has changed (OPS-79)', async () => {
      const { source, target, settings } = both;
      const moved = await makeMoved(source);
      const [{ email }] = data(await source.get('/v1/users', { key: moved.key }));
      data(await target.post('/v1/users', { email, name: 'Same address' }), 201);
      const earlier = [await accounts(source), await accounts(target)];
      const refused = await runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, new RegExp(email));
      assert.deepEqual([await accounts(source), await accounts(target)], earlier);
      data(await appendMessage(source, moved.key, 'is written'), 201);
    });

    it('is refused where an address is taken there in the other form of its domain (OPS-79, DIR-9)', async () => {
      const { source, target, settings } = both;
      const moved = await makeMoved(source);
      const local = moved.id;
      const given = { email: `${local}@xn--bcher-kva.example`, name: 'In ASCII' };
      data(await source.post('/v1/users', given, { key: moved.key }), 201);
      data(await target.post('/v1/users', { email: `${local}@bücher.example`, name: 'As written' }), 201);
      const refused = await runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /@bücher\.example/);
    });

    it('is refused where the other form of an address is taken there as the move ends (OPS-79, DIR-9)', async () => {
      const { source, target } = both;
      const moved = await makeMoved(source);
      const local = moved.id;
      const given = { email: `${local}@xn--bcher-kva.example`, name: 'In ASCII' };
      data(await source.post('/v1/users', given, { key: moved.key }), 201);
      const { workspace_id: there } = await target.services.database.read((tx) =>
        tx.selectFrom('users').select('workspace_id').limit(1).executeTakeFirstOrThrow(),
      );
      let claimed: Promise<unknown> | undefined;
      // The move finds no collision yet, and then waits with making the workspace that of the target.
      const claim = async () =>
        target.services.database.write(async (tx) => {
          await tx.lock(lockOf(moved.id));
          await tx.settled();
          await pause(1_500);
          const taking = { email: `${local}@bücher.example`, name: 'As written' };
          await target.services.directory.createUser(tx, there, taking);
        });
      const moving = {
        source: source.services,
        target: target.services,
        workspaceId: moved.id,
        location: null,
      };
      const move = moveWorkspace(moving, { rows: 0, blobs: 0, bytes: 0 }, (step) => {
        if (step === 'compared') claimed = claim();
      });
      await assert.rejects(move, /have these addresses already: .*@bücher\.example/);
      await claimed;
      const holders = await target.services.database.read((tx) =>
        tx.selectFrom('user_addresses').select('address').where('address', 'like', `${local}@%`).execute(),
      );
      assert.deepEqual(holders, [{ address: `${local}@bücher.example` }]);
    });

    it('is refused where the workspace or the installation is the same (OPS-79)', async () => {
      const { source, target, settings } = both;
      const moved = await makeMoved(source);
      const own = { config: source.config };
      const same = await runAtrium(own, ['workspace', 'move', moved.id, '--to', settings], {
        ATRIUM_DATA_DIR: target.config.dataDir,
        ATRIUM_DATABASE_URL: target.config.databaseUrl ?? '',
      });
      assert.equal(same.code, 1);
      const { services } = target;
      await services.database.write(async (tx) => {
        const { workspace } = await createOwnedWorkspace(tx, services, {
          name: 'Twin',
          ownerEmail: 'twin@example.org',
        });
        await tx.insertInto('workspaces').values({ id: moved.id, name: 'Twin', created_at: 0 }).execute();
        await tx.deleteFrom('workspaces').where('id', '=', workspace.id).execute();
      });
      const refused = await runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /has a workspace/);
      data(await appendMessage(source, moved.key, 'is written'), 201);
    });

    it('is given up, and nothing of it stays there (OPS-80)', async () => {
      const { source, target, settings } = both;
      const moved = await makeMoved(source);
      await moveKilled(both, moved.id, 'copied', 'messages');
      const waiting = await appendMessage(source, moved.key, 'waits');
      assert.deepEqual([waiting.status, waiting.headers.get('retry-after')], [503, '1']);
      const hook = { url: 'https://hook.example/y', types: ['message.*'] };
      assert.equal((await source.post('/v1/webhooks', hook, { key: moved.key })).status, 503);
      const { database, directory } = source.services;
      const byCommand = database.write((tx) =>
        directory.createGroup(tx, moved.id, { name: 'x', member_ids: [] }),
      );
      await assert.rejects(byCommand, { name: 'WorkspaceAway' });
      await atriumJson(source, 'workspace', 'move', moved.id, '--to', settings, '--abandon');
      data(await appendMessage(source, moved.key, 'waits'), 201);
      for (const table of ['messages', 'message_contents', 'workspace_moves'] as const) {
        const rows = await target.services.database.read((tx) =>
          tx.selectFrom(table).select('workspace_id').where('workspace_id', '=', moved.id).execute(),
        );
        assert.deepEqual(rows, [], table);
      }
      await assertSound(source);
    });
  });
}
