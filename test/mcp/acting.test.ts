/** What an agent does, it does once, and a person decides about what reaches others. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import {
  type AgentOptions,
  callByWire,
  connectAgent,
  REVISIONS,
  type Said,
  type TestAgent,
} from './agents.ts';

forEachEngine((engine) => {
  describe('an agent acts', () => {
    let app: TestApp;
    let agent: TestAgent;
    before(async () => {
      app = await startApp(engine, { ATRIUM_SMTP_RELAY: 'smtp://127.0.0.1:9' });
      await makeUser(app, { email: 'grace@localhost' });
      agent = await connectAgent(app.address);
    });
    after(async () => {
      await agent.close();
      await app.stop();
    });

    const connect = (options: AgentOptions) => connectAgent(app.address, options);
    const sent = async () =>
      data(await app.get('/v1/messages?folder_id=sent')).map(({ subject }: { subject: string }) => subject);

    for (const revision of REVISIONS)
      it(`once for the same arguments, in any order, by ${revision} (MCP-14)`, async () => {
        const of = await connect({ revision });
        const title = `Once ${revision}`;
        const first = await of.call('write_document', { title, content: 'a', type: 'document' });
        const second = await of.call('write_document', { type: 'document', content: 'a', title });
        assert.equal(first.structured.replayed, undefined);
        assert.equal(second.structured.replayed, true);
        assert.deepEqual(second.structured.data, first.structured.data);
        assert.match(second.texts[0] ?? '', /not done again/);
        const other = await of.call('write_document', { type: 'document', content: 'b', title });
        assert.notEqual(other.structured.data.id, first.structured.data.id);
        assert.equal((await of.use('read_document', { id: first.structured.data.id })).text, 'a');
        assert.equal((await of.use('read_document', { id: other.structured.data.id })).text, 'b');
        await of.close();
      });

    it('not again for the next part of an answer (MCP-14, MCP-16)', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 60; n++)
        ids.push(
          data(
            await app.post('/v1/folders/inbox/messages', `Subject: P${n}\r\n\r\nx\r\n`, {
              headers: { 'content-type': 'message/rfc822' },
            }),
            201,
          ).id,
        );
      const given = { message_ids: ids, add_labels: ['parts'] };
      const first = await agent.call('change_messages', given);
      const cursor = first.structured.next_cursor;
      assert.equal(first.structured.data.length, 50);
      const rest = await agent.call('change_messages', { ...given, cursor });
      assert.deepEqual([rest.structured.data.length, rest.structured.next_cursor], [10, '']);
      const other = { message_ids: ids, add_labels: ['others'] };
      assert.equal(await agent.refused('change_messages', { ...other, cursor }), 'cursor_expired');
      assert.deepEqual(data(await app.get('/v1/messages?label=others')), []);
      const last = await agent.call('change_messages', { ...given, cursor: '' });
      assert.equal(last.structured.replayed, true);
    });

    it('once when fifty calls come at once (MCP-14)', async () => {
      const given = { to: ['grace@localhost'], subject: 'Fifty', text: 'x' };
      const all = await Promise.all(Array.from({ length: 50 }, () => agent.call('send_message', given)));
      assert.equal(all.filter(({ structured }) => structured.replayed !== true).length, 1);
      assert.equal((await sent()).filter((subject: string) => subject === 'Fifty').length, 1);
    });

    it('once for each key (MCP-14)', async () => {
      const { key } = await makeKey(app, ['files.write']);
      const other = await connect({ key });
      const given = { filename: 'mine.txt', content: 'x' };
      const ids = [await agent.use('write_file', given), await other.use('write_file', given)].map(
        ({ id }) => id,
      );
      assert.notEqual(ids[0], ids[1]);
      await other.close();
    });

    it('once for an idempotency_key, as over HTTP (MCP-14)', async () => {
      const body = { name: 'Both ways' };
      const byHttp = data(await app.post('/v1/file-folders', body, { idempotencyKey: 'both-ways' }), 201);
      const all = await connect({ query: '?tools=all' });
      const call = (name: string) =>
        all.call('call_operation', {
          operation_id: 'createFileFolder',
          arguments: { name },
          idempotency_key: 'both-ways',
        });
      const { structured } = await call('Both ways');
      assert.deepEqual([structured.replayed, structured.data.id], [true, byHttp.id]);
      assert.equal((await call('Other')).structured.error.code, 'idempotency_key_reused');
      assert.equal(
        await all.refused('write_file', { filename: 'a', content: 'b', idempotency_key: 'é' }),
        'invalid_idempotency_key',
      );
      await all.close();
    });

    it('anew ten minutes later (MCP-14)', async () => {
      const given = { filename: 'later.txt', content: 'x' };
      const first = await agent.use('write_file', given);
      await app.services.database.write(async (tx) => {
        const now = await tx.now();
        const records = await tx
          .selectFrom('idempotency_records')
          .select(['idempotency_key', 'expires_at'])
          .where('idempotency_key', 'like', 'call-%')
          .execute();
        for (const { expires_at } of records) assert.ok(expires_at <= now + 600_000 && expires_at > now);
        await tx
          .updateTable('idempotency_records')
          .set({ expires_at: now })
          .where('idempotency_key', 'like', 'call-%')
          .execute();
      });
      assert.notEqual((await agent.use('write_file', given)).id, first.id);
    });

    it('again after a refusal, once the reason has gone (MCP-14)', async () => {
      const room = data(await app.post('/v1/resources', { name: 'Room', kind: 'room' }), 201);
      const { calendars } = await agent.use('whoami');
      const given = {
        id: calendars[0].id,
        starts_at: '2031-01-07T09:00:00Z',
        ends_at: '2031-01-07T10:00:00Z',
        resources: [room.id],
      };
      const { id } = await agent.use('save_event', { ...given, transparency: 'busy' });
      assert.equal(await agent.refused('save_event', given), 'resource_busy');
      await agent.use('trash_item', { id: given.id, event_id: id });
      assert.match((await agent.use('save_event', given)).id, /^evt_/);
    });

    it('with the preset agent without sending and sharing (MCP-12)', async () => {
      const { key, permissions } = data(
        await app.post('/v1/api-keys', { name: 'agent', preset: 'agent' }),
        201,
      );
      for (const withheld of [
        'mail.messages.send',
        'files.share',
        'keys.write',
        'directory.write',
        'webhooks.write',
      ])
        assert.ok(!permissions.includes(withheld), withheld);
      const weak = await connect({ key });
      const names = (await weak.client.listTools()).tools.map(({ name }) => name);
      assert.ok(!names.includes('send_message') && !names.includes('share_item'));
      assert.equal(names.length, 31);
      await weak.close();
    });

    describe('where the client can ask', () => {
      const questions: string[] = [];
      let says: Said;
      let asking: TestAgent;
      before(async () => {
        asking = await connect({
          query: '?tools=all',
          answer: (question) => {
            questions.push(question);
            return says;
          },
        });
      });
      after(() => asking.close());

      /** Each way to say no leaves everything as it is; yes does it once, and no is not remembered. */
      const asks = async (name: string, given: Record<string, unknown>, question: RegExp) => {
        for (const no of [
          { action: 'decline' },
          { action: 'cancel' },
          { action: 'accept', confirm: false },
        ] as const) {
          says = no;
          questions.length = 0;
          const { isError, structured } = await asking.call(name, given);
          assert.deepEqual([isError, structured], [true, { declined: true }], name);
          assert.equal(questions.length, 1);
          assert.match(questions[0] ?? '', question);
        }
        says = { action: 'accept', confirm: true };
        return asking.use(name, given);
      };
      const isNotAsked = async (name: string, given: Record<string, unknown>) => {
        questions.length = 0;
        const result = await asking.use(name, given);
        assert.deepEqual(questions, [], name);
        return result;
      };

      it('mail to an address outside waits for a yes (MCP-13)', async () => {
        const given = { to: ['grace@localhost', 'Eve <eve@elsewhere.example>'], subject: 'Out', text: 'x' };
        await asks('send_message', given, /^Send the message “Out” to “eve@elsewhere\.example”, outside/);
        assert.equal((await sent()).filter((subject: string) => subject === 'Out').length, 1);
        const { id } = await asking.use('save_draft', { bcc: ['eve@elsewhere.example'], subject: 'Draft' });
        await asks('send_message', { id }, /“Draft” to “eve@elsewhere\.example”/);
        await isNotAsked('send_message', { to: ['grace@localhost'], subject: 'In', text: 'x' });
      });

      it('mail about an event to an address outside waits for a yes (MCP-13)', async () => {
        const { calendars } = await asking.use('whoami');
        const given = {
          id: calendars[0].id,
          starts_at: '2032-01-07T09:00:00Z',
          ends_at: '2032-01-07T10:00:00Z',
          attendees: ['eve@elsewhere.example'],
        };
        const { id: event_id } = await isNotAsked('save_event', given);
        await asks('save_event', { ...given, notify: 'all' }, /Send mail about the event to “eve@/);
        await asks('trash_item', { id: given.id, event_id, notify: 'all' }, /eve@elsewhere/);
      });

      it('whatever is shared waits for a yes (MCP-13)', async () => {
        const { id } = await asking.use('write_file', { filename: 'secret.txt', content: 'x' });
        const given = { id, email: 'grace@localhost', role: 'viewer' };
        await asks('share_item', given, /^Share “secret\.txt” with “grace@localhost” as viewer\?$/);
        await asks(
          'call_operation',
          { operation_id: 'shareFile', arguments: { ...given, role: 'editor' } },
          /as editor\?$/,
        );
      });

      it('trashing more than twenty waits for a yes (MCP-13)', async () => {
        const append = async (n: number) =>
          data(
            await app.post('/v1/folders/inbox/messages', `Subject: ${n}\r\n\r\nx\r\n`, {
              headers: { 'content-type': 'message/rfc822' },
            }),
            201,
          ).id;
        const ids: string[] = [];
        for (let n = 0; n < 63; n++) ids.push(await append(n));
        await isNotAsked('change_messages', { message_ids: ids.slice(0, 20), move_to: 'trash' });
        await isNotAsked('change_messages', { message_ids: ids.slice(20, 41), add_labels: ['kept'] });
        await asks(
          'change_messages',
          { message_ids: ids.slice(20, 41), move_to: 'trash' },
          /^Move 21 messages/,
        );
        const trash = data(await app.get('/v1/folders')).find(
          ({ role }: { role?: string }) => role === 'trash',
        ).id;
        await asks(
          'move_messages',
          { folder_id: 'inbox', message_ids: ids.slice(41, 62), to_folder_id: trash },
          /^Move 21 messages to the trash\?$/,
        );
      });

      it('trashing a folder with more than twenty items waits for a yes (MCP-13)', async () => {
        const folder = async (name: string, parent_id = '') =>
          data(await app.post('/v1/file-folders', { name, ...(parent_id && { parent_id }) }), 201)
            .id as string;
        const full = await folder('Full');
        const inner = await folder('Inner', full);
        const few = await folder('Few');
        for (let n = 0; n < 19; n++)
          await asking.use('write_file', { filename: `${n}.txt`, folder_id: inner, content: 'x' });
        await asking.use('write_file', { filename: 'one.txt', folder_id: few, content: 'x' });
        await isNotAsked('trash_item', { id: few });
        await asks('trash_item', { id: full }, /^Move the folder “Full” with more than 20 items/);
      });

      it('a webhook, marked messages and a filter wait for a yes (MCP-13)', async () => {
        for (const [operation_id, given] of [
          ['createWebhook', { url: 'https://evil.example/x', types: ['message.*'] }],
          ['expungeMailFolder', { folder_id: 'trash' }],
        ] as const) {
          says = { action: 'decline' };
          const { structured } = await asking.call('call_operation', { operation_id, arguments: given });
          assert.deepEqual(structured, { declined: true }, operation_id);
        }
        assert.deepEqual(data(await app.get('/v1/webhooks')), []);
      });

      it('a name does not hide the address, nor more recipients than can be (MCP-13, MCP-52)', async () => {
        says = { action: 'decline' };
        for (const to of [
          [`"grace@localhost, outside this workspace? ${'x'.repeat(200)}" <eve@elsewhere.example>`],
          [`${'x'.repeat(60)}@${'y'.repeat(60)}.${'z'.repeat(60)}.example`],
        ]) {
          questions.length = 0;
          await asking.call('send_message', { to, subject: 'Out' });
          const [, address] = /([^<\s]+?)>?$/.exec(to[0] ?? '') ?? [];
          assert.deepEqual(questions, [`Send the message “Out” to “${address}”, outside this workspace?`]);
        }
        questions.length = 0;
        const to = Array.from({ length: 20_000 }, (_, n) => `${n}@elsewhere.example`);
        assert.equal(await asking.refused('send_message', { to, subject: 'Out' }), 'validation_failed');
        assert.deepEqual(questions, []);
      });

      it('what was sent or removed after a yes is not done again (MCP-13, MCP-14)', async () => {
        says = { action: 'accept', confirm: true };
        const draft = await asking.use('save_draft', { to: ['eve@elsewhere.example'], subject: 'Once' });
        const sending = await asking.call('send_message', { id: draft.id });
        const again = await asking.call('send_message', { id: draft.id });
        assert.equal(again.structured.replayed, true, again.texts.join('\n'));
        assert.deepEqual(again.structured.data, sending.structured.data);
        const { calendars } = await asking.use('whoami');
        const [{ id }] = calendars;
        const { id: event_id } = await asking.use('save_event', {
          id,
          starts_at: '2034-01-07T09:00:00Z',
          ends_at: '2034-01-07T10:00:00Z',
          attendees: ['eve@elsewhere.example'],
        });
        await asking.use('trash_item', { id, event_id, notify: 'all' });
        const removed = await asking.call('trash_item', { id, event_id, notify: 'all' });
        assert.equal(removed.structured.replayed, true, removed.texts.join('\n'));
      });

      it('a key that cannot see what it acts on waits for a yes (MCP-13)', async () => {
        const { calendars } = await asking.use('whoami');
        const [{ id }] = calendars;
        const { id: event_id } = await asking.use('save_event', {
          id,
          starts_at: '2035-01-07T09:00:00Z',
          ends_at: '2035-01-07T10:00:00Z',
          attendees: ['eve@elsewhere.example'],
        });
        const folder = data(await app.post('/v1/file-folders', { name: 'Unseen' }), 201);
        const { key } = await makeKey(app, ['calendar.events.write', 'files.read', 'files.write']);
        const weak = await connect({ key, answer: () => ({ action: 'decline' }) });
        for (const given of [{ id, event_id, notify: 'all' }, { id: folder.id }])
          assert.deepEqual((await weak.call('trash_item', given)).structured, { declined: true });
        await weak.close();
      });

      it('keys, codes and members of groups wait for a yes (MCP-13)', async () => {
        const group = data(await app.post('/v1/groups', { name: 'Inner circle', member_ids: [] }), 201);
        const mallory = await makeUser(app, { email: 'mallory@localhost', name: 'Mallory' });
        const { user } = await asking.use('whoami');
        for (const [operation_id, given, question] of [
          ['createApiKey', { name: 'k', preset: 'mail' }, /API key/],
          ['createSignInCode', { id: user.id }, /signs a browser in/],
          ['updateGroup', { id: group.id, member_ids: [mallory.id] }, /who is in the group/],
        ] as const) {
          says = { action: 'decline' };
          questions.length = 0;
          const { structured } = await asking.call('call_operation', { operation_id, arguments: given });
          assert.deepEqual(structured, { declined: true }, operation_id);
          assert.match(questions[0] ?? '', question);
        }
        await isNotAsked('call_operation', {
          operation_id: 'updateGroup',
          arguments: { id: group.id, name: 'Circle' },
        });
        const folder = data(await app.post('/v1/file-folders', { name: 'Plans' }), 201);
        await asks(
          'share_item',
          { id: folder.id, principal_id: mallory.id, role: 'viewer' },
          /^Share “Plans” with the user “Mallory” \(“mallory@localhost”\) as viewer\?$/,
        );
      });

      it('an answer counts for nothing but the call that was asked about (MCP-13)', async () => {
        const given = { to: ['eve@elsewhere.example'], subject: 'Forged', text: 'x' };
        const yes = { confirm: { action: 'accept', content: { confirm: true } } };
        const raw = (params: object) => callByWire(app, 'send_message', params);
        const unasked = (await raw({ arguments: given, inputResponses: yes })).result;
        assert.equal(unasked.resultType, 'input_required');
        const { requestState } = unasked;
        const other = { ...given, to: ['mallory@elsewhere.example'] };
        const swapped = (await raw({ arguments: other, inputResponses: yes, requestState })).result;
        assert.equal(swapped.resultType, 'input_required');
        const forged = await raw({ arguments: given, inputResponses: yes, requestState: `${requestState}x` });
        assert.equal(forged.error.code, -32_602);
        assert.ok(!(await sent()).includes('Forged'));
        const asked = (await raw({ arguments: given, inputResponses: yes, requestState })).result;
        assert.equal(asked.isError, undefined, JSON.stringify(asked));
        assert.ok((await sent()).includes('Forged'));
        const draft = { to: ['eve@elsewhere.example'], subject: 'Draft that changes', text: 'harmless' };
        const { id } = await asking.use('save_draft', draft);
        const first = (await raw({ arguments: { id } })).result;
        await asking.use('save_draft', { ...draft, id, text: 'secret' });
        const state = { inputResponses: yes, requestState: first.requestState };
        assert.equal((await raw({ arguments: { id }, ...state })).result.resultType, 'input_required');
        assert.ok(!(await sent()).includes(draft.subject));
      });
    });
  });
});
