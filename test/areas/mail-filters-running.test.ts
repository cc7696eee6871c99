import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { applyFilter, findToApply } from '../../src/areas/mail/filters/apply-filter.ts';
import { changedFlags } from '../../src/areas/mail/filters/evaluation.ts';
import { filterArrival, textsOf } from '../../src/areas/mail/filters/filter-arrival.ts';
import { FolderScan } from '../../src/areas/mail/filters/folder-scan.ts';
import type { MailboxOwner } from '../../src/areas/mail/service.ts';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { Thread } from '../../src/turns/thread.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data, makeKey, makeUser, makeWorkspace } from './accounts.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

runWorksTwice();

const FILTERS = '/v1/mail/filters';

type Condition = { field: string; op: string; value: string };
type Action = { type: string; folder?: string; flag?: string };

function rule(actions: Action[], conditions: Condition[] = [subject('engine')], match = 'all') {
  return { match, conditions, actions };
}

function subject(value: string): Condition {
  return { field: 'subject', op: 'contains', value };
}

function header(name: string, value: string): Condition {
  return { field: `header:${name}`, op: 'contains', value };
}

forEachEngine((engine) => {
  describe('running mail filters', () => {
    let app: TestApp;
    let owner: MailboxOwner;
    let key: string;
    let inbox: string;

    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    /** Each test has a mailbox of its own. */
    beforeEach(async () => {
      const { id, email } = await makeUser(app);
      ({ key } = await makeKey(app, ALL_PERMISSIONS, { user_id: id }));
      const found = await app.services.database.read((tx) => app.services.directory.findUser(tx, email));
      assert.ok(found);
      owner = { workspaceId: found.workspaceId, userId: id };
      inbox = await folderOf(app, 'inbox', key);
    });

    async function filter(priority: number, given: object, fields: object = {}) {
      const body = { name: `Filter ${priority}`, priority, rule: given, ...fields };
      return data(await app.post(FILTERS, body, { key }), 201);
    }

    /** Lets a message arrive as a delivery does; answers its full record, nothing when it is discarded. */
    async function arrive(raw: string) {
      const { mail, database } = app.services;
      const staged = await mail.receive(
        (async function* () {
          yield Buffer.from(raw);
        })(),
      );
      const stored = await database.write(async (tx) => {
        const filtered = await filterArrival(tx, owner, textsOf(staged.parsed, staged.size));
        if (filtered.discarded) return undefined;
        const arrival = {
          folderId: filtered.folder?.id ?? inbox,
          flags: changedFlags(0, filtered.flags),
          labels: [],
          threading: true,
          deliveredAt: Date.now(),
          applied: filtered.applied,
        };
        return JSON.parse((await mail.append(tx, owner, arrival, staged)).text);
      });
      return stored && data(await app.get(`/v1/messages/${stored.id}`, { key }));
    }

    async function folders(): Promise<
      Record<string, { id: string; message_count: number; unread_count: number }>
    > {
      const all = data(await app.get('/v1/folders', { key }));
      const byId = new Map(all.map((folder: { id: string }) => [folder.id, folder]));
      const path = (folder: { name: string; parent_id: string }): string => {
        const parent = byId.get(folder.parent_id) as typeof folder | undefined;
        return parent ? `${path(parent)}/${folder.name}` : folder.name;
      };
      return Object.fromEntries(
        all.map((folder: { name: string; parent_id: string }) => [path(folder), folder]),
      );
    }

    describe('over a message that arrives', () => {
      it('filters act on large messages by mail, by the API, and on those already there, and on none that is appended (FILTER-15, MAIL-65, SMTP-10)', async () => {
        const word = 'engine ';
        const body = { field: 'body', op: 'contains', value: `${word}${word}end` };
        await filter(1, rule([{ type: 'move', folder: 'Large' }], [body]));
        const { email } = data(await app.get('/v1/users/me', { key }));
        const text = `${`${word}\r\n`.repeat(20_000)}${word}${word}end`;
        const client = await greeted(app.smtp.port);
        await client.transact([email], `Subject: x\r\n\r\n${text}\r\n`);
        client.close();
        data(await app.post('/v1/messages', { to: [email], subject: 'x', text }, { key }), 201);
        const { json } = await app.get('/v1/folders', { key });
        const large = json.data.find(({ name }: { name: string }) => name === 'Large').id;
        const messages = async (folder: string) =>
          data(await app.get(`/v1/messages?folder_id=${folder}`, { key }));
        assert.equal((await messages(large)).length, 2);
        assert.equal((await messages(inbox)).length, 0);
        await append(app, inbox, `Subject: x\r\n\r\n${text}\r\n`, { key });
        const { id } = await filter(2, rule([{ type: 'mark_read' }], [body]));
        const previewed = data(
          await app.post(`${FILTERS}/preview`, { rule: rule([{ type: 'mark_read' }], [body]) }, { key }),
        );
        assert.equal(previewed.matched, 4);
        const applied = data(await app.post(`${FILTERS}/${id}/apply`, { folder_id: inbox }, { key }));
        assert.deepEqual(applied, { scanned: 1, matched: 1, changed: 1 });
      });

      it('changes nothing where none matches', async () => {
        await filter(1, rule([{ type: 'discard' }], [subject('nothing')]));
        const message = await arrive(rfc822());
        assert.equal(message.folder_id, inbox);
        assert.deepEqual(message.applied_filters, []);
        assert.deepEqual(new Set(Object.values(message.flags)), new Set([false]));
      });

      it('a message takes the folder of the last filter that names one, adds up flags, and shows who did what (FILTER-18, FILTER-22, FILTER-24, FILTER-25, FILTER-31, MAIL-43)', async () => {
        const last = await filter(30, rule([{ type: 'set_flag', flag: 'answered' }]));
        const first = await filter(
          -5,
          rule([
            { type: 'move', folder: 'Lists' },
            { type: 'mark_read' },
            { type: 'set_flag', flag: 'starred' },
          ]),
        );
        const second = await filter(
          10,
          rule([{ type: 'move', folder: 'Lists/Engines/2026' }, { type: 'mark_unread' }]),
        );
        const message = await arrive(rfc822({ subject: 'The ENGINE' }));
        assert.equal(message.folder_id, (await folders())['Lists/Engines/2026']?.id);
        assert.deepEqual(message.flags, {
          read: false,
          starred: true,
          answered: true,
          draft: false,
          deleted: false,
        });
        assert.deepEqual(
          message.applied_filters,
          [first, second, last].map(({ id, name, rule: { actions } }) => ({ filter_id: id, name, actions })),
        );
        assert.equal((await app.delete(`${FILTERS}/${first.id}`, { key })).status, 204);
        const later = data(await app.get(`/v1/messages/${message.id}`, { key }));
        assert.deepEqual(later.applied_filters, message.applied_filters);
      });

      it('a filter that cannot be evaluated in time does not match (FILTER-26)', async (t) => {
        const conditions = Array(100).fill({ field: 'body', op: 'contains', value: 'word '.repeat(200) });
        await filter(1, rule([{ type: 'discard' }], conditions));
        const { email } = data(await app.get('/v1/users/me', { key }));
        const send = async () =>
          data(await app.post('/v1/messages', { to: [email], text: 'word '.repeat(100_000) }, { key }), 201);
        const arrived = async () => data(await app.get(`/v1/messages?folder_id=${inbox}`, { key }));
        await send();
        assert.deepEqual(await arrived(), []);
        const asked = t.mock.method(Thread.prototype, 'ask', () => Promise.reject(new Error('too late')));
        await send();
        asked.mock.restore();
        assert.ok(asked.mock.callCount() > 0);
        assert.equal((await arrived()).length, 1);
      });

      it('the later of two filters of equal priority wins (FILTER-3, FILTER-25)', async () => {
        await filter(1, rule([{ type: 'mark_read' }]));
        await filter(1, rule([{ type: 'mark_unread' }]));
        assert.equal((await arrive(rfc822())).flags.read, false);
        await filter(1, rule([{ type: 'set_flag', flag: 'read' }]));
        assert.equal((await arrive(rfc822())).flags.read, true);
      });

      it('a message is discarded when any matching filter says so, and no folder is made then (FILTER-18, FILTER-23)', async () => {
        await filter(1, rule([{ type: 'discard' }]));
        await filter(2, rule([{ type: 'move', folder: 'Never made' }]));
        assert.equal(await arrive(rfc822()), undefined);
        assert.equal((await folders())['Never made'], undefined);
      });

      it('filters do not run that are disabled, or of others (FILTER-4)', async () => {
        const { id } = await filter(1, rule([{ type: 'mark_read' }]), { enabled: false });
        data(await app.post(FILTERS, { name: 'x', priority: 1, rule: rule([{ type: 'discard' }]) }), 201);
        assert.equal((await arrive(rfc822())).flags.read, false);
        await app.put(`${FILTERS}/${id}`, { enabled: true }, { key });
        assert.equal((await arrive(rfc822())).flags.read, true);
      });

      it('a filter moves into the folder that has the name already (FILTER-18)', async () => {
        await filter(1, rule([{ type: 'move', folder: 'Archive' }]));
        assert.equal((await arrive(rfc822())).folder_id, await folderOf(app, 'archive', key));
      });

      it('runs a thousand', async () => {
        const { workspaceId, userId } = owner;
        const rows = Array.from({ length: 1_000 }, (_, i) => ({
          workspace_id: workspaceId,
          user_id: userId,
          id: `flt_${userId}_${String(i).padStart(4, '0')}`,
          name: `${i}`,
          priority: i,
          enabled: 1,
          rule: JSON.stringify(rule([{ type: 'move', folder: `F${i}` }], [subject(`<${i % 500}>`)])),
          created_at: 0,
          updated_at: 0,
        }));
        await app.services.database.write(async (tx) => {
          for (let i = 0; i < rows.length; i += 100)
            await tx
              .insertInto('mail_filters')
              .values(rows.slice(i, i + 100))
              .execute();
        });
        const message = await arrive(rfc822({ subject: 'number <123> of <7>' }));
        assert.deepEqual(
          message.applied_filters.map(({ name }: { name: string }) => name),
          ['7', '123', '507', '623'],
        );
        assert.equal(message.folder_id, (await folders()).F623?.id);
      });
    });

    describe('as a preview', () => {
      const preview = (given: object, more: object = {}) =>
        app.post(`${FILTERS}/preview`, { rule: given, ...more }, { key, idempotencyKey: null });

      it('a preview tells which mail would match, newest first, in a folder or everywhere (FILTER-33, FILTER-34)', async () => {
        const archive = await folderOf(app, 'archive', key);
        const date = (day: number) => new Date(Date.UTC(2026, 2, day));
        const old = await append(app, inbox, rfc822({ receivedAt: date(1), subject: 'engine 1' }), { key });
        const far = await append(app, archive, rfc822({ receivedAt: date(3), subject: 'ENGINE 3' }), {
          key,
          query: '?flag=read&label=a',
        });
        await append(app, inbox, rfc822({ receivedAt: date(4), subject: 'loom' }), { key });
        const young = await append(app, inbox, rfc822({ receivedAt: date(5), subject: 'engine 5' }), { key });
        const given = rule([{ type: 'discard' }]);
        assert.deepEqual(data(await preview(given)), { scanned: 4, matched: 3, messages: [young, far, old] });
        assert.deepEqual(data(await preview(given, { folder_id: inbox })), {
          scanned: 3,
          matched: 2,
          messages: [young, old],
        });
        assert.deepEqual(data(await preview(given, { limit: 1 })), {
          scanned: 4,
          matched: 3,
          messages: [young],
        });
        assert.deepEqual(data(await preview(given, { limit: 1_000 })).matched, 3);
        assert.deepEqual(data(await app.get(`/v1/messages/${old.id}`, { key })).folder_id, inbox);
      });

      it('a preview shows 25 messages, or as many as are asked for up to 100 (FILTER-34)', async () => {
        for (let i = 0; i < 101; i++) await append(app, inbox, rfc822(), { key });
        const shown = async (more: object) => {
          const { matched, messages } = data(await preview(rule([{ type: 'discard' }]), more));
          return [matched, messages.length];
        };
        assert.deepEqual(await shown({}), [101, 25]);
        assert.deepEqual(await shown({ limit: 40 }), [101, 40]);
        assert.deepEqual(await shown({ limit: 1_000 }), [101, 100]);
      });

      it('a preview looks at recipients, bodies and headers as they were when the message arrived, small messages and large (FILTER-14, FILTER-15, FILTER-16)', async () => {
        const raw = (fields: string, body: string) => `From: Ada <ada@x.example>\r\n${fields}\r\n\r\n${body}`;
        const plain = await append(
          app,
          inbox,
          raw('To: Bob <bob@x.example>\r\nX-Tag: =?utf-8?Q?gr=C3=BCn?=', 'a word'),
          { key },
        );
        const html = await append(
          app,
          inbox,
          raw('Cc: cy@x.example\r\nContent-Type: text/html\r\nX-Tag: red', '<p>one <b>wo</b>rd</p>'),
          { key },
        );
        const large = await append(
          app,
          inbox,
          raw('X-Other: 1\r\nX-Tag: Blue', `${'filler '.repeat(40_000)} last`),
          { key },
        );
        const found = async (field: string, op: string, value: string) => {
          const { messages, scanned } = data(
            await preview(rule([{ type: 'mark_read' }], [{ field, op, value }])),
          );
          assert.equal(scanned, 3);
          return messages.map(({ id }: { id: string }) => id).toSorted();
        };
        assert.deepEqual(await found('to', 'equals', 'BOB@x.example'), [plain.id]);
        assert.deepEqual(await found('cc', 'contains', 'cy'), [html.id]);
        assert.deepEqual(await found('body', 'contains', 'word'), [plain.id, html.id]);
        assert.deepEqual(await found('body', 'ends_with', 'last'), [large.id]);
        assert.deepEqual(await found('body', 'contains', '<b>'), []);
        assert.deepEqual(await found('header:x-tag', 'equals', 'GRÜN'), [plain.id]);
        assert.deepEqual(await found('header:X-TAG', 'equals', 'blue'), [large.id]);
        assert.deepEqual(await found('from', 'starts_with', 'ada'), [plain.id, html.id, large.id]);
      });

      it('refuses an unknown folder, and one of others', async () => {
        const theirs = await folderOf(app, 'inbox');
        for (const folder of [theirs, 'fld_x', '']) {
          const answer = await preview(rule([{ type: 'discard' }]), { folder_id: folder });
          assert.equal(answer.status, 404, answer.text);
        }
      });
    });

    describe('over mail already there', () => {
      const apply = (filterId: string, folderId: string, options: object = {}) =>
        app.post(`${FILTERS}/${filterId}/apply`, { folder_id: folderId }, { key, ...options });

      async function three() {
        return [
          await append(app, inbox, rfc822({ subject: 'engine 1' }), { key, query: '?label=a' }),
          await append(app, inbox, rfc822({ subject: 'engine 2' }), { key, query: '?flag=starred' }),
          await append(app, inbox, rfc822({ subject: 'loom' }), { key }),
        ];
      }

      it('a filter that is applied moves and flags what matches, and answers the counts (FILTER-35)', async () => {
        const [one] = await three();
        const { id } = await filter(
          1,
          rule([
            { type: 'move', folder: 'A/B' },
            { type: 'set_flag', flag: 'starred' },
            { type: 'mark_read' },
          ]),
          { enabled: false },
        );
        assert.deepEqual(data(await apply(id, inbox)), { scanned: 3, matched: 2, changed: 2 });
        const all = await folders();
        assert.deepEqual(
          [all.Inbox?.message_count, all['A/B']?.message_count, all['A/B']?.unread_count],
          [1, 2, 0],
        );
        const listed = data(
          await app.get(`/v1/messages?folder_id=${all['A/B']?.id}&flag=starred&flag=read`, { key }),
        );
        assert.equal(listed.length, 2);
        const labelled = data(await app.get(`/v1/messages?folder_id=${all['A/B']?.id}&label=a`, { key }));
        assert.deepEqual(
          labelled.map((message: { id: string }) => message.id),
          [one.id],
        );
        assert.deepEqual(data(await apply(id, inbox)), { scanned: 1, matched: 0, changed: 0 });
        assert.deepEqual(data(await apply(id, all['A/B']?.id ?? '')), { scanned: 2, matched: 2, changed: 0 });
      });

      it('a filter that is applied counts as changed only what has other flags than before (FILTER-35)', async () => {
        await three();
        const { id } = await filter(
          1,
          rule([{ type: 'set_flag', flag: 'starred' }, { type: 'mark_unread' }]),
        );
        assert.deepEqual(data(await apply(id, inbox)), { scanned: 3, matched: 2, changed: 1 });
        assert.deepEqual(data(await apply(id, inbox)), { scanned: 3, matched: 2, changed: 0 });
      });

      it('a filter that is applied moves to the trash what it would discard (FILTER-36)', async () => {
        await three();
        const { id } = await filter(1, rule([{ type: 'move', folder: 'Not made' }, { type: 'discard' }]));
        assert.deepEqual(data(await apply(id, inbox)), { scanned: 3, matched: 2, changed: 2 });
        const trash = await folderOf(app, 'trash', key);
        assert.equal(data(await app.get(`/v1/messages?folder_id=${trash}`, { key })).length, 2);
        assert.equal((await folders())['Not made'], undefined);
        assert.deepEqual(data(await apply(id, trash)), { scanned: 2, matched: 2, changed: 0 });
      });

      it('makes no folder where nothing matches', async () => {
        const { id } = await filter(1, rule([{ type: 'move', folder: 'Empty' }]));
        assert.deepEqual(data(await apply(id, inbox)), { scanned: 0, matched: 0, changed: 0 });
        assert.equal((await folders()).Empty, undefined);
      });

      it('answers a repeat from what it kept, without another look', async (t) => {
        await three();
        const { id } = await filter(1, rule([{ type: 'mark_read' }]));
        const options = { idempotencyKey: randomUUID() };
        const [first, duplicate] = await Promise.all([apply(id, inbox, options), apply(id, inbox, options)]);
        assert.deepEqual(data(first), { scanned: 3, matched: 2, changed: 2 });
        assert.equal(duplicate?.text, first?.text);
        await append(app, inbox, rfc822({ subject: 'engine 4' }), { key });
        const looking = t.mock.method(FolderScan.prototype, 'scan');
        const again = await apply(id, inbox, options);
        assert.equal(looking.mock.callCount(), 0);
        assert.equal(again.text, first?.text);
        assert.equal(again.headers.get('idempotency-replayed'), 'true');
        const unread = data(await app.get(`/v1/messages?folder_id=${inbox}&unread=true`, { key }));
        assert.equal(unread.length, 2);
      });

      it('refuses filters and folders that are unknown or of others, and keeps the answer', async () => {
        const { id } = await filter(1, rule([{ type: 'mark_read' }]));
        const stranger = await makeWorkspace(app);
        const theirs = await folderOf(app, 'inbox', stranger.key);
        const options = { idempotencyKey: randomUUID() };
        for (const answer of [
          await apply(id, theirs),
          await apply(id, 'fld_none', options),
          await apply('flt_none', inbox),
          await apply(id, inbox, { key: stranger.key }),
        ]) {
          assert.equal(answer.status, 404, answer.text);
        }
        const again = await apply(id, 'fld_none', options);
        assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [404, 'true']);
      });

      it('leaves alone what has left the folder since it was looked at', async () => {
        const [one] = await three();
        const archive = await folderOf(app, 'archive', key);
        const { id } = await filter(1, rule([{ type: 'mark_read' }, { type: 'discard' }]));
        const place = { filterId: id, folderId: inbox };
        const matched = await findToApply(app.services.mail.dependencies, owner, place);
        data(
          await app.post(
            `/v1/folders/${inbox}/messages/move`,
            { message_ids: [one.id], to_folder_id: archive },
            { key },
          ),
        );
        const applied = await app.services.database.write((tx) => applyFilter(tx, owner, place, matched));
        assert.deepEqual(applied, { scanned: 3, matched: 2, changed: 1 });
        const there = data(await app.get(`/v1/messages/${one.id}`, { key }));
        assert.deepEqual([there.folder_id, there.flags.read], [archive, false]);
      });

      it('a filter that is applied goes through a folder of many portions, and changes all that match or none (FILTER-35)', {
        timeout: 600_000,
      }, async () => {
        const many = 2_500;
        const { mail, database } = app.services;
        const staged = async (name: string) =>
          mail.receive(
            (async function* () {
              yield Buffer.from(`Subject: ${name}\r\nX-Tag: ${name}\r\n\r\n`);
            })(),
          );
        const [odd, even] = [await staged('odd'), await staged('even')];
        await database.write(async (tx) => {
          for (let i = 0; i < many; i++) {
            // Many of one date, so that portions end among equals.
            const arrival = { folderId: inbox, flags: 0, labels: [], threading: false, deliveredAt: i >> 9 };
            await mail.append(tx, owner, arrival, i % 2 ? odd : even);
          }
        });
        const { id } = await filter(1, rule([{ type: 'discard' }], [header('x-tag', 'odd')]));
        const [, oldestOdd] = await database.read((tx) =>
          tx
            .selectFrom('messages')
            .select('number')
            .where('user_id', '=', owner.userId)
            .orderBy('number')
            .limit(2)
            .execute(),
        );
        await whileRefused(app, oldestOdd?.number ?? 0, async () => {
          assert.equal((await apply(id, inbox)).status, 500);
          assert.equal((await folders()).Trash?.message_count, 0, 'all of them are changed, or none');
        });
        assert.deepEqual(data(await apply(id, inbox)), {
          scanned: many,
          matched: many / 2,
          changed: many / 2,
        });
        const { Inbox, Trash } = await folders();
        assert.deepEqual([Inbox?.message_count, Trash?.message_count], [many / 2, many / 2]);
      });
    });
  });
});

/** Has the database refuse every change of one message meanwhile. */
async function whileRefused({ services }: TestApp, number: number, work: () => Promise<void>): Promise<void> {
  const { database } = services;
  const isSqlite = database.engine === 'sqlite';
  const run = (...statements: string[]) =>
    database.write(async (tx) => {
      for (const statement of statements) await sql.raw(statement).execute(tx);
    });
  const when = `before update on message_states for each row when (new.number = ${number})`;
  if (isSqlite) await run(`create trigger refused ${when} begin select raise(abort, 'refused'); end`);
  else
    await run(
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$",
      `create trigger refused ${when} execute function refuse()`,
    );
  await work().finally(() =>
    isSqlite
      ? run('drop trigger refused')
      : run('drop trigger refused on message_states', 'drop function refuse'),
  );
}
