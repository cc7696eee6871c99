import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { FAMILIES, type NumberFamily, type Offsets } from './moved-tables.ts';

/** The least and the greatest number of a family in a workspace. */
interface Range {
  readonly least: number;
  readonly most: number;
}

/** The ranges of the numbers of a workspace, by family; a family without rows has none. */
export async function numberRanges(
  tx: ReadTransaction,
  workspaceId: string,
): Promise<Map<NumberFamily, Range>> {
  const ranges = new Map<NumberFamily, Range>();
  for (const [family, tables] of Object.entries(FAMILIES)) {
    const found: Range[] = [];
    for (const table of tables) {
      const query = sql<{ least: number | null; most: number | null }>`
        select min(number) as least, max(number) as most from ${sql.table(table)} where workspace_id = ${workspaceId}`;
      const { least, most } = (await tx.executeQuery(query.compile(tx))).rows[0] ?? {};
      if (typeof least === 'number' && typeof most === 'number') found.push({ least, most });
    }
    if (found.length === 0) continue;
    const range = {
      least: Math.min(...found.map(({ least }) => least)),
      most: Math.max(...found.map(({ most }) => most)),
    };
    ranges.set(family as NumberFamily, range);
  }
  return ranges;
}

/**
 * Takes new numbers for whole ranges, which nobody else gets: in each family they follow each other as those before, so what
 * sorts by them sorts as it did.
 */
export async function takeNumbers(
  tx: WriteTransaction,
  ranges: ReadonlyMap<NumberFamily, Range>,
): Promise<Offsets> {
  const offsets: Record<NumberFamily, number> = { messages: 0, mail_folders: 0, contacts: 0, nodes: 0 };
  for (const [family, { least, most }] of ranges) {
    const last = await takeAfter(tx, family, most - least + 1);
    offsets[family] = last + 1 - least;
  }
  return offsets;
}

/** Takes so many numbers; returns the last one before them. */
function takeAfter(tx: WriteTransaction, family: NumberFamily, count: number): Promise<number> {
  return tx.engine === 'sqlite' ? takeOnSqlite(tx, family, count) : takeOnPostgres(tx, family, count);
}

async function takeOnSqlite(tx: WriteTransaction, family: NumberFamily, count: number): Promise<number> {
  const found = sql<{
    last: number | null;
  }>`select max(seq) as last from sqlite_sequence where name = ${family}`;
  const last = Number((await tx.executeQuery(found.compile(tx))).rows[0]?.last ?? 0);
  await tx.executeQuery(sql`delete from sqlite_sequence where name = ${family}`.compile(tx));
  await tx.executeQuery(
    sql`insert into sqlite_sequence (name, seq) values (${family}, ${last + count})`.compile(tx),
  );
  return last;
}

/**
 * Everybody else who needs a number waits from ALTER SEQUENCE until the end of the transaction: some milliseconds. Citus
 * refuses that statement where it would have to repeat it on other servers, which take numbers of ranges of their own.
 */
async function takeOnPostgres(tx: WriteTransaction, family: NumberFamily, count: number): Promise<number> {
  const named = sql<{ name: string }>`select pg_get_serial_sequence(${family}, 'number') as name`;
  const name = (await tx.executeQuery(named.compile(tx))).rows[0]?.name ?? '';
  const sequence = sql.raw(name);
  await tx.executeQuery(sql`select set_config('citus.enable_ddl_propagation', 'off', true)`.compile(tx));
  await tx.executeQuery(sql`alter sequence ${sequence} increment by 1`.compile(tx));
  const found = sql<{ last: number; is_called: boolean }>`
    select last_value as last, is_called from ${sequence}`;
  const row = (await tx.executeQuery(found.compile(tx))).rows[0];
  const last = row?.is_called ? row.last : 0;
  await tx.executeQuery(sql`select setval(${name}, ${last + count}, true)`.compile(tx));
  return last;
}
