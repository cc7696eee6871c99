import { sql } from 'kysely';
import type { WriteTransaction } from '../../database.ts';
import { integerMember, jsonRows, textMember } from '../../query/json-rows.ts';
import type { IndexedObject } from '../full-text-index.ts';
import { principalsOf, scopeOf } from '../terms.ts';
import { rowsOf } from './rows.ts';
import type { ObjectTerms } from './term-worker.ts';

/** An object with its place and its terms. */
interface PlacedTerms extends Pick<ObjectTerms, 'parts'> {
  readonly object: IndexedObject;
  readonly place: bigint;
}

/** Terms of one statement: some megabytes. */
const TERMS_A_STATEMENT = 100_000;

/** Inserts the terms of objects under each of their principals. */
export async function putTerms(tx: WriteTransaction, placed: readonly PlacedTerms[]): Promise<void> {
  let rows: unknown[] = [];
  let terms = 0;
  for (const { object, place, parts } of placed) {
    const scopes = principalsOf(object).map((principal) => scopeOf(object.workspaceId, principal));
    for (const [part, some] of parts.entries()) {
      rows.push([object.workspaceId, place.toString(), part, parts.length, scopes, some]);
      terms += some.length * scopes.length;
      if (terms < TERMS_A_STATEMENT) continue;
      await insert(tx, rows);
      [rows, terms] = [[], 0];
    }
  }
  if (rows.length > 0) await insert(tx, rows);
}

async function insert(tx: WriteTransaction, rows: readonly unknown[]): Promise<void> {
  await rowsOf(
    tx,
    sql`insert into search_terms (workspace_id, scope, place, part, parts, terms)
      select ${textMember(0)}, s.scope, ${integerMember(1)}, ${integerMember(2)}, ${integerMember(3)},
        array_to_tsvector(array(select s.scope || t.term from json_array_elements_text(e.value -> 5) as t(term)))
      from ${jsonRows(tx, JSON.stringify(rows))},
        lateral (select distinct x.scope from json_array_elements_text(e.value -> 4) as x(scope)) as s`,
  );
}
