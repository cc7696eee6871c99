/** What a person has said yes to happens once, and is what they were told. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { composeAgain, replaceDraft } from '../../src/areas/mail/drafts/drafts.ts';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';
import { changeBegun, ownerOf } from './mailbox.ts';

const EVE = 'eve@elsewhere.example';

forEachEngine((engine) => {
  describe('a call that a person has confirmed', () => {
    let app: TestApp;
    let agent: TestAgent;
    const questions: string[] = [];
    /** What happens between a question and the answer. */
    let meanwhile: () => Promise<void> = async () => {};
    let isYes = true;
    const answer = async (question: string) => {
      questions.push(question);
      await meanwhile();
      return isYes ? ({ action: 'accept', confirm: true } as const) : ({ action: 'decline' } as const);
    };
    const connect = (key?: string) =>
      connectAgent(app.address, { query: '?tools=all', answer, ...(key && { key }) });
    before(async () => {
      app = await startApp(engine, { ATRIUM_SMTP_RELAY: 'smtp://127.0.0.1:9' });
      await makeUser(app, { email: 'grace@localhost' });
      agent = await connect();
    });
    after(async () => {
      await agent.close();
      await app.stop();
    });
    beforeEach(() => {
      questions.length = 0;
      isYes = true;
      meanwhile = async () => {};
    });

    const sent = async (subject: string) =>
      data(await app.get('/v1/messages?folder_id=sent')).filter(
        (message: { subject: string }) => message.subject === subject,
      ).length;

    describe('and that is issued again', () => {
      it('answers as it did without another question (MCP-14, MCP-45)', async () => {
        for (const more of [{}, { idempotency_key: 'again' }]) {
          const subject = `Again with ${Object.keys(more).length}`;
          const given = { to: [EVE], subject, text: 'x', ...more };
          const first = await agent.call('send_message', given);
          assert.equal(questions.length, 1);
          isYes = false;
          const again = await agent.call('send_message', given);
          assert.deepEqual([questions.length, again.structured.replayed], [1, true], again.texts.join());
          assert.deepEqual(again.structured.data, first.structured.data);
          assert.equal(await sent(subject), 1);
          questions.length = 0;
          isYes = true;
        }
        const { id } = await agent.use('write_file', { filename: 'again.txt', content: 'x' });
        const sharing = { id, email: 'grace@localhost', role: 'viewer' };
        await agent.use('share_item', sharing);
        isYes = false;
        assert.equal((await agent.call('share_item', sharing)).structured.replayed, true);
        assert.equal(questions.length, 1);
      });

      it('with other arguments asks, and under the same key is refused (MCP-45)', async () => {
        const given = { to: [EVE], subject: 'First', text: 'x', idempotency_key: 'other-arguments' };
        await agent.use('send_message', given);
        const other = { ...given, subject: 'Second' };
        assert.equal(await agent.refused('send_message', other), 'idempotency_key_reused');
        isYes = false;
        const { idempotency_key, ...without } = other;
        questions.length = 0;
        assert.deepEqual((await agent.call('send_message', without)).structured, { declined: true });
        assert.equal(questions.length, 1);
        assert.equal(await sent('Second'), 0);
      });

      it('by another key asks (MCP-45)', async () => {
        const given = { to: [EVE], subject: 'Another key', text: 'x', idempotency_key: 'another-key' };
        await agent.use('send_message', given);
        const { key } = await makeKey(app, ['mail.messages.send']);
        const other = await connect(key);
        isYes = false;
        assert.deepEqual((await other.call('send_message', given)).structured, { declined: true });
        assert.equal(questions.length, 2);
        assert.equal(await sent('Another key'), 1);
        await other.close();
      });

      it('asks where nothing has been done, and where the answer is kept no more (MCP-45)', async () => {
        const given = { to: [EVE], subject: 'Not yet', text: 'x' };
        isYes = false;
        for (const count of [1, 2]) {
          assert.deepEqual((await agent.call('send_message', given)).structured, { declined: true });
          assert.equal(questions.length, count);
        }
        isYes = true;
        await agent.use('send_message', given);
        await app.services.database.write(async (tx) => {
          const expires_at = await tx.now();
          await tx.updateTable('idempotency_records').set({ expires_at }).execute();
        });
        isYes = false;
        assert.deepEqual((await agent.call('send_message', given)).structured, { declined: true });
        assert.equal(questions.length, 4);
        assert.equal(await sent('Not yet'), 1);
      });

      it('asks where the answer is forgotten as it is looked up (MCP-45)', async (t) => {
        const given = { to: [EVE], subject: 'Forgotten', text: 'x' };
        await agent.use('send_message', given);
        const { database } = app.services;
        const write = database.write.bind(database);
        t.mock.method(database, 'write', async (...written: Parameters<typeof write>) => {
          await write(async (tx) => {
            const expires_at = await tx.now();
            await tx.updateTable('idempotency_records').set({ expires_at }).execute();
          });
          return write(...written);
        });
        isYes = false;
        assert.deepEqual((await agent.call('send_message', given)).structured, { declined: true });
        assert.deepEqual([questions.length, await sent('Forgotten')], [2, 1]);
      });
    });

    describe('about a draft', () => {
      const draft = { to: [EVE], subject: 'Harmless', text: 'x' };
      /** Does something once, and has the next question declined. */
      const once = (act: () => Promise<void>) => {
        meanwhile = async () => {
          meanwhile = async () => {
            isYes = false;
          };
          await act();
        };
      };
      const isAskedAnew = async (given: Record<string, unknown>) => {
        const { structured } = await agent.call('send_message', given);
        assert.deepEqual(structured, { declined: true });
        assert.equal(questions.length, 2);
        assert.match(questions[0] ?? '', /“Harmless”/);
        assert.match(questions[1] ?? '', /“Secret”/);
        assert.deepEqual([await sent('Harmless'), await sent('Secret')], [0, 0]);
      };

      /** Begins a change of a draft to another one, which ends as the draft is being sent. */
      const secretBegun = async (id: string) => {
        const change = { headers: {}, given: { ...draft, subject: 'Secret' } };
        const owner = await ownerOf(app);
        const composed = await composeAgain(app.services.mail.dependencies, owner, id, change);
        return changeBegun(app, (tx) => replaceDraft(tx, owner, id, { ...change, composed }));
      };

      it('asks where a draft for people inside gets others as it is being sent (MCP-46)', async () => {
        const { id } = await agent.use('save_draft', { to: ['grace@localhost'], subject: 'Harmless' });
        const { changed } = await secretBegun(id);
        isYes = false;
        assert.deepEqual((await agent.call('send_message', { id })).structured, { declined: true });
        await changed;
        assert.match(questions.join(), /^Send the message “Secret” to “eve@/);
        assert.deepEqual([await sent('Harmless'), await sent('Secret')], [0, 0]);
      });

      it('asks anew where the draft has changed before the answer (MCP-46)', async () => {
        const { id } = await agent.use('save_draft', { ...draft, text: 'before' });
        once(async () => {
          data(await app.put(`/v1/drafts/${id}`, { ...draft, subject: 'Secret' }));
        });
        await isAskedAnew({ id });
      });

      for (const more of [{}, { idempotency_key: 'a-draft-that-changes' }, { if_match: '*' }])
        it(`asks anew where the draft changes as it is being sent, with ${JSON.stringify(more)} (MCP-46)`, async () => {
          const { id } = await agent.use('save_draft', { ...draft, text: JSON.stringify(more) });
          let changed: Promise<unknown> | undefined;
          once(async () => {
            ({ changed } = await secretBegun(id));
          });
          await isAskedAnew({ id, ...more });
          await changed;
          isYes = true;
          meanwhile = async () => {};
          const { id: message } = await agent.use('send_message', { id, ...more });
          assert.equal(await sent('Secret'), 1);
          await agent.use('trash_item', { id: message });
        });
    });
  });
});
