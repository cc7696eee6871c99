import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { type Actor, makeActor } from '../torture/actor.ts';
import type { Area } from '../torture/area.ts';
import type { FailoverCluster } from './cluster.ts';

const RETRY_MS = 30;

/**
 * Mail that comes in by SMTP, to a user of its own whom `owner` makes. SMTP has no keys: a message whose answer was lost is not sent
 * again, and may be there or not.
 */
export async function startArriving(cluster: FailoverCluster, owner: Actor, name: string): Promise<Area> {
  const { random } = owner;
  const email = `${name}@arriving.example`;
  const make = async (path: string, body: object) => (await owner.must({ method: 'POST', path, body })).data;
  const { id } = await make('/v1/users', { email, name });
  const { key } = await make('/v1/api-keys', { name: email, permissions: ALL_PERMISSIONS, user_id: id });
  const reader = makeActor(cluster, key, random.fork('reader'));
  const acknowledged = new Set<string>();
  const unanswered = new Set<string>();
  return {
    step: async () => {
      const subject = random.token();
      unanswered.add(subject);
      if (!(await send(cluster.smtpPort(random), email, subject))) return pause(RETRY_MS);
      unanswered.delete(subject);
      acknowledged.add(subject);
      await cluster.ledger.keep({ key, subject });
    },
    prove: async () => {
      const inbox = await inboxOf(reader);
      assert.equal(new Set(inbox).size, inbox.length, `mail came twice: ${inbox}`);
      const certain = inbox.filter((subject) => !unanswered.has(subject));
      assert.deepEqual(certain.sort(), [...acknowledged].sort());
    },
  };
}

/** The subjects in the inbox of a user. */
export async function inboxOf(reader: Actor): Promise<string[]> {
  const folders = await reader.get('/v1/folders');
  const { id } = folders.find(({ role }: { role?: string }) => role === 'inbox');
  return (await reader.walk(`/v1/messages?folder_id=${id}`)).map(({ subject }) => subject);
}

/** Whether the server said yes. It may have taken the message all the same. */
async function send(port: number | undefined, to: string, subject: string): Promise<boolean> {
  if (port === undefined) return false;
  try {
    const client = await greeted(port);
    const { code } = await client.transact([to], `Subject: ${subject}\r\n\r\n${subject}`);
    client.close();
    assert.ok(code < 500, `${code} to mail`);
    return code === 250;
  } catch (error) {
    // Nobody is there, or the connection ended, or the storage is away.
    if (!(error instanceof assert.AssertionError) || !/: 5\d\d |^5\d\d to mail/.test(error.message))
      return false;
    throw error;
  }
}
