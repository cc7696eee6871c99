import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Doors, HostileInput } from './hostile-input.ts';
import { hostileMessages, numbered } from './messages.ts';
import { testTurns } from './test-turns.ts';

const throughSmtp = Object.entries(hostileMessages).map(([name, message]) => ({
  name: `${name}, by SMTP`,
  send: async (doors: Doors) => {
    assert.match(await doors.deliver(Buffer.from(message, 'latin1')), /^250 /);
  },
}));

const appended = Object.entries(hostileMessages).map(([name, message]) => ({
  name: `${name}, appended`,
  send: async (doors: Doors) => {
    const answer = await doors.request('POST', `/v1/folders/${doors.inboxId}/messages`, {
      body: Buffer.from(message, 'latin1'),
      mediaType: 'message/rfc822',
    });
    assert.equal(answer.status, 201);
  },
}));

async function newMailbox({ request }: Doors): Promise<string> {
  const email = `${randomUUID()}@example.org`;
  assert.equal((await request('POST', '/v1/users', { body: { email, name: 'Someone' } })).status, 201);
  return email;
}

const INPUTS: readonly HostileInput[] = [
  ...throughSmtp,
  ...appended,
  {
    name: 'a text of 490,000 lines, sent',
    send: async (doors) => {
      const body = { to: [doors.address], subject: 'x', text: '\n'.repeat(490_000) };
      assert.equal((await doors.request('POST', '/v1/messages', { body })).status, 201);
    },
  },
  {
    name: 'a long mail to 300 mailboxes, sent',
    send: async (doors) => {
      const to = await Promise.all(Array.from({ length: 300 }, () => newMailbox(doors)));
      const html = '<p>A <b>long</b> mail.</p>'.repeat(36_000);
      assert.equal((await doors.request('POST', '/v1/messages', { body: { to, html } })).status, 201);
    },
  },
  {
    name: 'many mails that name 20,000 others each',
    send: async (doors) => {
      for (let i = 0; i < 5; i++) {
        const ids = (name: string) => `${name}:${numbered(10_000, (k) => ` <${i}-${k}@${name}>\r\n`)}`;
        const reply = await doors.deliver(`From: a@b\r\n${ids('In-Reply-To')}${ids('References')}\r\nhi\r\n`);
        assert.match(reply, /^250/);
      }
    },
  },
  {
    name: 'a Roman number that has no numeral, sent',
    send: async (doors) => {
      const body = { to: [doors.address], subject: 'x', html: '<ol type="i" start="10000"><li>hello</ol>' };
      assert.equal((await doors.request('POST', '/v1/messages', { body })).status, 201);
    },
  },
];

testTurns('mail', INPUTS);
