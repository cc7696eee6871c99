/** Holds that `verify` tells of numbers out of bounds and of words out of their sets, in every column of every table. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import { RULES, verify } from '../src/start/verification.ts';
import type { WriteTransaction } from '../src/storage/database.ts';
import { type ColumnRule, type ColumnsRule, findBreach } from '../src/storage/schema/integrity-rule.ts';
import { describeTables } from '../src/storage/schema/table-rows.ts';
import { forEachEngine } from './engines.ts';
import { createWorld, type World } from './refusals/world.ts';

/** Numbers by which rows are told apart; other rules hold that they lead somewhere. */
const NAMES_OF_ROWS = new Set(['number', 'message_number', 'folder_number', 'content_of']);

const rules = RULES.filter((rule): rule is ColumnsRule => 'columns' in rule);

interface Column {
  name: string;
  type: string;
}

async function columnsOf(tx: WriteTransaction, table: string): Promise<Column[]> {
  const columns =
    tx.engine === 'sqlite'
      ? sql<Column>`select name, lower(type) as type from pragma_table_xinfo(${table}) where hidden = 0`
      : sql<Column>`select column_name as name, data_type as type from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'`;
  return (await columns.execute(tx)).rows;
}

/** A row of any values that the rule allows, for a table that has none. */
async function insertAny(tx: WriteTransaction, { table, columns: held }: ColumnsRule): Promise<void> {
  const columns = await columnsOf(tx, table);
  const values = columns.map(({ name, type }) => {
    const rule = held[name];
    if (rule && 'oneOf' in rule) return rule.oneOf[0];
    if (type === 'blob' || type === 'bytea') return Buffer.from('x');
    return type === 'text' ? '[]' : 1;
  });
  const names = sql.join(columns.map(({ name }) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(values)})`.execute(tx);
}

async function changeOneRow(
  tx: WriteTransaction,
  table: string,
  column: string,
  value: unknown,
): Promise<void> {
  const { key = [] } = (await describeTables(tx)).find(({ name }) => name === table) ?? {};
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} limit 1`.execute(tx);
  const isThis = key.map((name) => sql`${sql.ref(name)} = ${rows[0]?.[name]}`);
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value}
    where ${sql.join(isThis, sql` and `)}`.execute(tx);
}

/** What the rule says of a table in which this column of a row holds this, in a transaction that is undone. */
async function saidOf({ app }: World, rule: ColumnsRule, column: string, value: unknown): Promise<string> {
  let said: string | undefined;
  const undone = new Error('undone');
  await assert.rejects(
    app.services.database.write(async (tx) => {
      const { rows } = await sql`select 1 from ${sql.table(rule.table)} limit 1`.execute(tx);
      if (rows.length === 0) await insertAny(tx, rule);
      const before = await findBreach(tx, rule);
      await changeOneRow(tx, rule.table, column, value);
      const breach = await findBreach(tx, rule);
      said = breach && `${breach.count - (before?.count ?? 0)} ${breach.example}`;
      throw undone;
    }),
    undone,
  );
  return said ?? 'nothing';
}

function wrongValues(rule: ColumnRule): unknown[] {
  return 'oneOf' in rule
    ? ['none_of_these', '']
    : [rule.least - 1, ...(rule.most < 1e10 ? [rule.most + 1] : [])];
}

forEachEngine((engine) => {
  describe('verify tells of stored values that cannot be', () => {
    let world: World;
    before(async () => {
      world = await createWorld(engine);
    });
    after(() => world.app.stop());

    test('nothing is wrong with what the server stores', async () => {
      const breaches = await world.app.services.database.read(async (tx) => {
        const found = [];
        for (const rule of RULES) found.push((await findBreach(tx, rule)) ?? []);
        return found.flat();
      });
      assert.deepEqual(breaches, []);
    });

    for (const rule of rules) {
      test(`verify tells of values that cannot be in ${rule.table}`, async () => {
        for (const [column, values] of Object.entries(rule.columns)) {
          for (const value of wrongValues(values)) {
            const said = await saidOf(world, rule, column, value);
            assert.match(said, new RegExp(`^1 .*\\(${column}\\)$`), `${column} = ${value}: ${said}`);
          }
        }
      });
    }

    test('every column that is a number has its bounds', async () => {
      const unheld = await world.app.services.database.write(async (tx) => {
        const tables =
          tx.engine === 'sqlite'
            ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
            : "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'";
        const { rows } = await tx.executeQuery<{ name: string }>(CompiledQuery.raw(tables));
        const found: string[] = [];
        // Nobody reads what a lock counts.
        for (const { name: table } of rows.filter(
          ({ name }) => !/^migrations|^row_numbers|^search_|_locks$/.test(name),
        )) {
          const held = new Set(
            rules.filter((rule) => rule.table === table).flatMap((rule) => Object.keys(rule.columns)),
          );
          for (const { name, type } of await columnsOf(tx, table)) {
            if (/int/.test(type) && !held.has(name) && !NAMES_OF_ROWS.has(name))
              found.push(`${table}.${name}`);
          }
        }
        return found;
      });
      assert.deepEqual(unheld, []);
    });

    const problemsAfter = async (damage: (tx: WriteTransaction) => Promise<unknown>) => {
      let found: string[] = [];
      const undone = new Error('undone');
      const work = world.app.services.database.write(async (tx) => {
        await damage(tx);
        found = [];
        for (const rule of RULES) {
          const breach = await findBreach(tx, rule);
          if (breach) found.push(`${breach.rule}: ${breach.example}`);
        }
        throw undone;
      });
      await assert.rejects(work, undone);
      return found;
    };

    test('a permission that there is not is told by its key', async () => {
      const { key } = world.mine;
      const permissions = '["files.read","files.everything"]';
      const found = await problemsAfter((tx) =>
        tx.updateTable('api_keys').set({ permissions }).where('id', '=', key).execute(),
      );
      assert.deepEqual(found, [`Each key may do what there is to be allowed: ${key}`]);
    });

    for (const [member, value] of [
      ['status', 'held'],
      ['transparency', 'opaque'],
    ] as const) {
      test(`a ${member} that there is not is told by its event`, async () => {
        const { event } = world.mine;
        const found = await problemsAfter(async (tx) => {
          const { definition } = await tx
            .selectFrom('calendar_events')
            .select('definition')
            .where('id', '=', event)
            .executeTakeFirstOrThrow();
          const { series, overrides } = JSON.parse(definition);
          const changed = JSON.stringify({ series: { ...series, [member]: value }, overrides });
          await tx
            .updateTable('calendar_events')
            .set({ definition: changed })
            .where('id', '=', event)
            .execute();
        });
        assert.deepEqual(found, [`Each event has a status and keeps busy or not: ${event}`]);
      });
    }

    test('a size below zero is told by its file', async () => {
      const { app, mine } = world;
      const set = (size: number) =>
        app.services.database.write((tx) =>
          tx.updateTable('files').set({ size }).where('node_id', '=', mine.file).execute(),
        );
      const { size } = await app.services.database.read((tx) =>
        tx.selectFrom('files').select('size').where('node_id', '=', mine.file).executeTakeFirstOrThrow(),
      );
      await set(-1);
      const problems = await verify(app.services, { rows: 0, blobs: 0, bytes: 0 });
      await set(Number(size));
      const said = `Each row of files holds what its columns may hold: not so of 1, such as ${mine.file} (size).`;
      assert.ok(problems.includes(said), problems.join('\n'));
    });
  });
});
