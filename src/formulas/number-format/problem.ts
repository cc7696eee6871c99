import { MAX_CODE } from './tokens.ts';

/** What a piece of a format code is for. Pieces of one kind need no difference here. */
type Kind = 'digit' | 'point' | 'exponent' | 'date' | 'general' | 'text' | 'condition' | 'section' | 'other';

type Form = readonly [form: RegExp, kind: Kind];

const DATE: Form = [/[ymdhsbg]+|e/iy, 'date'];
const ESCAPED: Form = [/.[^\p{Cc}]/uy, 'other'];
const DIGITS: Form = [/[0#?]+/y, 'digit'];

/** The forms of pieces by their first character in lower case; the first match counts. */
const FORMS: ReadonlyMap<string, readonly Form[]> = new Map<string, readonly Form[]>([
  ...Array.from('0#?', (first) => [first, [DIGITS]] as const),
  ['.', [[/\./y, 'point']]],
  [';', [[/;/y, 'section']]],
  ['@', [[/@/y, 'text']]],
  ['"', [[/"[^"]*"/y, 'other']]],
  ...Array.from('\\_*', (first) => [first, [ESCAPED]] as const),
  [
    '[',
    [
      [/\[(?:h+|m+|s+)\]/iy, 'date'],
      [/\[(?:<=|>=|<>|<|>|=)\s*-?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?\]/iy, 'condition'],
      [/\[\$[^[\]]*\]/y, 'other'],
      [/\[(?:black|blue|cyan|green|magenta|red|white|yellow|(?:DB|Nat)Num\d{1,2})\]/iy, 'other'],
      [/\[colou?r ?(?:[1-9]|[1-4]\d|5[0-6])\]/iy, 'other'],
    ],
  ],
  ['g', [[/General/iy, 'general'], DATE]],
  ['a', [[/AM\/PM|A\/P/iy, 'date']]],
  ['e', [[/E[+-]/iy, 'exponent'], DATE]],
  ...Array.from('ymdhsb', (first) => [first, [DATE]] as const),
]);

/** Characters that show themselves. What matches no form is a mistake. */
const PLAIN: readonly Form[] = [[/[^A-Z"[\]\\_*\p{Cc}0#?.;@]+/iuy, 'other']];

/** The numbers of sections for numbers, and of all: the last one is for texts. */
const MOST_NUMERIC = 3;
const MOST_SECTIONS = 4;
const MOST_CONDITIONS = 2;

/**
 * Why a text is no number format code of Excel, as a sentence that says what to do; undefined if it is one. Takes time
 * in proportion to the length of the text.
 */
export function formatProblem(code: string): string | undefined {
  if (code === '' || code.length > MAX_CODE) {
    return `A number format has 1 to ${MAX_CODE} characters; null takes the format away.`;
  }
  if (!code.isWellFormed()) return 'A number format has no half of a surrogate pair.';
  const sections: Kind[][] = [[]];
  for (let at = 0; at < code.length; ) {
    const piece = pieceAt(code, at);
    if (!piece) return mistakeAt(code, at);
    if (piece.kind === 'section') sections.push([]);
    else sections.at(-1)?.push(piece.kind);
    at = piece.end;
  }
  return problemOf(sections);
}

function pieceAt(code: string, at: number): { kind: Kind; end: number } | undefined {
  for (const [form, kind] of FORMS.get(code.charAt(at).toLowerCase()) ?? PLAIN) {
    form.lastIndex = at;
    if (form.test(code)) return { kind, end: form.lastIndex };
  }
  return undefined;
}

function mistakeAt(code: string, at: number): string {
  const where = `at character ${at + 1}`;
  const character = String.fromCodePoint(code.codePointAt(at) ?? 0);
  if (character === '"') return `The quotation mark ${where} is not closed.`;
  if (character === '[') {
    return `The bracket ${where} is not closed, or is neither a colour, a condition, a currency, a language nor elapsed time.`;
  }
  if ('\\_*'.includes(character)) return `The ${character} ${where} needs a character behind it.`;
  if (/\p{Cc}/u.test(character)) return `The control character ${where} cannot be shown; leave it out.`;
  return `The ${character} ${where} stands for nothing in a number format; to show it, put it in quotation marks.`;
}

function problemOf(sections: readonly Kind[][]): string | undefined {
  if (sections.length > MOST_SECTIONS) {
    return 'A number format has at most 4 sections: for positive numbers, negative ones, zero and texts.';
  }
  const has = (section: readonly Kind[], ...kinds: Kind[]) => section.some((kind) => kinds.includes(kind));
  if (sections.filter((section) => has(section, 'text')).length > 1) return 'Only one section is for texts.';
  if (sections.slice(MOST_NUMERIC).some((section) => has(section, 'digit', 'date', 'exponent', 'general'))) {
    return 'The fourth section is for texts; write @ there for the text.';
  }
  if (sections.flat().filter((kind) => kind === 'condition').length > MOST_CONDITIONS) {
    return `A number format has at most ${MOST_CONDITIONS} conditions.`;
  }
  for (const section of sections) {
    if (has(section, 'date') && hasOtherDigits(section)) {
      return 'A section shows either a date or digits; after seconds, .000 shows their fractions.';
    }
    if (has(section, 'general') && has(section, 'digit', 'date', 'exponent')) {
      return 'General stands in a section without digits and dates.';
    }
    if (has(section, 'exponent') && !has(section, 'digit')) return 'An exponent needs digits before it.';
  }
  return undefined;
}

/** Whether a section with a date has digits other than those of a fraction of a second, behind a point. */
function hasOtherDigits(section: readonly Kind[]): boolean {
  let isFraction = false;
  for (const kind of section) {
    if (kind === 'exponent' || (kind === 'digit' && !isFraction)) return true;
    isFraction = kind === 'point' || (kind === 'digit' && isFraction);
  }
  return false;
}
