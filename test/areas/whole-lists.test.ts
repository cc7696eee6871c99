/** Lists that are not paged: whole, in order, and read in portions along an index. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { runsOf } from '../../src/turns/gathered-in-turns.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';
import { turnsDuring } from '../turns.ts';
import { data } from './accounts.ts';

/** Of many portions. */
const COUNT = 12_000;

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
        .values(
          ids.map((id) => ({
            workspace_id: workspaceId,
            user_id: userId,
            id,
            name: 'n',
            description: '',
            contact_count: 0,
            revision: id,
            created_at: 0,
            updated_at: 0,
          })),
        )
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
  });
});
