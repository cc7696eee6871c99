import {
  type RangeA1,
  readA1Ref,
  stringifyA1Ref,
  tokenTypes,
} from '../../../formulas/syntax/formula-library.ts';
import { type CellAddress, MAX_COLUMNS, MAX_ROWS } from '../workbook.ts';
import type { Tables } from './tables.ts';
import { isCall, isNestedTooDeeply, tokensOf } from './tokens.ts';

const RANGES: ReadonlySet<string> = new Set([
  tokenTypes.REF_RANGE,
  tokenTypes.REF_BEAM,
  tokenTypes.REF_TERNARY,
]);

/**
 * A formula that can be moved to other cells: its relative references move with it and wrap at the edges of the
 * sheet.
 */
class MovableFormula {
  readonly #origin: CellAddress;
  readonly #pieces: readonly (string | Reference)[];

  constructor(text: string, origin: CellAddress) {
    this.#origin = origin;
    this.#pieces = tokensOf(text).map(({ type, value }) => (RANGES.has(type) ? referenceOf(value) : value));
  }

  at(address: CellAddress): string {
    const rows = address.row - this.#origin.row;
    const columns = address.column - this.#origin.column;
    return this.#pieces
      .map((piece) => (typeof piece === 'string' ? piece : referenceText(piece, rows, columns)))
      .join('');
  }
}

interface Reference {
  /** The sheet prefix as written. */
  readonly prefix: string;
  readonly range: RangeA1;
  /** Written as a range, even if it covers one cell. */
  readonly isRange: boolean;
}

function referenceOf(text: string): Reference | string {
  const start = text.lastIndexOf('!') + 1;
  const found = readA1Ref(text.slice(start));
  if (!found || !('range' in found)) return text;
  return { prefix: text.slice(0, start), range: found.range, isRange: text.includes(':', start) };
}

function referenceText({ prefix, range, isRange }: Reference, rows: number, columns: number): string {
  const text = stringifyA1Ref({ range: moveRange(range, rows, columns) });
  return prefix + (isRange && !text.includes(':') ? `${text}:${text}` : text);
}

function moveRange(range: RangeA1, rows: number, columns: number): RangeA1 {
  const { top, bottom, left, right, $top, $bottom, $left, $right } = range;
  return {
    ...range,
    top: shiftIndex(top, $top, rows, MAX_ROWS),
    bottom: shiftIndex(bottom, $bottom, rows, MAX_ROWS),
    left: shiftIndex(left, $left, columns, MAX_COLUMNS),
    right: shiftIndex(right, $right, columns, MAX_COLUMNS),
  };
}

function shiftIndex(
  at: number | null | undefined,
  isFixed: boolean | null | undefined,
  by: number,
  size: number,
): number | null {
  if (at === null || at === undefined) return null;
  return isFixed ? at : (((at + by) % size) + size) % size;
}

/** Shared formulas: the file has the text at one cell, and other cells of the group refer to it. */
export class SharedFormulas {
  readonly #groups = new Map<string, { text: string; address: CellAddress; movable?: MovableFormula }>();

  /** The formula of a group at a cell; undefined for an unknown group. A cell with a text starts a group. */
  at(group: string, text: string, address: CellAddress): string | undefined {
    if (text !== '') this.#groups.set(group, { text, address });
    const found = this.#groups.get(group);
    if (!found || text !== '') return found?.text;
    found.movable ??= new MovableFormula(found.text, found.address);
    return found.movable.at(address);
  }
}

/** A defined name of a workbook. */
export interface DefinedName {
  readonly name: string;
  /** The sheet of its scope; undefined for the whole workbook. */
  readonly sheet: string | undefined;
  /** Without "="; relative references are relative to A1. */
  readonly formula: string;
}

/** Returns the replacement of a reference, such as a reference to a table; undefined to leave it. */
type Resolve = (reference: string) => string | undefined;

