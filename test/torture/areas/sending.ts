import assert from 'node:assert/strict';
import { makeActor } from '../actor.ts';
import type { Area, Place, World } from '../area.ts';
import type { Cluster } from '../cluster.ts';
import { randomOf } from '../random.ts';

/** Messages to everybody in the workspace and to somebody elsewhere. */
export async function startSending({ actor, world }: Place): Promise<Area> {
  const { random } = actor;
  const sent: string[] = [];
  const listed = async (role: string) => {
    const folders = await actor.get('/v1/folders');
    const { id } = folders.find((folder: { role?: string }) => folder.role === role);
    return (await actor.walk(`/v1/messages?folder_id=${id}`)).map(({ subject }) => subject);
  };
  return {
    step: async () => {
      const subject = random.token();
      const to = [...world.people.map(({ email }) => email), 'far@away.example'];
      await actor.must({ method: 'POST', path: '/v1/messages', body: { to, subject, text: subject } }, () =>
        Promise.all(['sent', 'inbox'].map(async (role) => (await listed(role)).includes(subject))),
      );
      sent.push(subject);
      world.shared.sent.push(subject);
    },
    prove: async () => assert.deepEqual((await listed('sent')).sort(), [...sent].sort()),
  };
}

/** Every message is in every inbox once, and has left: once, but for what was under way when a server died. */
export async function proveSending(cluster: Cluster, { people, shared }: World): Promise<void> {
  const wanted = [...shared.sent].sort();
  for (const { key } of people) {
    const actor = makeActor(cluster, key, randomOf('inbox'));
    const folders = await actor.get('/v1/folders');
    const { id } = folders.find(({ role }: { role?: string }) => role === 'inbox');
    const inbox = (await actor.walk(`/v1/messages?folder_id=${id}`)).map(({ subject }) => subject);
    assert.deepEqual(inbox.sort(), wanted);
  }
  await cluster.restartAll();
  const left = () => cluster.relay.arrived.map(({ raw }) => /^Subject: (\S+)\r$/m.exec(raw)?.[1] ?? '');
  await waitFor(() => new Set(left()).size === wanted.length, 'mail has not left');
  assert.deepEqual([...new Set(left())].sort(), wanted);
  const faults = Object.values(cluster.faults).reduce((sum, count) => sum + count, 0);
  const repeated = left().length - wanted.length;
  assert.ok(repeated <= UNDER_WAY * faults, `${repeated} messages left more than once`);
}

/** So many messages are on their way to the relay at once. */
const UNDER_WAY = 5;
const PATIENCE_MS = 300_000;

async function waitFor(isSo: () => boolean, complaint: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    assert.ok(performance.now() < until, complaint);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
