import type { SyntaxNode } from '../syntax/parse.ts';
import type { Code } from './code.ts';
import type { Cell, Reference, SheetFinder } from './references.ts';

/** What a name of the workbook stands for: code, and what it names in its turn. */
export interface NamedCode {
  readonly code: Code;
  readonly references: readonly Reference[];
  readonly volatile: boolean;
}

/** What the workbook answers the compiler. */
export interface Surroundings {
  readonly findSheet: SheetFinder;
  /** A defined name as a sheet sees it, in any case. */
  findName(name: string, sheet: number): NamedCode | undefined;
}

/** A formula under way from its syntax to code. */
export interface Compiler {
  readonly surroundings: Surroundings;
  /** The cell in which its references were written. */
  readonly base: Cell;
  readonly references: Reference[];
  volatile: boolean;
  /** Names of LET and LAMBDA in whose reach the node stands, in capitals; the last goes before. */
  readonly locals: readonly string[];
  readonly depth: number;
  /** The code of a node within; an argument left out is an empty value. */
  compile(node: SyntaxNode | null, within: Compiler): Code;
  /** The same where only a value is wanted: a reference to one cell is read. */
  compileOperand(node: SyntaxNode | null, within: Compiler): Code;
}
