/** Lists that are not paged: whole, in order, and read in portions along an index. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { runsOf } from '../../src/turns/in-turns.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { liveBytes } from '../live-bytes.ts';
import { analyze, plansOf } from '../plans.ts';
import { turnsDuring } from '../turns.ts';
import { data } from './accounts.ts';

/** Of many portions. */
const COUNT = 30_000;

/** A list of some fifteen megabytes, and how many clients ask for it and do not read it. */
const LONG = { books: 3_000, description: 'long '.repeat(1_000) };
const UNREAD = 12;
/** What a few of them take. */
const MOST_BYTES = 60_000_000;

interface Owner {
  workspaceId: string;
  userId: string;
}

interface WholeList {
  path: string;
  /** Stores one row for each id. */
  insert(tx: WriteTransaction, owner: Owner, ids: readonly string[]): Promise<unknown>;
  newId(): string;
  list(app: TestApp, tx: ReadTransaction, owner: Owner): Promise<unknown>;
  /** Along which its rows are read; SQLite does not say the name of a primary key. */
  index: RegExp;
}

const BOOK = { name: 'n', description: '', contact_count: 0, created_at: 0, updated_at: 0 };

const LISTS: Record<string, WholeList> = {
  'mail folders': {
    path: '/v1/folders',
    newId: () => newId('fld'),
    // Names and parents that come in another order than ids do.
    insert: async (tx, { workspaceId, userId }, ids) => {
      await tx
        .insertInto('mail_folders')
        .values(
          ids.map((id, i) => ({
            workspace_id: workspaceId,
            user_id: userId,
            id,
            name: `${(i * 7) % 11} ${id}`,
            parent_id: i % 3 === 0 ? '' : (ids[0] ?? ''),
            role: null,
            created_at: 0,
          })),
        )
        .execute();
      const counts = { workspace_id: workspaceId, user_id: userId, flags: 0, messages: 1 };
      await tx
        .insertInto('mail_folder_counts')
        .values(ids.map((id) => ({ ...counts, folder_id: id })))
        .execute();
    },
    list: (app, tx, owner) => app.services.mail.listFolders(tx, owner),
    index: /mail_folders_by_name/,
  },
  calendars: {
    path: '/v1/calendars',
    newId: () => newId('cal'),
    insert: (tx, { workspaceId, userId }, ids) =>
      tx
        .insertInto('calendars')
        .values(
          ids.map((id) => ({
            workspace_id: workspaceId,
            user_id: userId,
            id,
            name: 'n',
            color: '#3366cc',
            time_zone: 'UTC',
            created_at: 0,
            updated_at: 0,
          })),
        )
        .execute(),
    list: (app, tx, owner) => app.services.calendar.listCalendars(tx, owner),
    index: /calendars_key|SEARCH calendars USING PRIMARY KEY/,
  },
  'address books': {
    path: '/v1/address-books',
    newId: () => newId('abk'),
    insert: (tx, { workspaceId, userId }, ids) =>
      tx
        .insertInto('address_books')
        .values(ids.map((id) => ({ ...BOOK, workspace_id: workspaceId, user_id: userId, id, revision: id })))
        .execute(),
    list: (app, tx, owner) => app.services.contacts.listBooks(tx, owner),
    index: /address_books_key|SEARCH address_books USING PRIMARY KEY/,
  },
};

/**
 * Reading a table or an index from end to end. What a subquery has cut to a portion is read whole, and PostgreSQL reads a
 * table of counts that is hardly longer than that.
 */
const DETOUR = /SCAN (?!f\b|\(subquery)|Seq Scan on (?!mail_folder_counts)/;

forEachEngine((engine) => {
  describe('lists that are not paged', () => {
    let app: TestApp;
    let owner: Owner;

    before(async () => {
      app = await startApp(engine);
      owner = await app.services.database.read((tx) =>
        tx
          .selectFrom('users')
          .select(['id as userId', 'workspace_id as workspaceId'])
          .executeTakeFirstOrThrow(),
      );
    });
    after(() => app.stop());

    for (const [name, { path, insert, list, index, newId }] of Object.entries(LISTS)) {
      test(`thousands of ${name} are listed once each in order of creation, while others have their turn`, async () => {
        const { database } = app.services;
        const first = data(await app.get(path)).map(({ id }: { id: string }) => id);
        const ids = Array.from({ length: COUNT }, newId);
        for (const run of runsOf(ids, 500)) await database.write((tx) => insert(tx, owner, run));
        await analyze(database);

        const listed = data(await app.get(path)).map(({ id }: { id: string }) => id);
        assert.deepEqual(listed, [...first, ...ids]);
        assert.ok((await turnsDuring(database.read((tx) => list(app, tx, owner)))) > 3);

        const plans = await database.read((tx) => plansOf(tx, (recorded) => list(app, recorded, owner)));
        assert.ok(plans.length > 3, `${plans.length} statements`);
        const later = plans.at(-2) ?? [];
        assert.match(later.join('\n'), index);
        assert.deepEqual(
          later.filter((line) => DETOUR.test(line)),
          [],
          later.join('\n'),
        );
      });
    }

    test('long ones that nobody reads are not in memory', async () => {
      const books = Array.from({ length: LONG.books }, () => {
        const id = newId('abk');
        const { workspaceId: workspace_id, userId: user_id } = owner;
        return { ...BOOK, workspace_id, user_id, id, revision: id, description: LONG.description };
      });
      for (const run of runsOf(books, 200))
        await app.services.database.write((tx) => tx.insertInto('address_books').values(run).execute());
      const before = liveBytes();
      const sockets = await Promise.all(Array.from({ length: UNREAD }, () => unreadAnswer(app)));
      const taken = liveBytes() - before;
      for (const socket of sockets) socket.destroy();
      assert.ok(taken < MOST_BYTES, `${taken} bytes`);
    });
  });
});

/** A client that asks for the address books, and reads nothing of the answer that has begun to come. */
async function unreadAnswer({ address }: TestApp): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `GET /v1/address-books HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${OWNER_KEY}\r\n\r\n`,
  );
  await once(socket, 'readable');
  return socket;
}
