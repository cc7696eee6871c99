import type { TermCondition, TermPattern } from '../full-text-index.ts';
import { EVERY_OBJECT } from '../terms.ts';

/** A text for `::tsquery` (PostgreSQL, section 8.11.2). Every term stands in quotes. */
export type TsQuery = string;

/** The query for all clauses: of an object whose terms stand in one row. */
export function queryOf(clauses: readonly (readonly TermCondition[])[], scopes: readonly string[]): TsQuery {
  return joined(
    clauses.map((clause) =>
      joined(
        clause.map((condition) => conditionOf(condition, scopes)),
        '|',
      ),
    ),
    '&',
  );
}

/** The query for the terms of a condition, negated or not. */
export function matchedBy({ alternatives }: TermCondition, scopes: readonly string[]): TsQuery {
  return joined(
    scopes.flatMap((scope) =>
      alternatives.map((patterns) =>
        joined(
          patterns.map((pattern) => quoted(scope, pattern)),
          '&',
        ),
      ),
    ),
    '|',
  );
}

/** The query for every object of the scopes. */
export function everyObject(scopes: readonly string[]): TsQuery {
  return joined(
    scopes.map((scope) => quoted(scope, EVERY_OBJECT)),
    '|',
  );
}

function conditionOf(condition: TermCondition, scopes: readonly string[]): TsQuery {
  const found = matchedBy(condition, scopes);
  return condition.isNegated ? `!${found}` : found;
}

function joined(queries: readonly TsQuery[], operator: '&' | '|'): TsQuery {
  return queries.length === 1 ? `(${queries[0]})` : `(${queries.join(operator)})`;
}

function quoted(scope: string, { term, isPrefix }: TermPattern): TsQuery {
  return `'${scope}${term}'${isPrefix ? ':*' : ''}`;
}
