import type { Compilable } from 'kysely';
import type { ReadTransaction, Snapshot } from '../database.ts';
import type { Tables } from '../schema/tables.ts';
import { type Answer, type Statement, statement } from './statement.ts';

/** Bound what is in memory: what asks for more, or finds more, is asked again each time. */
const LONGEST_KEY = 2_000;
/** Characters that one look-up keeps for one connection. */
const MOST_ROOM = 500_000;
/** What an answer takes beside its characters. */
const ROOM_OF_ANSWER = 100;
/** What a value takes that is no text. */
const ROOM_OF_VALUE = 8;

/** Rows that were found on one snapshot, by the values that they were asked for with. */
interface Memory<Row> {
  readonly found: Map<string, Answer<Row>>;
  room: number;
}

/**
 * As `statement`, for a look-up of few rows that is made again and again: they are remembered for as long as the engine
 * knows that nobody has committed anything. Writes remember too where `tables` says which the query reads, for as long as
 * nobody has changed those. Everybody is given the same rows, so nobody may change them.
 */
export function remembered<Row, Values extends object>(
  build: (tx: ReadTransaction, p: Values) => Compilable<Row>,
  tables?: readonly (keyof Tables)[],
): Statement<ReadTransaction, Values, Row> {
  return rememberedLook(statement(build), tables);
}

/** As `remembered`, for a look-up that chooses among statements by its values. */
export function rememberedLook<Row, Values extends object>(
  look: Statement<ReadTransaction, Values, Row>,
  tables?: readonly (keyof Tables)[],
): Statement<ReadTransaction, Values, Row> {
  const memories = new WeakMap<Snapshot, Memory<Row>>();
  return async (tx, values) => {
    const key = JSON.stringify(values);
    const snapshot = tables ? tx.unchanged(tables) : tx.snapshot;
    if (!snapshot || key.length > LONGEST_KEY) return look(tx, values);
    const memory = memories.get(snapshot) ?? { found: new Map(), room: 0 };
    memories.set(snapshot, memory);
    const known = memory.found.get(key);
    if (known) return known;
    const answer = await look(tx, values);
    keep(memory, key, answer);
    return answer;
  };
}

function keep<Row>(memory: Memory<Row>, key: string, answer: Answer<Row>): void {
  if (!Array.isArray(answer)) return;
  const room = memory.room + ROOM_OF_ANSWER + key.length + roomOf(answer as Record<string, unknown>[]);
  if (room > MOST_ROOM) return;
  memory.room = room;
  memory.found.set(key, answer);
}

/** Adding up what the values take costs a tenth of writing them down. */
function roomOf(rows: readonly Record<string, unknown>[]): number {
  const [first] = rows;
  if (!first) return 0;
  let room = 0;
  for (const name of Object.keys(first)) {
    for (const { [name]: value } of rows) room += typeof value === 'string' ? value.length : ROOM_OF_VALUE;
  }
  return room;
}