/** Most characters of a formula after resolution; Excel's limit. */
const MAX_LENGTH = 8_192;
/** Deepest nesting of names; each level is a recursive call. */
const MAX_NAMES_WITHIN = 32;
/** A name that refers to itself, directly or through others. */
const CIRCULAR = Symbol('circular');
const A1 = { row: 0, column: 0 };
/** Token types that need no parentheses in any context. */
const PLAIN: ReadonlySet<string> = new Set([
  tokenTypes.NUMBER,
  tokenTypes.STRING,
  tokenTypes.BOOLEAN,
  tokenTypes.ERROR,
  tokenTypes.REF_RANGE,
  tokenTypes.REF_BEAM,
]);

/** Replaces names with their meanings: sheets have no names of their own. */
export class Names {
  readonly #defined = new Map<string, DefinedName>();
  /** The resolved meanings of names, relative to A1; undefined for an unresolvable one. */
  readonly #meanings = new Map<DefinedName, MovableFormula | undefined | typeof CIRCULAR>();
  readonly #tables: Tables;
  #depth = 0;

  constructor(names: readonly DefinedName[], tables: Tables) {
    this.#tables = tables;
    for (const defined of names) this.#defined.set(keyOf(defined.name, defined.sheet), defined);
  }

  get isEmpty(): boolean {
    return this.#defined.size === 0;
  }

  /** The meaning of a name in a cell; undefined for an unknown name or one without a usable meaning. */
  at(
    reference: string,
    sheet: string | undefined,
    cell: { row: number; column: number },
  ): string | undefined {
    const defined = this.#find(reference, sheet);
    const meaning = defined && this.#meaningOf(defined);
    return meaning?.at(cell);
  }

  #find(reference: string, sheet: string | undefined): DefinedName | undefined {
    const end = reference.lastIndexOf('!');
    const name = reference.slice(end + 1);
    const scope = end < 0 ? sheet : reference.slice(0, end).replace(/^'|'$/g, '').replaceAll("''", "'");
    return this.#defined.get(keyOf(name, scope)) ?? this.#defined.get(keyOf(name, undefined));
  }

  #meaningOf(defined: DefinedName): MovableFormula | undefined {
    const known = this.#meanings.get(defined);
    if (known === CIRCULAR) return undefined;
    if (known !== undefined || this.#meanings.has(defined)) return known;
    if (this.#depth >= MAX_NAMES_WITHIN) return undefined;
    this.#meanings.set(defined, CIRCULAR);
    this.#depth++;
    const text = this.#resolved(defined);
    this.#depth--;
    const meaning = text === undefined ? undefined : new MovableFormula(text, A1);
    this.#meanings.set(defined, meaning);
    return meaning;
  }

  #meaningIn(reference: string, sheet: string | undefined): string | undefined {
    return this.at(reference, sheet, A1) ?? this.#tables.at(reference, sheet, A1.row);
  }

  #resolved({ formula, sheet }: DefinedName): string | undefined {
    if (formula.length > MAX_LENGTH) return undefined;
    const text = resolveNames(formula, (reference) => this.#meaningIn(reference, sheet));
    if (text === undefined || text === '') return undefined;
    const tokens = tokensOf(text);
    const isPlain = tokens.length === 1 && PLAIN.has(tokens[0]?.type ?? '');
    return isPlain ? text : `(${text})`;
  }
}

/** A formula with its names replaced; undefined when the result is too long. */
export function resolveNames(formula: string, resolve: Resolve): string | undefined {
  const tokens = tokensOf(formula);
  if (isNestedTooDeeply(tokens)) return undefined;
  let text = '';
  for (const token of tokens) {
    const mayBeName =
      token.type === tokenTypes.REF_NAMED || token.type === tokenTypes.REF_STRUCT || isCall(token);
    text += (mayBeName ? resolve(token.value) : undefined) ?? token.value;
    if (text.length > MAX_LENGTH) return undefined;
  }
  return text;
}

/** Names of names and sheets are case-insensitive. */
function keyOf(name: string, sheet: string | undefined): string {
  return JSON.stringify([name.toLowerCase(), sheet?.toLowerCase()]);
}
