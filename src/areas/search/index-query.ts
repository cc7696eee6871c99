import type { IndexQuery, SearchedKind, TermCondition } from '../../storage/full-text/full-text-index.ts';
import { attachmentCondition, isExact, wordsCondition } from '../../storage/full-text/terms.ts';
import type { Atom, Clause, Literal, Query, WordsAtom } from './query.ts';

/** A query in two halves: what the index answers, and what is asked of the objects that it finds. */
export interface PlannedQuery {
  readonly kinds: readonly SearchedKind[];
  readonly terms: IndexQuery['clauses'];
  /** Times in milliseconds since the epoch, from this one on. */
  readonly from: number;
  /** Before this one. */
  readonly until: number;
  /** Clauses of which the index does not know all. */
  readonly rest: readonly Clause[];
}

/** Plans a query. `seesCells`: whether the caller may search the texts of cells. */
export function planQuery(query: Query, kinds: readonly SearchedKind[], seesCells: boolean): PlannedQuery {
  let [from, until] = [0, Number.MAX_SAFE_INTEGER];
  let wanted = kinds;
  const terms: TermCondition[][] = [];
  const rest: Clause[] = [];
  for (const clause of query.clauses) {
    const atom = onlyAtomOf(clause);
    if (atom?.type === 'after') from = Math.max(from, atom.at);
    else if (atom?.type === 'before') until = Math.min(until, atom.at);
    else if (atom?.type === 'kind') wanted = wanted.filter((kind) => kind === atom.kind);
    else {
      if (clause.every(isAnswered)) terms.push(clause.map((literal) => conditionOf(literal, seesCells)));
      if (!clause.every(isAnswered) || !clause.every(isAnsweredWholly)) rest.push(clause);
    }
  }
  return { kinds: wanted, terms, from, until, rest };
}

/** The condition of a clause that has one, which is not negated. */
function onlyAtomOf(clause: Clause): Atom | undefined {
  const [only] = clause;
  return clause.length === 1 && only && !only.isNegated ? only.atom : undefined;
}

/** A condition that the index has terms for. */
export function isIndexed(atom: Atom): atom is WordsAtom | { type: 'has_attachment' } {
  return atom.type === 'words' || atom.type === 'has_attachment';
}

/** Whether the index finds every object of a condition, and perhaps more. */
function isAnswered({ isNegated, atom }: Literal): boolean {
  return isIndexed(atom) && !(isNegated && atom.type === 'words' && !isExact(atom));
}

/** Whether it finds no more: the terms of a phrase of three words are its pairs. */
function isAnsweredWholly({ atom }: Literal): boolean {
  return atom.type !== 'words' || isExact(atom);
}

function conditionOf({ isNegated, atom }: Literal, seesCells: boolean): TermCondition {
  return atom.type === 'words' ? wordsCondition(atom, isNegated, seesCells) : attachmentCondition(isNegated);
}
