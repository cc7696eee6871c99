import type { SyntaxNode } from '../syntax/parse.ts';
import { CellError, type Value } from '../values.ts';
import type { Code, Result, Scope } from './code.ts';
import type { Compiler } from './compiler.ts';
import { groupBy } from './group-by.ts';
import { argumentCodes, type Summing, summingOf } from './grouping-arguments.ts';
import { pivotBy } from './pivot-by.ts';

/** Sums up records by what its arguments came to. */
type Summary = (results: readonly Result[], functions: readonly Summing[], scope: Scope) => Value;

/** The functions that sum up records in groups, each group by a function that is given. */
export const GROUPING_FORMS: Readonly<
  Record<string, (args: readonly (SyntaxNode | null)[], within: Compiler) => Code>
> = { GROUPBY: form(2, 8, groupBy), PIVOTBY: form(3, 11, pivotBy) };

function form(functionAt: number, most: number, compute: Summary) {
  return (args: readonly (SyntaxNode | null)[], within: Compiler): Code => {
    const { codes, functions } = argumentCodes(args, functionAt, most, within);
    return (scope) => {
      const found = summingOf(functions, scope);
      if (found instanceof CellError) return found;
      return compute(
        codes.map((code) => code(scope)),
        found,
        scope,
      );
    };
  };
}
