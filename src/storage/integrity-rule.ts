import { CompiledQuery } from 'kysely';
import type { Engine, ReadTransaction } from './database.ts';

/** What must hold among the rows of an area, whoever wrote them and whatever broke off. */
export interface IntegrityRule {
  readonly says: string;
  /** A query of the ids (`id`) of what breaks the rule. */
  broken(engine: Engine): string;
}

/** How many rows break a rule, and one of them. */
export interface Breach {
  readonly rule: string;
  readonly count: number;
  readonly example: string;
}

/** Looks for what breaks a rule; undefined when it holds. Reads whole tables. */
export async function findBreach(
  tx: ReadTransaction,
  { says, broken }: IntegrityRule,
): Promise<Breach | undefined> {
  const sql = `select count(*) as count, min(id) as example from (${broken(tx.engine)}) as broken`;
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(sql) as CompiledQuery<{ count: number; example: string | null }>,
  );
  const { count = 0, example } = rows[0] ?? {};
  return count === 0 ? undefined : { rule: says, count, example: example ?? '' };
}

/** The elements of the JSON array in a column, as rows that have them in `value`. */
export function elementsOf(engine: Engine, column: string): string {
  return engine === 'sqlite' ? `json_each(${column})` : `jsonb_array_elements(${column}::jsonb)`;
}

/** How many elements the JSON array in a column has. */
export function arrayLength(engine: Engine, column: string): string {
  return engine === 'sqlite' ? `json_array_length(${column})` : `jsonb_array_length(${column}::jsonb)`;
}
