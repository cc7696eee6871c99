import type { IndexedField, SearchedKind } from '../../storage/full-text/full-text-index.ts';
import { wordsOf } from '../../text/words.ts';

/** A question of a search: at least one literal of each clause holds. */
export interface Query {
  readonly clauses: readonly Clause[];
}

export type Clause = readonly Literal[];

export interface Literal {
  readonly isNegated: boolean;
  readonly atom: Atom;
}

/** The fields that an operator names. */
export type NamedField = Exclude<IndexedField, 'cells' | 'other'>;

/** Words that stand together in one text; `isPrefix`: the last one is a beginning. */
export interface WordsAtom {
  readonly type: 'words';
  /** Undefined: any field. */
  readonly field: NamedField | undefined;
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/** One condition. Times are milliseconds since the epoch. */
export type Atom =
  | WordsAtom
  | { readonly type: 'label' | 'in' | 'owner'; readonly value: string }
  | { readonly type: 'is'; readonly is: MessageState }
  | { readonly type: 'has_attachment' }
  | { readonly type: 'before' | 'after'; readonly at: number }
  | { readonly type: 'larger' | 'smaller'; readonly bytes: number }
  | { readonly type: 'kind'; readonly kind: SearchedKind };

export type MessageState = 'unread' | 'read' | 'starred' | 'answered';

/** Conditions of a query: more would take long in the index. */
const MOST_CONDITIONS = 64;

/**
 * Reads a query: words, phrases in quotes, beginnings with "*", "-" before what must not be there, OR between two
 * conditions, and operators. What cannot be read as an operator is text, what has no word says nothing. Linear in the
 * length of the text. Returns a sentence about what is wrong with a query that says nothing.
 */
export function parseQuery(text: string): Query | { problem: string } {
  const clauses = groupsOf(text).map((tokens) =>
    tokens.flatMap((token) => {
      const atom = atomOf(token);
      return atom ? [{ isNegated: token.isNegated, atom }] : [];
    }),
  );
  return checked({ clauses: clauses.filter((clause) => clause.length > 0) });
}

/** The pieces of a query: in a group those that OR joins. An OR with nothing on one side says nothing. */
function groupsOf(text: string): Token[][] {
  const groups: Token[][] = [];
  let joinsLast = false;
  for (const token of tokensOf(text)) {
    const last = groups.at(-1);
    if (token.isOr) {
      joinsLast = last !== undefined;
      continue;
    }
    if (joinsLast && last) last.push(token);
    else groups.push([token]);
    joinsLast = false;
  }
  return groups;
}

function checked(query: Query): Query | { problem: string } {
  const literals = query.clauses.flat();
  if (literals.length === 0)
    return { problem: 'Give at least one word, such as invoice, or an operator, such as from:anna.' };
  if (literals.every(({ isNegated }) => isNegated))
    return { problem: 'Give at least one word that is to be found, beside those with "-".' };
  if (literals.length > MOST_CONDITIONS)
    return { problem: `Give at most ${MOST_CONDITIONS} words and operators.` };
  return query;
}

/** A piece of a query between blanks. */
interface Token {
  readonly isOr: boolean;
  readonly isNegated: boolean;
  /** The name before a colon, in lower case; "" where there is none. */
  readonly name: string;
  readonly value: string;
  /** Whether "*" stands behind the quotes. */
  readonly hasStar: boolean;
}

/** "-", a name with a colon, then a text in quotes (the last may be missing) or without blanks. Phones write “ and ” for ". */
const TOKEN =
  /(?<minus>-)?(?:(?<name>[a-z]+):)?(?:["“”„](?<quoted>[^"“”„]*)["“”„]?(?<star>\*)?|(?<plain>[^\s"“”„]+))/giu;

function* tokensOf(text: string): Generator<Token> {
  for (const { 0: whole, groups = {} } of text.matchAll(TOKEN)) {
    const { minus, name = '', quoted, plain = '', star } = groups;
    yield {
      isOr: whole === 'OR',
      isNegated: minus !== undefined,
      name: name.toLowerCase(),
      value: quoted ?? plain,
      hasStar: star !== undefined,
    };
  }
}

