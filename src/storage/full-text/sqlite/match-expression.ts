import type { IndexQuery, TermCondition, TermPattern } from '../full-text-index.ts';
import { EVERY_OBJECT, kindClauses } from '../terms.ts';

/**
 * The expression of FTS5 for a query (https://sqlite.org/fts5.html, section 3). Every term stands in quotes: a word has
 * letters and digits only. FTS5 knows "NOT" between two expressions only.
 */
export function matchExpression(
  { kinds, clauses }: Pick<IndexQuery, 'kinds' | 'clauses'>,
  scopes: readonly string[],
): string {
  const positive: string[] = [];
  const negative: string[] = [];
  for (const clause of [...kindClauses({ kinds }), ...clauses]) {
    const [only, ...others] = clause;
    if (only?.isNegated && others.length === 0) negative.push(matched(only, scopes));
    else
      positive.push(
        joined(
          clause.map((condition) => conditionOf(condition, scopes)),
          'OR',
        ),
      );
  }
  if (positive.length === 0) positive.push(everyObject(scopes));
  const found = joined(positive, 'AND');
  return negative.length === 0 ? found : `(${found} NOT ${joined(negative, 'OR')})`;
}

function conditionOf(condition: TermCondition, scopes: readonly string[]): string {
  const found = matched(condition, scopes);
  if (!condition.isNegated) return found;
  return `(${everyObject(scopes)} NOT ${found})`;
}

function everyObject(scopes: readonly string[]): string {
  return joined(
    scopes.map((scope) => quoted(scope, EVERY_OBJECT)),
    'OR',
  );
}

function matched({ alternatives }: TermCondition, scopes: readonly string[]): string {
  const each = scopes.flatMap((scope) =>
    alternatives.map((patterns) =>
      joined(
        patterns.map((pattern) => quoted(scope, pattern)),
        'AND',
      ),
    ),
  );
  return joined(each, 'OR');
}

function joined(expressions: readonly string[], operator: 'AND' | 'OR'): string {
  return expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(` ${operator} `)})`;
}

function quoted(scope: string, { term, isPrefix }: TermPattern): string {
  return `"${scope}${term}"${isPrefix ? ' *' : ''}`;
}
