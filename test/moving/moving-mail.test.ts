/** What is under way when a workspace moves: mail that leaves, mail that comes, and writes that have begun. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { data } from '../areas/accounts.ts';
import { runAtrium } from '../command-line.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, type TestApp } from '../harness.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { moveKilled } from './killed.ts';
import {
  assertSound,
  type Installations,
  type Moved,
  makeMoved,
  PAIRS,
  startInstallations,
} from './world.ts';

async function stateOf({ services }: TestApp, { id }: Moved): Promise<string | undefined> {
  const row = await services.database.read((tx) =>
    tx.selectFrom('workspace_moves').select('state').where('workspace_id', '=', id).executeTakeFirst(),
  );
  return row?.state;
}

/** Fails if the move goes on: one that does not wait has copied everything within this time. */
async function assertWaits({ source, target }: Installations, moved: Moved): Promise<void> {
  await eventually(
    async () => (await stateOf(source, moved)) === 'leaving',
    'the source has stopped writing',
  );
  await pause(4_000);
  assert.equal(await stateOf(target, moved), 'arriving');
}

async function deliver(app: TestApp, address: string): Promise<number> {
  const client = await greeted(app.smtp.port);
  const { code } = await client.transact([address], 'Subject: by SMTP\r\n\r\ntext');
  client.close();
  return code;
}

async function addressOf(app: TestApp, { key }: Moved): Promise<string> {
  return data(await app.get('/v1/users', { key }))[0].email;
}

for (const pair of PAIRS.filter(({ s3 }) => !s3)) {
  describe(`mail while a workspace moves from ${pair.from} to ${pair.to}`, () => {
    let both: Installations;
    let relay: TestRelay;
    before(async () => {
      relay = await startRelay();
      both = await startInstallations(pair, { ATRIUM_SMTP_RELAY: relay.url });
    });
    after(async () => {
      await both.stop();
      await relay.stop();
    });

    it('a message that is being sent is sent once (OPS-72)', async () => {
      const { source, target, settings } = both;
      const moved = await makeMoved(source);
      const held = Promise.withResolvers<void>();
      relay.beforeReply = () => held.promise;
      const message = { to: ['far@away.example'], subject: 'Once', text: 'once' };
      data(await source.post('/v1/messages', message, { key: moved.key }), 201);
      await relay.waitFor(1);
      const moving = runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
      await assertWaits(both, moved).finally(() => held.resolve());
      const { code, stderr } = await moving;
      assert.equal(code, 0, stderr);
      for (const { services } of [source, target]) {
        services.outbox.wake();
        await services.outbox.settled();
        const waiting = await services.database.read((tx) =>
          tx.selectFrom('mail_outbox').selectAll().execute(),
        );
        assert.deepEqual(waiting, []);
      }
      assert.equal(relay.arrived.length, 1);
    });

    it('mail that comes is put off, at the source, and taken by the target (OPS-72, OPS-76)', async () => {
      const { source, target, settings } = both;
      const moved = await makeMoved(source);
      const address = await addressOf(source, moved);
      await moveKilled(both, moved.id, 'frozen');
      assert.equal(await deliver(source, address), 451);
      const { code, stderr } = await runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
      assert.equal(code, 0, stderr);
      assert.equal(await deliver(source, address), 451);
      assert.equal(await deliver(target, address), 250);
      for (const app of [source, target]) await assertSound(app);
    });

    it('other workspaces of the source reach who has moved by the relay (OPS-76)', async () => {
      const { source, settings } = both;
      const moved = await makeMoved(source);
      const address = await addressOf(source, moved);
      const { code, stderr } = await runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
      assert.equal(code, 0, stderr);
      const earlier = relay.arrived.length;
      const message = { to: [address], subject: 'To who has gone', text: 'text' };
      data(await source.post('/v1/messages', message, { key: OWNER_KEY }), 201);
      await relay.waitFor(earlier + 1);
      assert.deepEqual(relay.arrived.at(-1)?.to, [address]);
    });
  });
}

describe('a write that has begun before the move, on PostgreSQL', () => {
  let both: Installations;
  before(async () => {
    both = await startInstallations({ from: 'postgres', to: 'postgres', s3: false });
  });
  after(() => both.stop());

  it('is waited for, and moves with the rest (OPS-72)', async () => {
    const { source, target, settings } = both;
    const moved = await makeMoved(source);
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const writing = source.services.database.write(async (tx) => {
      await tx.join(moved.id);
      begun.resolve();
      await goOn.promise;
      const group = { id: 'grp_late', workspace_id: moved.id, name: 'Late', created_at: 0, updated_at: 0 };
      await tx.insertInto('groups').values(group).execute();
    });
    await begun.promise;
    const moving = runAtrium(source, ['workspace', 'move', moved.id, '--to', settings]);
    await assertWaits(both, moved).finally(() => goOn.resolve());
    await writing;
    const { code, stderr } = await moving;
    assert.equal(code, 0, stderr);
    const groups = await target.services.database.read((tx) =>
      tx.selectFrom('groups').select('name').where('workspace_id', '=', moved.id).orderBy('name').execute(),
    );
    assert.deepEqual(
      groups.map(({ name }) => name),
      ['Friends', 'Late'],
    );
  });
});
