/** A draft is sent in the state that was looked at, or not at all: nothing sends one that nobody has looked at. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { restoreMessage } from '../../src/areas/mail/changes/expunge.ts';
import { composeAgain, replaceDraft } from '../../src/areas/mail/drafts/drafts.ts';
import { data, makeUser } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';
import { changeBegun, ownerOf } from './mailbox.ts';

const EVE = 'eve@elsewhere.example';
/** A call that never ends would otherwise hold up the whole run. */
const BOUNDED = { timeout: 20_000 };

forEachEngine((engine) => {
  describe('a draft that is sent by an agent', () => {
    let app: TestApp;
    let agent: TestAgent;
    const questions: string[] = [];
    let isYes = false;
    /** What happens between a question and the answer. */
    let meanwhile: () => Promise<void> = async () => {};
    before(async () => {
      app = await startApp(engine, { ATRIUM_SMTP_RELAY: 'smtp://127.0.0.1:9' });
      await makeUser(app, { email: 'grace@localhost' });
      agent = await connectAgent(app.address, {
        query: '?tools=all',
        answer: async (question) => {
          questions.push(question);
          await meanwhile();
          return isYes ? { action: 'accept', confirm: true } : { action: 'decline' };
        },
      });
    });
    after(async () => {
      await agent.close();
      await app.stop();
    });
    beforeEach(() => {
      questions.length = 0;
      isYes = false;
      meanwhile = async () => {};
    });

    const draft = async (to: string, subject: string): Promise<string> =>
      (await agent.use('save_draft', { to: [to], subject, text: 'x' })).id;
    const sent = async (subject: string) =>
      data(await app.get('/v1/messages?folder_id=sent')).filter(
        (message: { subject: string }) => message.subject === subject,
      ).length;

    describe('while it comes back from the trash', () => {
      const messageOf = (id: string) => id.replace('drf_', 'msg_');

      it('is not sent without a question (MCP-52)', async () => {
        const id = await draft(EVE, 'Back');
        await agent.use('trash_item', { id });
        const { changed } = await changeBegun(app, (tx, owner) => restoreMessage(tx, owner, messageOf(id)));
        assert.equal(await agent.refused('send_message', { id }), 'not_found');
        await changed;
        assert.deepEqual([questions.length, await sent('Back')], [0, 0]);
        assert.deepEqual((await agent.call('send_message', { id })).structured, { declined: true });
        assert.deepEqual([questions.length, await sent('Back')], [1, 0]);
      });

      it('is not sent without a question by two calls of the agent itself (MCP-52)', async () => {
        const all = Array.from({ length: 10 }, (_, n) => `Two calls ${n}`);
        for (const subject of all) {
          const id = await draft(EVE, subject);
          await agent.use('trash_item', { id });
          await Promise.all([
            agent.call('restore_item', { id: messageOf(id) }),
            agent.call('send_message', { id, idempotency_key: subject }),
          ]);
          assert.equal(await sent(subject), 0);
        }
      });
    });

    describe('with an answer that is kept', () => {
      it('answers that a draft has gone with what was done (MCP-45, MCP-52)', async () => {
        isYes = true;
        const id = await draft(EVE, 'Gone');
        await agent.use('send_message', { id });
        assert.equal((await agent.call('send_message', { id })).structured.replayed, true);
        assert.deepEqual([questions.length, await sent('Gone')], [1, 1]);
      });

      it('that is a refusal, is refused once more (MCP-45, MCP-53)', BOUNDED, async () => {
        const plain = await connectAgent(app.address);
        for (const to of ['grace@localhost', EVE]) {
          const id = await draft(to, 'Refused');
          const given = { id, idempotency_key: `refused-${to}` };
          assert.equal(await plain.refused('send_message', { ...given, if_match: 'x' }), 'state_mismatch');
          assert.equal(await agent.refused('send_message', given), 'state_mismatch');
        }
        assert.deepEqual([questions.length, await sent('Refused')], [0, 0]);
        await plain.close();
      });

      it('that is a refusal since the question, is refused (MCP-45, MCP-53)', BOUNDED, async () => {
        const id = await draft(EVE, 'Refused after a yes');
        isYes = true;
        meanwhile = async () => {
          const headers = { 'idempotency-key': 'after-a-yes', 'if-match': 'other' };
          assert.equal((await app.post(`/v1/drafts/${id}/send`, undefined, { headers })).status, 412);
        };
        const given = { id, idempotency_key: 'after-a-yes' };
        assert.equal(await agent.refused('send_message', given), 'state_mismatch');
        assert.deepEqual([questions.length, await sent('Refused after a yes')], [1, 0]);
      });
    });

    describe('and that changes each time before it is sent', () => {
      /** Changes a draft each time that its recipients are looked up: after it was read. Counts how often that is. */
      const changesAlways = (t: TestContext, id: string, before: () => Promise<unknown>) => {
        const { database, mail } = app.services;
        const { sending } = mail;
        const outsiders = sending.outsiders.bind(sending);
        const tries = { count: 0 };
        t.mock.method(sending, 'outsiders', async (...given: Parameters<typeof outsiders>) => {
          tries.count++;
          await before();
          const owner = await ownerOf(app);
          const text = `Text ${tries.count}`;
          const change = { headers: {}, given: { to: ['grace@localhost'], subject: 'Restless', text } };
          const composed = await composeAgain(mail.dependencies, owner, id, change);
          await database.write((tx) => {
            tx.actAs(owner);
            return replaceDraft(tx, owner, id, { ...change, composed });
          });
          return outsiders(...given);
        });
        return tries;
      };

      it('is tried three times and then refused (MCP-53)', BOUNDED, async (t) => {
        const id = await draft('grace@localhost', 'Restless');
        const tries = changesAlways(t, id, async () => {
          // Otherwise it would go on for ever where the door does.
          if (tries.count > 10) throw new Error('Too often');
        });
        assert.equal(await agent.refused('send_message', { id }), 'state_mismatch');
        assert.equal(tries.count, 3);
        t.mock.restoreAll();
        assert.equal(await sent('Restless'), 0);
        await agent.use('send_message', { id });
      });

      it('is not tried again for a client that has left (MCP-53)', BOUNDED, async (t) => {
        const id = await draft('grace@localhost', 'Left alone');
        const leaving = new AbortController();
        const tries = changesAlways(t, id, async () => {
          if (tries.count > 10) throw new Error('Too often');
          leaving.abort();
          await pause(200);
        });
        const given = { name: 'send_message', arguments: { id } };
        await assert.rejects(agent.client.callTool(given, { signal: leaving.signal }));
        await pause(1_500);
        assert.equal(tries.count, 1);
      });
    });

    describe('with an if_match', () => {
      it('that names another state, is refused without a question (MCP-52)', async () => {
        const id = await draft(EVE, 'Another state');
        for (const if_match of ['other', 'x,y', ''])
          assert.equal(await agent.refused('send_message', { id, if_match }), 'state_mismatch');
        assert.deepEqual([questions.length, await sent('Another state')], [0, 0]);
        const { state } = data(await app.get(`/v1/drafts/${id}`));
        for (const if_match of [state, `"${state}"`, `x, ${state}`, 'x,*,y'])
          assert.deepEqual((await agent.call('send_message', { id, if_match })).structured, {
            declined: true,
          });
      });
    });
  });
});
