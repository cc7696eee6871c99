import { type Token, tokenTypes } from '../../../formulas/syntax/formula-library.ts';
import type { CellAddress } from '../workbook.ts';
import { withIntersections } from './intersections.ts';
import { type Names, resolveNames } from './names.ts';
import type { Tables } from './tables.ts';
import { isCall, isNestedTooDeeply, isOperator, operandEnds, textOf, tokensOf } from './tokens.ts';

/** The cell of a formula. */
export interface FormulaCell extends CellAddress {
  readonly sheet: string;
  /** An array formula. In other formulas a range means only its cell in the formula's row or column. */
  readonly isArray: boolean;
}

/** Converts the formulas of files to cell inputs. */
export class FormulaReader {
  readonly #names: Names;
  readonly #tables: Tables;

  constructor(names: Names, tables: Tables) {
    this.#names = names;
    this.#tables = tables;
  }

  /** The cell input for a formula, which is given without "=". */
  read(text: string, cell: FormulaCell): string {
    const formula = formulaFromFile(this.#resolved(text, cell));
    return `=${cell.isArray ? formula : withIntersections(formula)}`;
  }

  /** A formula that would become too long keeps its names and shows #NAME?. */
  #resolved(text: string, { sheet, row, column }: FormulaCell): string {
    if (this.#names.isEmpty && this.#tables.isEmpty) return text;
    const meaningOf = (reference: string) =>
      this.#names.at(reference, sheet, { row, column }) ?? this.#tables.at(reference, sheet, row);
    return resolveNames(text, meaningOf) ?? text;
  }
}

const PREFIX = /^(?:_xlfn\.|_xlws\.|_xlpm\.|_xleta\.)+/i;
/** An optional parameter of LAMBDA. */
const OPTIONAL = /^_xlop\.(.+)$/i;

/**
 * Converts a formula of a file to the notation for people: newer functions without the file prefix, `@` and `#`
 * instead of the file's function calls. Input and result are without "=".
 */
export function formulaFromFile(text: string): string {
  if (!/_xl/i.test(text)) return text;
  const tokens = tokensOf(text);
  if (isNestedTooDeeply(tokens)) return text;
  return formulaText({ tokens, ends: operandEnds(tokens) }, 0, tokens.length);
}

/** The tokens of a formula, and for each token the end of the operand that starts there. */
interface Operands {
  readonly tokens: readonly Token[];
  readonly ends: readonly number[];
}

function formulaText({ tokens, ends }: Operands, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; ) {
    const end = isSign(tokens[at]) ? Math.min(ends[at] ?? to, to) : at + 1;
    text += end > at + 1 ? signOf({ tokens, ends }, at, end) : withoutPrefix(tokens[at]);
    at = end;
  }
  return text;
}

function withoutPrefix(token: Token | undefined): string {
  if (!token) return '';
  const mayHavePrefix = isCall(token) || token.type === tokenTypes.REF_NAMED;
  return mayHavePrefix ? token.value.replace(PREFIX, '').replace(OPTIONAL, '[$1]') : token.value;
}

function isSign(token: Token | undefined): boolean {
  return isCall(token) && /^_xlfn\.(?:SINGLE|ANCHORARRAY)$/i.test(token?.value ?? '');
}

/** Converts a complete call, such as _xlfn.SINGLE(A1:A3). */
function signOf(operands: Operands, from: number, to: number): string {
  const { tokens, ends } = operands;
  const [first, last] = [from + 2, to - 1];
  if (!isOperator(tokens[last], ')')) return textOf(tokens.slice(from, to));
  const inner = formulaText(operands, first, last);
  const operand = first < last && Math.min(ends[first] ?? last, last) === last ? inner : `(${inner})`;
  return /SINGLE$/i.test(tokens[from]?.value ?? '') ? `@${operand}` : `${operand}#`;
}
