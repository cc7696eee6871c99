/** Migrations do the same on both engines. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../../src/storage/open.ts';
import { MigrationError, migrate } from '../../src/storage/schema/migrate.ts';
import type { Migration } from '../../src/storage/schema/schema.ts';
import type { StorageEngine } from '../../src/storage/schema/schema-transaction.ts';
import { forEachEngine, freshDatabase, migratedDatabase, type TestDatabase } from '../engines.ts';

const people: Migration = {
  name: '0001-people',
  up: async ({ tx, clusteredTable, text, integer }) => {
    await clusteredTable('people')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('born', integer)
      .execute();
    await tx.insertInto('people').values({ id: 'ada', born: -4_865_443_200_000 }).execute();
  },
};
const names: Migration = {
  name: '0002-names',
  up: async ({ tx, text }) => {
    await tx.schema.alterTable('people').addColumn('name', text).execute();
    await tx.updateTable('people').set({ name: sql`upper(id)` }).execute();
  },
};
const broken: Migration = {
  name: '0003-broken',
  up: async ({ tx, table, text }) => {
    await table('half').addColumn('id', text).execute();
    await tx.insertInto('nowhere').values({ id: 1 }).execute();
  },
};
const all = [people, names];

forEachEngine((engine) => {
  let settings: TestDatabase;
  let database: StorageEngine;

  beforeEach(async () => {
    settings = await freshDatabase(engine);
    database = await openDatabase(settings);
  });
  afterEach(async () => {
    await database.close();
    await settings.remove();
  });

  function rowsOf(table: string): Promise<Record<string, unknown>[]> {
    return database.alter(async (tx) => {
      const rows = await tx.selectFrom(table).selectAll().execute();
      return rows.map((row) => ({ ...row }));
    });
  }

  test('each step is applied once, in order', async () => {
    await migrate(database, [people]);
    assert.deepEqual(await rowsOf('people'), [{ id: 'ada', born: -4_865_443_200_000 }]);
    await migrate(database, all);
    await migrate(database, all);
    assert.deepEqual(await rowsOf('people'), [{ id: 'ada', born: -4_865_443_200_000, name: 'ADA' }]);
  });

  test('nodes that start at the same time apply each step once', async () => {
    const nodes = await Promise.all([1, 2, 3, 4].map(() => openDatabase(settings)));
    await Promise.all(nodes.map((node) => migrate(node, all)));
    await Promise.all(nodes.map((node) => node.close()));
    const applied = await rowsOf('migrations');
    assert.deepEqual(
      applied.map((row) => row.name),
      all.map((migration) => migration.name),
    );
  });

  test('a step that fails leaves nothing behind, and those before it stay', async () => {
    await assert.rejects(migrate(database, [...all, broken]), /nowhere/);
    await assert.rejects(rowsOf('half'));
    assert.equal((await rowsOf('migrations')).length, 2);
    await migrate(database, all);
  });

  test('a newer database is refused by name, and so is one with another history', async () => {
    await migrate(database, all);
    await assert.rejects(migrate(database, [people]), (error: Error) => {
      return (
        error instanceof MigrationError &&
        error.message.includes('newer') &&
        error.message.includes('0002-names')
      );
    });
    await assert.rejects(migrate(database, [names, people]), MigrationError);
  });

  test('a database of the product is ready after its migrations', async () => {
    const migrated = await migratedDatabase(engine);
    const services = await openDatabase(migrated);
    await migrate(services);
    await services.check();
    await services.close();
    await migrated.remove();
  });
});
