/** Mail that leaves: through a real relay, with everything that a relay can do to it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outbox } from '../../src/areas/mail/sending/outbox.ts';
import { openServices } from '../../src/start/composition.ts';
import type { Config } from '../../src/start/config.ts';
import { startNode } from '../api/nodes.ts';
import { letTimePass, putClock } from '../clock.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { folderOf } from './mail-world.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

forEachEngine((engine) => {
  describe('mail that leaves', () => {
    let relay: TestRelay;
    let app: TestApp;
    beforeEach(async () => {
      relay = await startRelay(0, { user: 'atrium', pass: 'secret' });
      app = await startApp(engine, {
        ATRIUM_DOMAIN: 'home.example',
        ATRIUM_OWNER_EMAIL: 'ada@home.example',
        ATRIUM_SMTP_RELAY: relay.url,
      });
    });
    afterEach(async () => {
      await app.stop();
      await relay.stop();
    });

    const send = async (body: object) =>
      data(await app.post('/v1/messages', { to: ['far@away.example'], ...body }), 201);

    async function inFolder(role: string) {
      return data(await app.get(`/v1/messages?folder_id=${await folderOf(app, role)}&limit=200`));
    }

    const full = async (id: string) => data(await app.get(`/v1/messages/${id}`));
    const raw = async (id: string) => (await app.get(`/v1/messages/${id}/raw`)).text;

    const waiting = () =>
      app.services.database.read((tx) => tx.selectFrom('mail_outbox').selectAll().execute());

    /** Waits until no attempt is under way and this many messages wait for another one. */
    async function settled(count: number) {
      await eventually(async () => {
        await app.services.outbox.settled();
        const rows = await waiting();
        return rows.length === count && rows.every(({ attempts }) => attempts > 0);
      }, `${count} messages wait`);
      return waiting();
    }

    /** Attempts what is due when so many milliseconds have passed. */
    async function later(ms: number) {
      await letTimePass(app.services, ms);
      app.services.outbox.wake();
      await app.services.outbox.settled();
    }

    it('mail that leaves does so at once, byte for byte as it stands in Sent (MAIL-74, OPS-20)', async () => {
      const sent = await send({ subject: 'Grüße', text: '.\n..\nline' });
      await relay.waitFor(1);
      const [arrived] = relay.arrived;
      assert.deepEqual([arrived?.from, arrived?.to], ['ada@home.example', ['far@away.example']]);
      assert.equal(arrived?.raw, await raw(sent.id));
      assert.equal(arrived?.clientName, 'home.example');
      await settled(0);
    });

    it('leaves whole when it is large', async () => {
      const sent = await send({ text: 'many words\n'.repeat(60_000) });
      await relay.waitFor(1);
      assert.ok(relay.arrived[0]?.raw === (await raw(sent.id)));
    });

    it('mail leaves once for several recipients, and tells nobody of blind copies (MAIL-70, MAIL-74)', async () => {
      const body = { cc: ['Near <near@away.example>', 'FAR@away.example'], bcc: ['hidden@away.example'] };
      const sent = await send(body);
      await relay.waitFor(1);
      await settled(0);
      const [arrived, ...more] = relay.arrived;
      assert.deepEqual(more, []);
      assert.deepEqual(arrived?.to, ['far@away.example', 'near@away.example', 'hidden@away.example']);
      assert.ok(!arrived?.raw.includes('hidden'));
      assert.deepEqual((await full(sent.id)).bcc, ['hidden@away.example']);
    });

    it('mail goes here and elsewhere in one (MAIL-73, MAIL-74)', async () => {
      await send({ to: ['ada@home.example', 'far@away.example'] });
      await relay.waitFor(1);
      assert.deepEqual(relay.arrived[0]?.to, ['far@away.example']);
      assert.equal((await inFolder('inbox')).length, 1);
    });

    it('speaks to addresses and domains of every script', async () => {
      await send({ to: ['üser@münchen.example', 'user@münchen.example'] });
      await relay.waitFor(1);
      assert.deepEqual(relay.arrived[0]?.to.toSorted(), ['user@münchen.example', 'üser@münchen.example']);
      await settled(0);
    });

    it('is sent once for its Idempotency-Key', async () => {
      const options = { idempotencyKey: randomUUID() };
      const body = { to: ['far@away.example'] };
      await Promise.all(Array.from({ length: 5 }, () => app.post('/v1/messages', body, options)));
      await relay.waitFor(1);
      await settled(0);
      assert.equal(relay.arrived.length, 1);
    });

    it('sends fifty at once, each once', async () => {
      await Promise.all(Array.from({ length: 50 }, (_, i) => send({ subject: `${i}` })));
      await relay.waitFor(50);
      await settled(0);
      const subjects = relay.arrived.map((message) => /^Subject: (.*)\r$/m.exec(message.raw)?.[1]);
      assert.equal(new Set(subjects).size, 50);
      assert.equal(relay.arrived.length, 50);
    });

    it('brings the message of another user behind few of one who has sent many, however slow the relay is', async () => {
      relay.beforeReply = () => pause(50);
      const other = await makeUser(app, { email: 'other@home.example' });
      const { key } = await makeKey(app, ['mail.messages.send'], { user_id: other.id });
      await Promise.all(Array.from({ length: 60 }, (_, i) => send({ subject: `${i}` })));
      const before = relay.arrived.length;
      data(await app.post('/v1/messages', { to: ['far@away.example'] }, { key }), 201);
      await relay.waitFor(61);
      const at = relay.arrived.findIndex(({ from }) => from === 'other@home.example');
      assert.ok(at - before <= 12, `behind ${at - before}`);
      await settled(0);
    });

    it('mail is refused as a whole where one recipient of the own domain is unknown (MAIL-76)', async () => {
      const answer = await app.post('/v1/messages', { to: ['far@away.example', 'no@home.example'] });
      assert.equal(answer.json.error.code, 'unknown_recipient');
      assert.deepEqual([await waiting(), await inFolder('sent'), relay.arrived], [[], [], []]);
    });

    it('mail that the relay does not take now is tried again, later each time (MAIL-74)', async () => {
      relay.recipientReply = () => [451, '4.7.1 Come back later'];
      await send({});
      const [first] = await settled(1);
      assert.equal(first?.attempts, 1);
      assertWithin((first?.next_attempt_at ?? 0) - Date.now(), 30_000, 90_000);
      await later(10_000);
      assert.equal((await waiting())[0]?.attempts, 1, 'not before its time');
      await later(2 * 60_000);
      const [second] = await waiting();
      assert.equal(second?.attempts, 2);
      relay.recipientReply = () => undefined;
      await later(10 * 60_000);
      assert.deepEqual(await waiting(), []);
      assert.equal(relay.arrived.length, 1);
      assert.deepEqual(await inFolder('inbox'), []);
    });

    it('mail bounces for those who are refused, once, and goes to the others (MAIL-74)', async () => {
      relay.recipientReply = (address) =>
        address.startsWith('no')
          ? [550, '5.1.1 No such user']
          : address.startsWith('busy')
            ? [450, 'Busy']
            : undefined;
      const sent = await send({
        to: ['far@away.example', 'no@away.example', 'busy@away.example'],
        subject: 'Plan',
      });
      const [row] = await settled(1);
      assert.deepEqual(row?.recipients, '["busy@away.example"]');
      assert.deepEqual(relay.arrived[0]?.to, ['far@away.example']);
      const [bounce, ...more] = await inFolder('inbox');
      assert.deepEqual(more, []);
      assert.equal(bounce.from, 'Mail Delivery System <MAILER-DAEMON@home.example>');
      assert.equal(bounce.thread_id, sent.thread_id);
      const record = await full(bounce.id);
      assert.match(record.text, /no@away\.example: 550 5\.1\.1 No such user/);
      assert.doesNotMatch(record.text, /far@|busy@/);
      assert.equal(record.in_reply_to, sent.message_id);
      const bytes = await raw(bounce.id);
      assert.match(bytes, /^Content-Type: multipart\/report; report-type=delivery-status;/m);
      assert.match(bytes, /^Final-Recipient: rfc822; no@away\.example\r$/m);
      assert.match(bytes, /^Status: 5\.1\.1\r$/m);
      assert.match(bytes, /^Auto-Submitted: auto-replied\r$/m);
      assert.match(bytes, /\r\n\r\nFrom: .*\r\n[\s\S]*^Subject: Plan\r$/m);
      relay.recipientReply = () => undefined;
      await later(60 * 60_000);
      assert.equal(relay.arrived.length, 2);
      assert.equal((await inFolder('inbox')).length, 1);
    });

    it('bounces when the message itself is refused', async () => {
      relay.messageReply = () => [554, '5.6.0 We do not like it'];
      await send({ cc: ['near@away.example'] });
      await settled(0);
      const [bounce] = await inFolder('inbox');
      const { text } = await full(bounce.id);
      assert.match(text, /far@away\.example: 554[^\n]*\nnear@away\.example: 554/);
    });

    it('tries the message again that the relay cannot take now', async () => {
      relay.messageReply = () => [452, '4.3.1 Full'];
      await send({});
      await settled(1);
      assert.deepEqual(await inFolder('inbox'), []);
    });

    it('mail that cannot be delivered in five days is given up, and comes back once (MAIL-74)', async () => {
      relay.recipientReply = () => [451, '4.2.1 Mailbox asleep'];
      await send({});
      await settled(1);
      await later(4.9 * DAY_MS);
      assert.equal((await waiting()).length, 1);
      assert.deepEqual(await inFolder('inbox'), []);
      await later(0.6 * DAY_MS);
      await later(0.5 * DAY_MS);
      assert.deepEqual(await waiting(), []);
      const bounces = await inFolder('inbox');
      assert.equal(bounces.length, 1);
      assert.match((await full(bounces[0].id)).text, /451 4\.2\.1 Mailbox asleep/);
      assert.match(await raw(bounces[0].id), /^Status: 4\.2\.1\r$/m);
      assert.equal(relay.arrived.length, 0, 'a bounce does not leave');
    });

    it('leaves, or bounces, although its copy in Sent has been expunged', async () => {
      relay.recipientReply = () => [451, '4.2.1 Mailbox asleep'];
      const expunged = async (body: object) => {
        const { id } = await send({ subject: 'Expunged', ...body });
        const folder = `/v1/folders/${await folderOf(app, 'sent')}`;
        data(
          await app.post(`${folder}/messages/flags`, { message_ids: [id], op: 'add', flags: ['deleted'] }),
        );
        data(await app.post(`${folder}/expunge`));
      };
      await expunged({ text: 'short' });
      await expunged({ text: 'x'.repeat(300_000) });
      await expunged({ to: ['no@away.example'] });
      await settled(3);
      relay.recipientReply = (to) => (to.startsWith('no') ? [550, '5.1.1 No such user'] : undefined);
      await later(HOUR_MS);
      assert.deepEqual(await waiting(), []);
      const lengths = relay.arrived.map(({ raw: bytes }) => bytes.length);
      assert.equal(lengths.length, 2);
      assert.ok(Math.max(...lengths) > 300_000 && Math.min(...lengths) < 2_000, String(lengths));
      const [bounce] = await inFolder('inbox');
      assert.match((await full(bounce.id)).text, /no@away\.example: 550/);
    });

    it('waits for a relay that is down', async () => {
      await relay.stop();
      await send({});
      await settled(1);
      const again = await startRelay(relay.port, { user: 'atrium', pass: 'secret' });
      try {
        await later(5 * 60_000);
        assert.equal(again.arrived.length, 1);
        assert.deepEqual(await waiting(), []);
      } finally {
        await again.stop();
      }
    });

    it('waits, and does not bounce, where the relay does not take the password', async () => {
      await relay.stop();
      const other = await startRelay(relay.port, { user: 'atrium', pass: 'changed' });
      try {
        await send({});
        await settled(1);
        assert.deepEqual(await inFolder('inbox'), []);
      } finally {
        await other.stop();
      }
    });

    it('does not hold up the end where the relay never answers', async () => {
      await relay.stop();
      const silent = createServer((socket) => void socket.on('error', () => undefined));
      silent.listen(relay.port, '127.0.0.1');
      const connected = once(silent, 'connection');
      await send({});
      const [socket] = await connected;
      const begun = performance.now();
      await app.services.outbox.stop(100);
      assert.ok(performance.now() - begun < 15_000);
      const [row] = await waiting();
      assert.ok((row?.next_attempt_at ?? 0) > Date.now(), 'it is tried again');
      socket.destroy();
      silent.close();
    });

    it('is taken over by another node when the one that had it does not come back', async () => {
      relay.recipientReply = () => [451, 'Later'];
      await send({});
      const [row] = await settled(1);
      relay.recipientReply = () => undefined;
      const nodes = await Promise.all([startNode(app.config), startNode(app.config)]);
      try {
        await app.services.database.write((tx) =>
          tx.updateTable('mail_outbox').set({ next_attempt_at: 0 }).execute(),
        );
        await Promise.all([later(0), send({ subject: 'wakes' })]);
        await relay.waitFor(2);
        await settled(0);
        assert.equal(relay.arrived.filter(({ raw: text }) => text.includes(row?.id ?? '?')).length, 1);
      } finally {
        await Promise.all(nodes.map((node) => node.stop()));
      }
    });

    const clocks: [whose: string, before: number, meanwhile: number][] = [
      ['the clock of another node is an hour ahead', 0, HOUR_MS],
      ['the clock of the node that sends is an hour ahead', HOUR_MS, -HOUR_MS],
      ['the clock of the node that sends is an hour behind', -HOUR_MS, HOUR_MS],
    ];
    for (const [whose, before, meanwhile] of clocks) {
      it(`leaves once, and at once, though ${whose}`, async (t) => {
        const others = engine === 'postgres' ? [await openOutbox(t, app.config)] : [];
        const lookAll = async () => {
          relay.beforeReply = async () => undefined;
          putClock(t, meanwhile);
          for (const outbox of [app.services.outbox, ...others]) outbox.wake();
          for (const outbox of others) await outbox.settled();
        };
        relay.beforeReply = lookAll;
        putClock(t, before);
        await send({});
        await settled(0);
        assert.equal(relay.arrived.length, 1);
      });
    }

    it('records nothing for an attempt whose lease another has taken', async () => {
      relay.beforeReply = async () => {
        await app.services.database.write((tx) =>
          tx
            .updateTable('mail_outbox')
            .set({ attempts: 7, next_attempt_at: Date.now() + DAY_MS })
            .execute(),
        );
      };
      relay.messageReply = () => [554, 'No'];
      await send({});
      await eventually(async () => (await waiting())[0]?.attempts === 7, 'another has taken the lease');
      await app.services.outbox.settled();
      assert.equal((await waiting()).length, 1);
      assert.deepEqual(await inFolder('inbox'), []);
    });
  });
});

/** The outbox of another node on the same storage. */
async function openOutbox(t: TestContext, config: Config): Promise<Outbox> {
  const { outbox, close } = await openServices(config);
  t.after(close);
  outbox.start({ attempted: () => undefined, failed: assert.ifError });
  return outbox;
}

function assertWithin(value: number, least: number, most: number): void {
  assert.ok(value >= least && value <= most, `${value} is not from ${least} to ${most}`);
}
