import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { integersIn } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { contents } from '../messages/content-store.ts';
import type { MailboxOwner } from '../owner.ts';

interface Values {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

/** Characters in which nearly every record has its recipients and the beginning of its text. */
const BEGINNING = 16_384;

/** Both engines compute the length without reading the value. */
const sizes = statement((tx, p: Values) =>
  contentsOf(tx, p).select(['number', sql<number>`octet_length(record)`.as('size')]),
);

const beginnings = statement((tx, p: Values) =>
  contentsOf(tx, p).select(['number', sql<string>`substr(record, 1, ${sql.lit(BEGINNING)})`.as('beginning')]),
);

const wholeRecords = statement((tx, p: Values) => contentsOf(tx, p).select('record'));

function contentsOf(tx: ReadTransaction, p: Values) {
  return tx
    .selectFrom(contents(tx, p.workspaceId).as('c'))
    .where('workspace_id', '=', p.workspaceId)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value'));
}

/** How many bytes the stored record of each of these messages has, in any order. */
export function measureRecords(
  tx: ReadTransaction,
  owner: MailboxOwner,
  numbers: readonly number[],
): Promise<{ number: number; size: number }[]> {
  return sizes(tx, valuesOf(owner, numbers));
}

/** The beginnings of the stored records of these messages, in any order. */
export function findBeginnings(
  tx: ReadTransaction,
  owner: MailboxOwner,
  numbers: readonly number[],
): Promise<{ number: number; beginning: string }[]> {
  return beginnings(tx, valuesOf(owner, numbers));
}

/** The stored record of a message; "" where there is none. */
export async function findWholeRecord(
  tx: ReadTransaction,
  owner: MailboxOwner,
  number: number,
): Promise<string> {
  return (await wholeRecords(tx, valuesOf(owner, [number])))[0]?.record ?? '';
}

function valuesOf({ workspaceId }: MailboxOwner, numbers: readonly number[]): Values {
  return { workspaceId, numbers: JSON.stringify(numbers) };
}
