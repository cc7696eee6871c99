import { FormulaSyntaxError, parseFormula } from '../syntax/parse.ts';
import { templateOf } from '../syntax/template.ts';
import { ERROR } from '../values.ts';
import type { Compiler, Surroundings } from './compiler.ts';
import { compileNode, compileOperand } from './expressions.ts';
import type { Program } from './program.ts';
import type { Cell } from './references.ts';

/** Makes a formula, which begins with "=", ready to run; one that does not parse comes to #ERROR!. */
export function compileFormula(formula: string, base: Cell, surroundings: Surroundings): Program {
  const template = templateOf(formula, base.row, base.column);
  const compiler: Compiler = {
    surroundings,
    base,
    references: [],
    volatile: false,
    locals: [],
    depth: 0,
    compile: compileNode,
    compileOperand,
  };
  try {
    const code = compileNode(parseFormula(formula), compiler);
    return { template, code, references: compiler.references, volatile: compiler.volatile };
  } catch (cause) {
    if (!(cause instanceof FormulaSyntaxError)) throw cause;
    return { template, code: () => ERROR['#ERROR!'], references: [], volatile: false };
  }
}
