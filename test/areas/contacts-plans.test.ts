import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ContactsOwner } from '../../src/areas/contacts/owner.ts';
import { type ContactFilter, contactPages, pageOfContacts } from '../../src/areas/contacts/search/listing.ts';
import type { Engine } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';
import { data } from './accounts.ts';
import { allIndexed, firstBook, importCards, vcard } from './contacts-world.ts';

const CONTACTS = 4_000;
const NEIGHBOURS = 500;
const MIDDLE = 'p02000';

/** The primary key of contact_grams; SQLite does not say its name. */
const GRAMS = '(contact_grams_key|SEARCH (e|g|n) USING PRIMARY KEY)';

/** What single contacts are looked up in. */
const NUMBERS = '(contacts_by_number|SEARCH k USING INTEGER PRIMARY KEY)';

/** Every kind of listing with the indexes that its statements read along. */
const LISTINGS: [string, Partial<ContactFilter>, string[]][] = [
  ['everything', {}, ['contacts_by_place']],
  ['a book', { bookId: 'own' }, ['contacts_by_book']],
  ['the trash', { trashed: true }, ['contacts_by_place']],
  ['a common gram', { q: 'com' }, [GRAMS, NUMBERS]],
  ['a rare gram', { q: '777' }, [GRAMS, NUMBERS]],
  ['a common fragment', { q: 'host.com' }, [GRAMS, NUMBERS]],
  ['a fragment of common grams that nobody has', { q: 'anna otto' }, [GRAMS, NUMBERS]],
  ['a common letter', { q: 'a' }, ['contacts_by_book']],
  ['a rare pair', { q: '77' }, [GRAMS, NUMBERS]],
];

/** Reading a table or an index from end to end, or looking for many by reading all. */
const DETOURS: Record<Engine, RegExp> = {
  // What a subquery has cut to a limit, and the steps of a walk, are read whole.
  sqlite: /SCAN (?!(g|e|b|w|walk|r|contact_grams|CONSTANT ROW)\b)|AUTOMATIC/,
  postgres: /Seq Scan|Hash|Merge|Materialize|Bitmap/,
};

forEachEngine((engine) => {
  // PostgreSQL knows nothing of tables that have just been filled; that must not matter.
  for (const known of engine === 'postgres' ? [false, true] : [true]) {
    describe(`how contacts are found, with tables that the planner ${known ? 'knows' : 'does not know'}`, () => {
      let app: TestApp;
      let owner: ContactsOwner;
      let book: string;

      before(async () => {
        app = await startApp(engine);
        owner = await ownerOf(app);
        book = await firstBook(app);
        await importCards(app, book, cards());
        await allIndexed(app);
        await makeNeighbours(app, owner);
        if (known) await analyze(app.services.database);
      });
      after(() => app.stop());

      for (const [name, filter, indexes] of LISTINGS) {
        for (const after of [undefined, [MIDDLE]]) {
          test(`listing ${name} ${after ? 'after a place' : 'from the first'} reads along ${indexes.join(', ')}`, async () => {
            const wanted = { bookId: undefined, q: '', trashed: false, ...filter };
            if (wanted.bookId) wanted.bookId = book;
            const plans = await app.services.database.read((tx) =>
              plansOf(tx, (recorded) =>
                pageOfContacts(recorded, contactPages(), owner, wanted, { limit: 50, after }),
              ),
            );
            const lines = plans.flat();
            for (const index of indexes)
              assert.ok(
                lines.some((line) => new RegExp(index).test(line)),
                lines.join('\n'),
              );
            const detours = lines.filter((line) => DETOURS[engine].test(line));
            assert.deepEqual(detours, [], lines.join('\n'));
          });
        }
      }
    });
  }
});

/** How a window of contacts is read to look at their texts. */
const WINDOW: Record<Engine, RegExp> = { sqlite: /CO-ROUTINE w$/, postgres: /Subquery Scan on w\b/ };

forEachEngine((engine) => {
  describe('a fragment that few have of the many who have its grams', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      const names = [...numbered('abab', 1_100), ...numbered('c', 3_600), 'yababab', 'zababab'];
      await importCards(app, await firstBook(app), names.map((name) => vcard(`FN:${name}`)).join(''));
      await allIndexed(app);
    });
    after(() => app.stop());

    test('is found without looking at everybody', async () => {
      const owner = await ownerOf(app);
      const wanted = { bookId: undefined, q: 'ababab', trashed: false };
      let count = 0;
      const plans = await app.services.database.read((tx) =>
        plansOf(tx, async (recorded) => {
          const listed = { limit: 50, after: undefined };
          ({ count } = await pageOfContacts(recorded, contactPages(), owner, wanted, listed));
        }),
      );
      assert.equal(count, 2);
      assert.deepEqual(
        plans.flat().filter((line) => WINDOW[engine].test(line.trim())),
        [],
      );
    });
  });
});

async function ownerOf(app: TestApp): Promise<ContactsOwner> {
  const me = data(await app.get('/v1/users/me'));
  const found = await app.services.database.read((tx) => app.services.directory.findUser(tx, me.email));
  assert.ok(found);
  return { workspaceId: found.workspaceId, userId: found.userId };
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}${String(i).padStart(4, '0')}`);
}

/** Enough users with a first book for PostgreSQL to know that reading all books is dear. */
async function makeNeighbours(app: TestApp, { workspaceId }: ContactsOwner): Promise<void> {
  await app.services.database.write(async (tx) => {
    for (let i = 0; i < NEIGHBOURS; i++) {
      await app.services.contacts.createFirstBook(tx, { workspaceId, userId: `usr_${i}` });
    }
  });
}

function cards(): string {
  return Array.from({ length: CONTACTS }, (_, i) => {
    const name = `p${String(i).padStart(5, '0')} ${i % 2 ? 'anna' : 'otto'}`;
    return vcard(`FN:${name}`, `EMAIL:u${i % 97}@host.com`);
  }).join('');
}