const FIELDS: readonly string[] = ['from', 'to', 'cc', 'subject', 'body', 'filename'] satisfies NamedField[];
const STATES: readonly string[] = ['unread', 'read', 'starred', 'answered'] satisfies MessageState[];
const KINDS: readonly string[] = [
  'message',
  'contact',
  'file',
  'document',
  'spreadsheet',
] satisfies SearchedKind[];

/** The condition of a token; undefined for one without any word. */
function atomOf(token: Token): Atom | undefined {
  const { name, value } = token;
  if (FIELDS.includes(name)) return wordsAtom(name as NamedField, token) ?? textAtom(token);
  return operatorAtom(name, value.trim()) ?? textAtom(token);
}

/** All of a token as text: of a name that is no operator, the name too. */
function textAtom(token: Token): Atom | undefined {
  const value = token.name === '' ? token.value : `${token.name}:${token.value}`;
  return wordsAtom(undefined, { ...token, value });
}

/** A star right behind a word: invisible signs and marks may stand between. */
const STAR = /^[\p{M}\p{Cf}]*\*/u;

function wordsAtom(field: NamedField | undefined, { value, hasStar }: Token): WordsAtom | undefined {
  const found = Array.from(wordsOf(value));
  const last = found.at(-1);
  if (!last) return undefined;
  const isPrefix = hasStar || STAR.test(value.slice(last.start + last.length));
  return { type: 'words', field, words: found.map(({ word }) => word), isPrefix };
}

function operatorAtom(name: string, value: string): Atom | undefined {
  if (value === '') return undefined;
  switch (name) {
    case 'label':
    case 'in':
    case 'owner':
      return { type: name, value };
    case 'is':
      return STATES.includes(value.toLowerCase())
        ? { type: 'is', is: value.toLowerCase() as MessageState }
        : undefined;
    case 'has':
      return value.toLowerCase() === 'attachment' ? { type: 'has_attachment' } : undefined;
    case 'kind':
      return KINDS.includes(value.toLowerCase())
        ? { type: 'kind', kind: value.toLowerCase() as SearchedKind }
        : undefined;
    case 'before':
    case 'after':
      return timeAtom(name, value);
    case 'larger':
    case 'smaller':
      return sizeAtom(name, value);
    default:
      return undefined;
  }
}

/** A year, a month, a day, each from its beginning in UTC, or a time with its zone (RFC 3339). */
const TIME =
  /^\d{4}(?:-\d{2}(?:-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2}))?)?)?$/;

function timeAtom(type: 'before' | 'after', value: string): Atom | undefined {
  const at = TIME.test(value) ? Date.parse(value.toUpperCase()) : Number.NaN;
  const isDate = !Number.isNaN(at) && isDay(value);
  return isDate ? { type, at } : undefined;
}

/** Date.parse takes February 30 for March 2. */
function isDay(value: string): boolean {
  const [year, month = 1, day = 1] = value.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, month - 1, day)).getUTCDate() === day;
}

const SIZE = /^(?<digits>\d{1,15}(?:\.\d{1,6})?)(?:(?<unit>[KMG])(?:i?B)?|B)?$/i;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

function sizeAtom(type: 'larger' | 'smaller', value: string): Atom | undefined {
  const { digits, unit = '' } = SIZE.exec(value)?.groups ?? {};
  if (digits === undefined) return undefined;
  const bytes = Math.round(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1));
  return { type, bytes: Math.min(bytes, Number.MAX_SAFE_INTEGER) };
}

/** The words that a match shows: those that are not negated. */
export function shownWords({ clauses }: Query): WordsAtom[] {
  return clauses.flat().flatMap(({ isNegated, atom }) => (!isNegated && atom.type === 'words' ? [atom] : []));
}
