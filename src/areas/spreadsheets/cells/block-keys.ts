import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { arraysIn, integerAt } from '../../../storage/query/json-parameters.ts';
import type { BlockKey } from './block.ts';

/** Where the cells of a sheet are. */
export interface SheetKey {
  readonly workspaceId: string;
  readonly sheet: string;
}

/** SQLite runs a statement in one go, while everything else waits. */
const BLOCKS_A_STATEMENT = 64;

/**
 * Whether row and column of a block are among those of some keys: PostgreSQL, which would rather read a whole sheet than
 * believe that a list is short, looks each up in the index when it is given arrays.
 */
export function isNear(tx: ReadTransaction, keys: string) {
  if (tx.engine === 'sqlite') return sql<boolean>`true`;
  const among = (column: string, index: number) => {
    const numbers = sql`select ${integerAt('n', index)} from ${arraysIn(tx, keys, 'n')}`;
    return sql<boolean>`${sql.ref(column)} = any(array(${numbers}))`;
  };
  return sql<boolean>`${among('row_block', 0)} and ${among('column_block', 1)}`;
}

/** That a block is one of these. Said as `in`, for a join SQLite would begin with the sheet. */
export function isOneOf(tx: ReadTransaction, keys: string) {
  const pairs = sql`select ${integerAt('k', 0)}, ${integerAt('k', 1)} from ${arraysIn(tx, keys, 'k')}`;
  return sql<boolean>`(${sql.ref('row_block')}, ${sql.ref('column_block')}) in (${pairs})`;
}

/** Keys as `isNear` and `isOneOf` take them. */
export function pairsOf(keys: readonly BlockKey[]): string {
  return JSON.stringify(keys.map(({ rowBlock, columnBlock }) => [rowBlock, columnBlock]));
}

/** Blocks, or their keys, as many as one statement takes. */
export function* portionsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < all.length; i += BLOCKS_A_STATEMENT) yield all.slice(i, i + BLOCKS_A_STATEMENT);
}
