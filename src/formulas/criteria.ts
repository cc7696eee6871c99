import { numberOfText } from './number-text.ts';
import { compareTexts, compareValues } from './operators.ts';
import { CellError, ERROR_CODES, type Scalar } from './values.ts';

/** Whether a pattern contains wildcards: "*" (any text), "?" (one character), "~" (escapes either). */
export function hasWildcards(pattern: string): boolean {
  return /[*?~]/.test(pattern);
}

/** Returns a case-insensitive test of whole texts against a pattern. */
export function wildcardTest(pattern: string): (text: string) => boolean {
  const segments = segmentsOf(pattern.toLowerCase());
  return (text) => matches(segments, text.toLowerCase());
}

/**
 * The offset of the first match of a pattern from `from` on, case-insensitive; -1 without one. The leftmost match
 * of the first segment leaves most room for the others, so each segment is searched once.
 */
export function findWildcard(pattern: string, text: string, from = 0): number {
  const [first = [], ...others] = segmentsOf(pattern.toLowerCase());
  const lower = text.toLowerCase();
  const start = findWithGaps(first, lower, from);
  return start < 0 || endOf(others, lower, start + first.length) < 0 ? -1 : start;
}

/** The first segment must match at the start, the last one at the end, the others between them in order. */
function matches(segments: readonly Gapped[], text: string): boolean {
  const [first = [], ...others] = segments;
  const last = others.pop();
  if (last === undefined) return text.length === first.length && matchesAt(first, text, 0);
  const tail = text.length - last.length;
  if (tail < first.length || !matchesAt(first, text, 0) || !matchesAt(last, text, tail)) return false;
  const end = endOf(others, text, first.length);
  return end >= 0 && end <= tail;
}

function matchesAt(segment: Gapped, text: string, at: number): boolean {
  return segment.every((piece, offset) => piece === GAP || piece === text[at + offset]);
}

/** The end offset of the segments, searched one after the other; -1 when one is missing. */
function endOf(segments: readonly Gapped[], text: string, from: number): number {
  let end = from;
  for (const segment of segments) {
    const found = findWithGaps(segment, text, end);
    if (found < 0) return -1;
    end = found + segment.length;
  }
  return end;
}

/** The segments between the "*" of a pattern. */
function segmentsOf(pattern: string): Gapped[] {
  const segments: (string | typeof GAP)[][] = [[]];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') segments.push([]);
    else if (character === '?') segments.at(-1)?.push(GAP);
    else if (character === '~') segments.at(-1)?.push(...pattern.charAt(++at));
    else segments.at(-1)?.push(character);
  }
  return segments;
}

/** Matches any one character. */
const GAP = Symbol('?');

/** A text with some arbitrary characters. */
type Gapped = readonly (string | typeof GAP)[];

const WORD = 32;

/** The offset of the first match of a text with gaps, from `from` on; -1 without one. */
function findWithGaps(wanted: Gapped, text: string, from: number): number {
  if (wanted.length === 0) return from <= text.length ? from : -1;
  if (!wanted.includes(GAP)) return text.indexOf(wanted.join(''), from);
  return new ShiftAnd(wanted).find(text, from);
}

/**
 * The Shift-And algorithm: bit i is set while a match of the first i+1 characters ends here. The time is the
 * product of both lengths divided by the bits of a word, for any content.
 */
class ShiftAnd {
  readonly #length: number;
  readonly #gaps: Uint32Array;
  /** The positions of each character; as bits for a frequent character, of which there can be only few. */
  readonly #positions = new Map<string, number[]>();
  readonly #bits = new Map<string, Uint32Array>();

