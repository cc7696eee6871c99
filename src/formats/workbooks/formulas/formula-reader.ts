import { type Token, tokenTypes } from '../../../formulas/syntax/formula-library.ts';
import type { CellAddress } from '../workbook.ts';
import { withIntersections } from './intersections.ts';
import { type Names, resolveNames } from './names.ts';
import type { Tables } from './tables.ts';
import { isCall, isNestedTooDeeply, isOperator, operandEnds, textOf, tokensOf } from './tokens.ts';

/** The cell that a formula stands in. */
export interface FormulaPlace extends CellAddress {
  readonly sheet: string;
  /** It computes arrays; others take of a range the one cell beside theirs. */
  readonly isArray: boolean;
}

/** Makes of formulas as files keep them those that cells hold. */
export class FormulaReader {
  readonly #names: Names;
  readonly #tables: Tables;

  constructor(names: Names, tables: Tables) {
    this.#names = names;
    this.#tables = tables;
  }

  /** The input for a formula, which is given without "=". */
  read(text: string, place: FormulaPlace): string {
    const formula = formulaFromFile(this.#resolved(text, place));
    return `=${place.isArray ? formula : withIntersections(formula)}`;
  }

  /** A formula that names would make too long keeps them, and shows #NAME?. */
  #resolved(text: string, { sheet, row, column }: FormulaPlace): string {
    if (this.#names.isEmpty && this.#tables.isEmpty) return text;
    const meaningOf = (reference: string) =>
      this.#names.at(reference, sheet, { row, column }) ?? this.#tables.at(reference, sheet, row);
    return resolveNames(text, meaningOf) ?? text;
  }
}

const PREFIX = /^(?:_xlfn\.|_xlws\.|_xlpm\.|_xleta\.)+/i;
/** A parameter of LAMBDA that may be left out. */
const OPTIONAL = /^_xlop\.(.+)$/i;

/**
 * A formula of a file as people write it: newer functions without the prefix that files put before them, `@` and `#` for
 * the calls that files make of them. It is given, and answered, without "=".
 */
export function formulaFromFile(text: string): string {
  if (!/_xl/i.test(text)) return text;
  const tokens = tokensOf(text);
  if (isNestedTooDeeply(tokens)) return text;
  return written({ tokens, ends: operandEnds(tokens) }, 0, tokens.length);
}

/** The tokens of a formula, and where the operands end that begin at them. */
interface Operands {
  readonly tokens: readonly Token[];
  readonly ends: readonly number[];
}

function written({ tokens, ends }: Operands, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; ) {
    const end = isSign(tokens[at]) ? Math.min(ends[at] ?? to, to) : at + 1;
    text += end > at + 1 ? signOf({ tokens, ends }, at, end) : bare(tokens[at]);
    at = end;
  }
  return text;
}

function bare(token: Token | undefined): string {
  if (!token) return '';
  const mayHavePrefix = isCall(token) || token.type === tokenTypes.REF_NAMED;
  return mayHavePrefix ? token.value.replace(PREFIX, '').replace(OPTIONAL, '[$1]') : token.value;
}

function isSign(token: Token | undefined): boolean {
  return isCall(token) && /^_xlfn\.(?:SINGLE|ANCHORARRAY)$/i.test(token?.value ?? '');
}

/** A whole call, such as _xlfn.SINGLE(A1:A3). */
function signOf(operands: Operands, from: number, to: number): string {
  const { tokens, ends } = operands;
  const [first, last] = [from + 2, to - 1];
  if (!isOperator(tokens[last], ')')) return textOf(tokens.slice(from, to));
  const inner = written(operands, first, last);
  const operand = first < last && Math.min(ends[first] ?? last, last) === last ? inner : `(${inner})`;
  return /SINGLE$/i.test(tokens[from]?.value ?? '') ? `@${operand}` : `${operand}#`;
}
