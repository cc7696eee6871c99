import { numberOfText } from './number-text.ts';
import { compareTexts, compareValues } from './operators.ts';
import { CellError, ERROR_CODES, type Scalar } from './values.ts';

/** Whether a pattern has what makes it one: "*" (anything), "?" (one character), "~" before either to mean itself. */
export function hasWildcards(pattern: string): boolean {
  return /[*?~]/.test(pattern);
}

/** A test of whole texts against a pattern, without regard to case. */
export function wildcardTest(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern.toLowerCase());
  return (text) => matches(parts, text.toLowerCase());
}

/**
 * Where a pattern is found first in a text, from a place on, without regard to case; -1 when nowhere. What stands before
 * the first "*" leaves most room for the rest where it is found first, so each part is looked for once.
 */
export function findWildcard(pattern: string, text: string, from = 0): number {
  const [first = [], ...others] = partsOf(pattern.toLowerCase());
  const lower = text.toLowerCase();
  const start = findWithGaps(first, lower, from);
  return start < 0 || endOf(others, lower, start + first.length) < 0 ? -1 : start;
}

/** The part before the first "*" stands at the begin, the one behind the last at the end, the others between in their order. */
function matches(parts: readonly Gapped[], text: string): boolean {
  const [first = [], ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text.length === first.length && standsAt(first, text, 0);
  const tail = text.length - last.length;
  if (tail < first.length || !standsAt(first, text, 0) || !standsAt(last, text, tail)) return false;
  const end = endOf(others, text, first.length);
  return end >= 0 && end <= tail;
}

function standsAt(part: Gapped, text: string, at: number): boolean {
  return part.every((piece, offset) => piece === GAP || piece === text[at + offset]);
}

/** Where parts end that follow each other from a place on; -1 where one is missing. */
function endOf(parts: readonly Gapped[], text: string, from: number): number {
  let end = from;
  for (const part of parts) {
    const found = findWithGaps(part, text, end);
    if (found < 0) return -1;
    end = found + part.length;
  }
  return end;
}

/** What stands between the "*" of a pattern. */
function partsOf(pattern: string): Gapped[] {
  const parts: (string | typeof GAP)[][] = [[]];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') parts.push([]);
    else if (character === '?') parts.at(-1)?.push(GAP);
    else if (character === '~') parts.at(-1)?.push(...pattern.charAt(++at));
    else parts.at(-1)?.push(character);
  }
  return parts;
}

/** Stands for any one character. */
const GAP = Symbol('?');

/** A text some of whose characters may be any. */
type Gapped = readonly (string | typeof GAP)[];

const WORD = 32;

/** Where a text with gaps is found first in another, from a place on; -1 when nowhere. */
function findWithGaps(wanted: Gapped, text: string, from: number): number {
  if (wanted.length === 0) return from <= text.length ? from : -1;
  if (!wanted.includes(GAP)) return text.indexOf(wanted.join(''), from);
  return new Beginnings(wanted).find(text, from);
}

/**
 * All places that may be the begin of what is looked for, as bits that move on by one with each character (Shift-And): the
 * time is the product of both lengths divided by the bits of a word, whatever stands in them.
 */
class Beginnings {
  readonly #length: number;
  readonly #gaps: Uint32Array;
  /** Where each character stands; of one that stands in many places as bits, so that few have so many. */
  readonly #places = new Map<string, number[]>();
  readonly #bits = new Map<string, Uint32Array>();

  constructor(wanted: Gapped) {
    this.#length = wanted.length;
    const gaps: number[] = [];
    for (const [at, piece] of wanted.entries()) {
      const places = piece === GAP ? gaps : this.#placesOf(piece);
      places.push(at);
    }
    this.#gaps = this.#bitsOf(gaps);
    for (const [character, places] of this.#places) {
      if (places.length > this.#gaps.length) this.#bits.set(character, this.#bitsOf([...places, ...gaps]));
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

  /** Moves all beginnings on by a character, and keeps those that it goes on with. */
  #advance(before: Uint32Array, state: Uint32Array, character: string): void {
    const allowed = this.#bits.get(character) ?? this.#gaps;
    let carry = 1;
    for (let word = 0; word < state.length; word++) {
      const bits = before[word] as number;
      state[word] = ((bits << 1) | carry) & (allowed[word] as number);
      carry = bits >>> (WORD - 1);
    }
    if (allowed !== this.#gaps) return;
    for (const place of this.#places.get(character) ?? []) {
      if (place === 0 || isSet(before, place - 1)) set(state, place);
    }
  }

  #placesOf(character: string): number[] {
    const places = this.#places.get(character) ?? [];
    this.#places.set(character, places);
    return places;
  }

  #bitsOf(places: readonly number[]): Uint32Array {
    const bits = new Uint32Array(Math.ceil(this.#length / WORD));
    for (const place of places) set(bits, place);
    return bits;
  }
}

function isSet(bits: Uint32Array, place: number): boolean {
  return ((bits[place >>> 5] as number) & (1 << (place & 31))) !== 0;
}

function set(bits: Uint32Array, place: number): void {
  bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31));
}

export type Criterion = (value: Scalar) => boolean;
type Operator = '=' | '<>' | '<' | '>' | '<=' | '>=';

/** The test that COUNTIF and its kin make of a criterion: a value to equal, or an operator and a value, with wildcards. */
export function criterionOf(wanted: Scalar): Criterion {
  if (typeof wanted !== 'string') return equalTo(wanted ?? 0);
  const [, operator = '', operand = ''] = /^(<>|<=|>=|=|<|>)?(.*)$/s.exec(wanted) ?? [];
  if (operand === '' && operator !== '') return emptiness(operator as Operator);
  const value = operandOf(operand);
  if (operator === '' || operator === '=') return equalTo(value);
  // A text that spells the number equals it, and differs from it all the same.
  if (operator === '<>') return typeof value === 'number' ? (cell) => cell !== value : not(equalTo(value));
  return ordered(operator as Operator, value);
}

/** "=" finds what is empty, "<>" what is not, and no order holds of nothing. */
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
  if (typeof wanted === 'number') return (value) => numeric(value) === wanted;
  if (typeof wanted === 'boolean') return (value) => value === wanted;
  if (wanted === '') return (value) => value === null || value === '';
  if (hasWildcards(wanted)) {
    const test = wildcardTest(wanted);
    return (value) => typeof value === 'string' && test(value);
  }
  return (value) => typeof value === 'string' && compareTexts(value, wanted) === 0;
}

/** A text that spells a number equals that number. */
function numeric(value: Scalar): number | undefined {
  if (typeof value === 'string') return numberOfText(value);
  return typeof value === 'number' ? value : undefined;
}

/** Only values of the operand's own type are in an order with it. */
function ordered(operator: Operator, wanted: Exclude<Scalar, null>): Criterion {
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