  constructor(wanted: Gapped) {
    this.#length = wanted.length;
    const gaps: number[] = [];
    for (const [at, piece] of wanted.entries()) {
      const positions = piece === GAP ? gaps : this.#positionsOf(piece);
      positions.push(at);
    }
    this.#gaps = this.#bitsOf(gaps);
    for (const [character, positions] of this.#positions) {
      if (positions.length > this.#gaps.length)
        this.#bits.set(character, this.#bitsOf([...positions, ...gaps]));
    }
  }

  find(text: string, from: number): number {
    const state = new Uint32Array(this.#gaps.length);
    const before = new Uint32Array(this.#gaps.length);
    const last = this.#length - 1;
    for (let at = from; at < text.length; at++) {
      before.set(state);
      this.#advance(before, state, text.charAt(at));
      if (isSet(state, last)) return at - last;
    }
    return -1;
  }

  /** Advances all partial matches by one character. */
  #advance(before: Uint32Array, state: Uint32Array, character: string): void {
    const allowed = this.#bits.get(character) ?? this.#gaps;
    let carry = 1;
    for (let word = 0; word < state.length; word++) {
      const bits = before[word] as number;
      state[word] = ((bits << 1) | carry) & (allowed[word] as number);
      carry = bits >>> (WORD - 1);
    }
    if (allowed !== this.#gaps) return;
    for (const position of this.#positions.get(character) ?? []) {
      if (position === 0 || isSet(before, position - 1)) set(state, position);
    }
  }

  #positionsOf(character: string): number[] {
    const positions = this.#positions.get(character) ?? [];
    this.#positions.set(character, positions);
    return positions;
  }

  #bitsOf(positions: readonly number[]): Uint32Array {
    const bits = new Uint32Array(Math.ceil(this.#length / WORD));
    for (const position of positions) set(bits, position);
    return bits;
  }
}

function isSet(bits: Uint32Array, position: number): boolean {
  return ((bits[position >>> 5] as number) & (1 << (position & 31))) !== 0;
}

function set(bits: Uint32Array, position: number): void {
  bits[position >>> 5] = (bits[position >>> 5] as number) | (1 << (position & 31));
}

export type Criterion = (value: Scalar) => boolean;
type Operator = '=' | '<>' | '<' | '>' | '<=' | '>=';

/**
 * The test of a criterion of COUNTIF and similar functions: a value to equal, or an operator and a value, with
 * wildcards.
 */
export function criterionOf(wanted: Scalar): Criterion {
  if (typeof wanted !== 'string') return equalTo(wanted ?? 0);
  const [, operator = '', operand = ''] = /^(<>|<=|>=|=|<|>)?(.*)$/s.exec(wanted) ?? [];
  if (operand === '' && operator !== '') return emptiness(operator as Operator);
  const value = operandOf(operand);
  if (operator === '' || operator === '=') return equalTo(value);
  // A text that contains the number both equals it and differs from it, as in Excel.
  if (operator === '<>') return typeof value === 'number' ? (cell) => cell !== value : not(equalTo(value));
  return orderTest(operator as Operator, value);
}

/** "=" matches empty cells, "<>" non-empty ones; an order operator without an operand matches nothing. */
function emptiness(operator: Operator): Criterion {
  if (operator === '=') return (value) => value === null;
  return operator === '<>' ? (value) => value !== null : () => false;
}

function operandOf(text: string): Exclude<Scalar, null> {
  const upper = text.toUpperCase();
  if (upper === 'TRUE' || upper === 'FALSE') return upper === 'TRUE';
  const code = ERROR_CODES.find((one) => one === upper);
  return code === undefined ? (numberOfText(text) ?? text) : new CellError(code);
}

function equalTo(wanted: Exclude<Scalar, null>): Criterion {
  if (wanted instanceof CellError) return (value) => value instanceof CellError && value.code === wanted.code;
  if (typeof wanted === 'number') return (value) => numberIn(value) === wanted;
  if (typeof wanted === 'boolean') return (value) => value === wanted;
  if (wanted === '') return (value) => value === null || value === '';
  if (hasWildcards(wanted)) {
    const test = wildcardTest(wanted);
    return (value) => typeof value === 'string' && test(value);
  }
  return (value) => typeof value === 'string' && compareTexts(value, wanted) === 0;
}

/** A text that contains a number equals that number. */
function numberIn(value: Scalar): number | undefined {
  if (typeof value === 'string') return numberOfText(value);
  return typeof value === 'number' ? value : undefined;
}

/** Only values of the operand's type compare with it. */
function orderTest(operator: Operator, wanted: Exclude<Scalar, null>): Criterion {
  if (wanted instanceof CellError) return () => false;
  return (value) => {
    if (typeof value !== typeof wanted || value === null || value instanceof CellError) return false;
    const order = compareValues(value, wanted);
    if (operator === '<') return order < 0;
    if (operator === '>') return order > 0;
    return operator === '<=' ? order <= 0 : order >= 0;
  };
}

function not(criterion: Criterion): Criterion {
  return (value) => !criterion(value);
}
