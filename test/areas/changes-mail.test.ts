/** What the change feed tells of mail: each kind of change, who sees it, with which ids, and what is no change. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data, freshAddress, makeKey, makeUser, makeWorkspace } from './accounts.ts';
import { directoryOf, mbox, runImport } from './mail-import-world.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

runWorksTwice();

const TYPES = '&types=message.*&types=folder.*&types=filter.*';
const SUBJECT = [{ field: 'subject', op: 'contains', value: 'engine' }];

interface Seen {
  type: string;
  ids: Record<string, string | string[]>;
  actor: { user_id: string; key_id: string } | null;
}

/** A user with a mailbox and a key to it. */
interface Person {
  id: string;
  email: string;
  key: string;
  keyId: string;
  inbox: string;
}

forEachEngine((engine) => {
  describe('what the change feed tells of mail', () => {
    let relay: TestRelay;
    let app: TestApp;
    let ada: Person;

    before(async () => {
      relay = await startRelay(0, { user: 'atrium', pass: 'secret' });
      app = await startApp(engine, { ATRIUM_DOMAIN: 'example.org', ATRIUM_SMTP_RELAY: relay.url });
    });
    after(async () => {
      await app.stop();
      await relay.stop();
    });
    beforeEach(async () => {
      ada = await person();
    });

    async function person(): Promise<Person> {
      const { id, email } = await makeUser(app);
      const { key, id: keyId } = await makeKey(app, ALL_PERMISSIONS, { user_id: id });
      return { id, email, key, keyId, inbox: await folderOf(app, 'inbox', key) };
    }

    const by = ({ key }: Person) => ({ key });
    const post = async (path: string, body: unknown, who = ada, status = 200) =>
      data(await app.post(path, body, by(who)), status);
    const put = async (path: string, body: unknown, who = ada) => data(await app.put(path, body, by(who)));
    const appended = async (draft = {}, query = '', folder = ada.inbox): Promise<string> =>
      (await append(app, folder, rfc822(draft), { query, key: ada.key })).id;
    const newFolder = async (name: string = randomUUID(), who = ada): Promise<string> =>
      (await post('/v1/folders', { name }, who, 201)).id;
    const newFilter = async (actions: object[], who = ada): Promise<string> =>
      (
        await post(
          '/v1/mail/filters',
          { name: 'A filter', priority: 1, rule: { conditions: SUBJECT, actions } },
          who,
          201,
        )
      ).id;
    const flag = (folder: string, ids: string[], change: object) =>
      post(`/v1/folders/${folder}/messages/flags`, { message_ids: ids, op: 'add', ...change });
    const move = (folder: string, ids: string[], to: string) =>
      post(`/v1/folders/${folder}/messages/move`, { message_ids: ids, to_folder_id: to });
    const send = (body: object, who = ada) => post('/v1/messages', { subject: 'Hello', ...body }, who, 201);

    async function deliver(to: Person[], raw: string): Promise<void> {
      const client = await greeted(app.smtp.port);
      const reply = await client.transact(
        to.map(({ email }) => email),
        raw,
      );
      assert.equal(reply.code, 250, reply.lines.join());
      client.close();
    }

    async function messagesOf(who: Person, folder = who.inbox): Promise<string[]> {
      const messages = data(await app.get(`/v1/messages?folder_id=${folder}&limit=200`, by(who)));
      return messages.map(({ id }: { id: string }) => id);
    }

    /**
     * Everything that somebody sees of what was done in between. A new folder marks begin and end: what was done before
     * may still be unsettled when a cursor is taken, and a feed that tells nothing more may just not have told it yet.
     */
    async function whatIsSeenOf(act: () => Promise<unknown>, who = ada): Promise<Seen[]> {
      const { cursor } = data(await app.get('/v1/changes', by(who)));
      const begin = await newFolder(undefined, who);
      await act();
      const end = await newFolder(undefined, who);
      const seen: Seen[] = [];
      const isSeen = (id: string) => seen.findIndex(({ ids }) => ids.folder_id === id);
      for (let from = cursor; isSeen(end) < 0; ) {
        const page = data(await app.get(`/v1/changes?cursor=${from}${TYPES}&wait=20`, by(who)));
        seen.push(...page.changes);
        from = page.cursor;
      }
      return seen.slice(isSeen(begin) + 1, isSeen(end));
    }

    const told = async (act: () => Promise<unknown>, who = ada) =>
      (await whatIsSeenOf(act, who)).map(({ type, ids }) => [type, ids]);

    it('a message that is appended is created in its folder, by the key that appended it (CHANGE-2, CHANGE-20)', async () => {
      let id = '';
      const [created, ...more] = await whatIsSeenOf(async () => {
        id = await appended({}, '?flag=read&label=a');
      });
      assert.deepEqual(more, []);
      assert.partialDeepStrictEqual(created, {
        type: 'message.created',
        ids: { folder_id: ada.inbox, message_ids: [id] },
        actor: { user_id: ada.id, key_id: ada.keyId },
      });
    });

    it('nobody else sees what happens in a mailbox, in the workspace or elsewhere', async () => {
      const others = [
        await person(),
        { ...(await person()), key: (await makeWorkspace(app)).key },
        { ...(await person()), key: OWNER_KEY },
      ];
      for (const other of others) assert.deepEqual(await told(() => appended(), other), []);
    });

    it('a message that mail brings is created in each mailbox, by nobody, for its owner only (CHANGE-21)', async () => {
      const bob = await person();
      const seenByBob = await whatIsSeenOf(async () => {
        const [seen, ...more] = await whatIsSeenOf(() => deliver([ada, bob], rfc822()));
        assert.deepEqual([seen?.actor, more], [null, []]);
        assert.deepEqual(seen?.ids, { folder_id: ada.inbox, message_ids: await messagesOf(ada) });
      }, bob);
      assert.deepEqual(
        seenByBob.map(({ type, ids, actor }) => [type, ids, actor]),
        [['message.created', { folder_id: bob.inbox, message_ids: await messagesOf(bob) }, null]],
      );
    });

    it('a message that a filter discards is no change, and one that it moves is created where it is, in a folder that is created (CHANGE-21, CHANGE-27)', async () => {
      const bob = await person();
      await newFilter([{ type: 'discard' }]);
      await newFilter(
        [
          { type: 'move', folder: 'A/B' },
          { type: 'set_flag', flag: 'starred' },
        ],
        bob,
      );
      const seenByBob = await told(async () => {
        assert.deepEqual(await told(() => deliver([ada, bob], rfc822({ subject: 'engine' }))), []);
      }, bob);
      const folders = data(await app.get('/v1/folders', by(bob)));
      const idOf = (name: string) => folders.find((folder: { name: string }) => folder.name === name).id;
      assert.deepEqual(seenByBob, [
        ['folder.created', { folder_id: idOf('A') }],
        ['folder.created', { folder_id: idOf('B') }],
        ['message.created', { folder_id: idOf('B'), message_ids: await messagesOf(bob, idOf('B')) }],
      ]);
    });

    it('sending creates the copy in Sent and the messages of local recipients, and a reply changes what it answers (CHANGE-20, CHANGE-21, CHANGE-22)', async () => {
      const bob = await person();
      const answered = await appended({ messageId: `<${randomUUID()}@example.org>` });
      const reply = { to: [bob.email, ada.email], reply_to_message_id: answered };
      let copy = '';
      const seenByBob = await whatIsSeenOf(async () => {
        const seen = await told(async () => {
          copy = (await send(reply)).id;
        });
        const received = (await messagesOf(ada)).filter((id) => id !== answered);
        const sent = await folderOf(app, 'sent', ada.key);
        assert.deepEqual(seen, [
          ['message.changed', { folder_id: ada.inbox, message_ids: [answered] }],
          ['message.created', { folder_id: sent, message_ids: [copy] }],
          ['message.created', { folder_id: ada.inbox, message_ids: received }],
        ]);
      }, bob);
      assert.deepEqual(
        seenByBob.map(({ ids, actor }) => [ids, actor]),
        [
          [
            { folder_id: bob.inbox, message_ids: await messagesOf(bob) },
            { user_id: ada.id, key_id: ada.keyId },
          ],
        ],
      );
      // It is answered already.
      const again = await whatIsSeenOf(() => send({ ...reply, to: [ada.email] }));
      assert.deepEqual(
        again.map(({ type }) => type),
        ['message.created', 'message.created'],
      );
    });

    it('a refused sending and a replayed one create nothing (CHANGE-1)', async () => {
      const idempotencyKey = randomUUID();
      const once = () =>
        app.post('/v1/messages', { to: [ada.email], subject: 'Once' }, { ...by(ada), idempotencyKey });
      assert.equal((await once()).status, 201);
      const seen = await told(async () => {
        assert.equal((await once()).headers.get('idempotency-replayed'), 'true');
        const to = [ada.email, freshAddress()];
        assert.equal((await app.post('/v1/messages', { to }, by(ada))).status, 422);
      });
      assert.deepEqual(seen, []);
    });

    it('a bounce is created in the inbox of who has sent, by nobody (CHANGE-20, CHANGE-21)', async () => {
      relay.recipientReply = () => [550, '5.1.1 No such user'];
      const seen = await whatIsSeenOf(async () => {
        await send({ to: ['far@away.test'] });
        await eventually(async () => (await messagesOf(ada)).length === 1, 'the bounce is there');
      });
      relay.recipientReply = () => undefined;
      const sent = await folderOf(app, 'sent', ada.key);
      assert.deepEqual(
        seen.map(({ ids: { folder_id }, actor }) => [folder_id, actor?.user_id]),
        [
          [sent, ada.id],
          [ada.inbox, undefined],
        ],
      );
      assert.deepEqual(seen[1]?.ids.message_ids, await messagesOf(ada));
    });

    it('an import is one change for what a transaction added, and none where everything was there (CHANGE-20, CHANGE-27)', async (t) => {
      const drafts = Array.from({ length: 3 }, (_, i) => rfc822({ subject: `${i}` }));
      const directory = await directoryOf(t, { box: mbox(drafts) });
      const run = async () => {
        const { code, stderr } = await runImport(app, [ada.email, directory, '--folder', 'Imported']);
        assert.deepEqual([code, stderr], [0, '']);
      };
      const seen = await whatIsSeenOf(run);
      const folders = data(await app.get('/v1/folders', by(ada)));
      const { id } = folders.find(({ name }: { name: string }) => name === 'Imported');
      assert.deepEqual(
        seen.map(({ type, actor }) => [type, actor]),
        [
          ['folder.created', null],
          ['message.created', null],
        ],
      );
      const { folder_id, message_ids } = seen[1]?.ids ?? {};
      assert.equal(folder_id, id);
      assert.deepEqual([...(message_ids ?? [])].sort(), (await messagesOf(ada, id)).sort());
      assert.deepEqual(await told(run), []);
    });

    it('flags and labels that change name those that had others (CHANGE-22)', async () => {
      const [one, two, three] = [await appended(), await appended({}, '?flag=starred'), await appended()];
      const seen = await told(async () => {
        await flag(ada.inbox, [one, two, three], { flags: ['starred'] });
        await flag(ada.inbox, [two, one], { labels: ['a'] });
        await flag(ada.inbox, [one, two], { flags: ['starred'], labels: ['a'] });
      });
      assert.deepEqual(seen, [
        ['message.changed', { folder_id: ada.inbox, message_ids: [one, three] }],
        ['message.changed', { folder_id: ada.inbox, message_ids: [two, one] }],
      ]);
    });

    it('a message that joins two threads changes those of the smaller one (CHANGE-23)', async () => {
      const [a, b] = [randomUUID(), randomUUID()].map((name) => `<${name}@example.org>`);
      const archive = await newFolder();
      await appended({ messageId: a });
      await appended({ inReplyTo: a });
      const moved = await appended({ messageId: b }, '', archive);
      await appended({ inReplyTo: b }, '?flag=deleted');
      await post(`/v1/folders/${ada.inbox}/expunge`, undefined);
      let bridge = '';
      const seen = await told(async () => {
        bridge = await appended({ references: [a ?? '', b ?? ''] });
      });
      assert.deepEqual(seen, [
        ['message.changed', { message_ids: [moved] }],
        ['message.created', { folder_id: ada.inbox, message_ids: [bridge] }],
      ]);
    });

    it('messages that move are one change with both folders, and those that stay are none (CHANGE-24)', async () => {
      const ids = [await appended(), await appended()];
      const to = await newFolder();
      const seen = await told(async () => {
        await move(ada.inbox, ids, ada.inbox);
        await move(ada.inbox, ids, to);
        const elsewhere = await app.post(
          `/v1/folders/${ada.inbox}/messages/move`,
          { message_ids: ids, to_folder_id: to },
          by(ada),
        );
        assert.equal(elsewhere.json.error.code, 'messages_not_in_folder');
      });
      assert.deepEqual(seen, [
        ['message.moved', { from_folder_id: ada.inbox, folder_id: to, message_ids: ids }],
      ]);
    });

    it('a filter that is applied to a folder changes and moves what it matches (CHANGE-22, CHANGE-24)', async () => {
      const engines = [
        await appended({ subject: 'engine' }),
        await appended({ subject: 'engine' }, '?flag=read'),
      ];
      await appended({ subject: 'loom' });
      const to = await newFolder('Engines');
      const id = await newFilter([{ type: 'mark_read' }, { type: 'move', folder: 'Engines' }]);
      const apply = () => post(`/v1/mail/filters/${id}/apply`, { folder_id: ada.inbox });
      const [flagged, moved, ...more] = await told(apply);
      assert.deepEqual(flagged, [
        'message.changed',
        { folder_id: ada.inbox, message_ids: engines.slice(0, 1) },
      ]);
      assert.partialDeepStrictEqual(moved, ['message.moved', { from_folder_id: ada.inbox, folder_id: to }]);
      const { message_ids } = (moved?.[1] ?? {}) as Seen['ids'];
      assert.deepEqual([[...(message_ids ?? [])].sort(), more], [engines.sort(), []]);
      assert.deepEqual(await told(apply), []);
    });

    it('what leaves a folder at its expunge is one change, of more than a portion too, and the rest is none (CHANGE-25)', async () => {
      await appended();
      const starred = await appended({}, '?flag=deleted&flag=starred');
      const plain = await Promise.all(Array.from({ length: 260 }, () => appended({}, '?flag=deleted')));
      const expunge = () => post(`/v1/folders/${ada.inbox}/expunge`, undefined);
      const [seen, ...more] = await whatIsSeenOf(expunge);
      assert.deepEqual([seen?.type, seen?.ids.folder_id, more], ['message.expunged', ada.inbox, []]);
      assert.deepEqual([...(seen?.ids.message_ids ?? [])].sort(), [starred, ...plain].sort());
      assert.deepEqual(await told(expunge), []);
    });

    it('a message that is restored names the folder where it is, and one that was not expunged is none (CHANGE-26)', async () => {
      const folder = await newFolder();
      const id = await appended({}, '?flag=deleted', folder);
      await post(`/v1/folders/${folder}/expunge`, undefined);
      const seen = await told(async () => {
        await post(`/v1/messages/${id}/restore`, undefined);
        await post(`/v1/messages/${id}/restore`, undefined);
        assert.equal((await app.post('/v1/messages/msg_none/restore', undefined, by(ada))).status, 404);
      });
      assert.deepEqual(seen, [['message.restored', { folder_id: folder, message_ids: [id] }]]);
    });

    it('a folder is created, and changed by another name or parent alone (CHANGE-27, CHANGE-28)', async () => {
      const parent = await newFolder();
      let folder = '';
      const seen = await told(async () => {
        folder = (await post('/v1/folders', { name: 'Old', parent_id: parent }, ada, 201)).id;
        await put(`/v1/folders/${folder}`, { name: 'New' });
        await put(`/v1/folders/${folder}`, { name: 'New', parent_id: parent });
        await put(`/v1/folders/${folder}`, { parent_id: '' });
        // What is below goes along.
        await put(`/v1/folders/${parent}`, { parent_id: folder });
        const taken = { name: 'Inbox', parent_id: '' };
        assert.equal((await app.put(`/v1/folders/${folder}`, taken, by(ada))).status, 409);
      });
      assert.deepEqual(seen, [
        ['folder.created', { folder_id: folder }],
        ['folder.changed', { folder_id: folder }],
        ['folder.changed', { folder_id: folder }],
        ['folder.changed', { folder_id: parent }],
      ]);
    });

    /** What is kept for somebody of a type, in order: nobody has a cursor from before they were there. */
    async function kept({ services }: TestApp, viewer: string, type: string): Promise<Seen['ids'][]> {
      const rows = await services.database.read((tx) =>
        tx
          .selectFrom('changes')
          .select('ids')
          .where('viewer', '=', viewer)
          .where('type', '=', type)
          .orderBy('number')
          .execute(),
      );
      return rows.map(({ ids }) => JSON.parse(ids));
    }

    it('the folders of a new mailbox are created for its owner (CHANGE-27)', async () => {
      const folders = data(await app.get('/v1/folders', by(ada)));
      assert.deepEqual(
        await kept(app, ada.id, 'folder.created'),
        folders.map(({ id }: { id: string }) => ({ folder_id: id })),
      );
    });

    it('the welcome creates its message (CHANGE-20)', async (t) => {
      const welcoming = await startApp(engine, { ATRIUM_WELCOME: 'on' });
      t.after(() => welcoming.stop());
      const owner = data(await welcoming.get('/v1/users/me')).id;
      const inbox = await folderOf(welcoming, 'inbox');
      const [{ id }] = data(await welcoming.get(`/v1/messages?folder_id=${inbox}`));
      assert.deepEqual(await kept(welcoming, owner, 'message.created'), [
        { folder_id: inbox, message_ids: [id] },
      ]);
    });

    it('a filter is created, changed by another rule or place, and deleted, each for its owner (CHANGE-29)', async () => {
      const rule = { match: 'all', conditions: SUBJECT, actions: [{ type: 'discard' }] };
      let id = '';
      const seen = await told(async () => {
        id = (await post('/v1/mail/filters', { name: 'One', priority: 1, rule }, ada, 201)).id;
        const path = `/v1/mail/filters/${id}`;
        await put(path, { priority: 2 });
        const changed = await put(path, { rule: { ...rule, match: 'any' } });
        const same = { name: 'One', priority: 2, enabled: true, rule: { ...rule, match: 'any' } };
        assert.deepEqual(await put(path, same), changed);
        await put(path, { enabled: false });
        assert.equal((await app.delete(path, by(ada))).status, 204);
        assert.equal((await app.delete(path, by(ada))).status, 404);
        assert.equal((await app.put(path, { priority: 3 }, by(ada))).status, 404);
      });
      assert.deepEqual(
        seen,
        ['created', 'changed', 'changed', 'changed', 'deleted'].map((event) => [
          `filter.${event}`,
          { filter_id: id },
        ]),
      );
    });
  });
});
