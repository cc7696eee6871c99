import { type RawBuilder, sql } from 'kysely';

/**
 * Bytes of what is searched of a contact that is in the search index: each takes an entry there, and as many as a
 * transaction writes within some ten milliseconds. Hardly anybody has more; who does is found by looking at the text itself.
 */
export const LONGEST_INDEXED = 4_000;

/** Whether a contact of which this is searched is not in the index. */
export function isLeftOut(searchText: string): boolean {
  return Buffer.byteLength(searchText) > LONGEST_INDEXED;
}

/** The same of a column of texts, which are not read for it. The index contacts_left_out has those contacts. */
export function isTextLeftOut(column: string): RawBuilder<boolean> {
  return sql<boolean>`octet_length(${sql.ref(column)}) > ${sql.lit(LONGEST_INDEXED)}`;
}
