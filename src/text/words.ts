import { memoize } from './fold.ts';

/** A word of a text: as it is compared, and where it stands in the text, in UTF-16 units. */
export interface Word {
  readonly word: string;
  readonly start: number;
  readonly length: number;
}

/** Code points of a word that are compared: nobody searches for a longer word. */
export const LONGEST_WORD = 64;

/**
 * The words of a text in order. A word is a run of letters, marks and digits of any script; in scripts that put no blanks
 * between words, what the dictionary of ICU says; or an emoji. Words are compared without regard to case, accents and
 * width. A sign that stands for several words, such as "½", gives each of them at its place. Linear in the length of the
 * text.
 */
export function* wordsOf(text: string): Generator<Word> {
  for (let at = 0; at < text.length; ) {
    const end = asciiEnd(text, at);
    if (end > at && !(text.charCodeAt(end) > LAST_ASCII)) {
      yield {
        word: text.slice(at, Math.min(end, at + LONGEST_WORD)).toLowerCase(),
        start: at,
        length: end - at,
      };
      at = end;
    } else if (text.charCodeAt(at) <= LAST_ASCII && end === at) {
      at++;
    } else {
      const run = runAt(text, at);
      const next = run ? endOfRun(text, run, at) : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
      if (run) yield* wordsOfRun(run, at, next - at);
      at = next;
    }
  }
}

const LAST_ASCII = 0x7f;

const IS_ASCII_WORD = Uint8Array.from({ length: LAST_ASCII + 1 }, (_, unit) =>
  Number(/[a-z0-9]/i.test(String.fromCharCode(unit))),
);

/** Where a run of ASCII letters and digits ends. */
function asciiEnd(text: string, start: number): number {
  let end = start;
  while (IS_ASCII_WORD[text.charCodeAt(end)]) end++;
  return end;
}

/** Scripts without blanks between words, with marks that kana share and variation selectors, which have no script. */
const UNSPACED = String.raw`[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]&&[\p{L}\p{N}\p{M}]]\u30fc\uff70\uff9e\uff9f\u3099\u309a\p{Variation_Selector}`;
const SPACED = String.raw`[\p{L}\p{N}\p{M}]--[${UNSPACED}]`;
/** Invisible signs within a word, such as the soft hyphen. */
const INVISIBLE = String.raw`\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff`;
/** Pictographs, without signs that are letters or punctuation first. */
const PICTOGRAPH = String.raw`[\p{Extended_Pictographic}--[\p{ASCII}©®‼⁉™ℹⓂ〰〽㊗㊙]][\ufe0e\ufe0f\p{Emoji_Modifier}\u{e0020}-\u{e007f}]{0,64}`;

/** Characters of a piece of a run: expressions that match millions at once overflow their stack. */
const PIECE = 1_024;

/** A run of one of the two sorts of scripts, or its beginning, or an emoji: a flag or several joined pictographs. */
const RUN = new RegExp(
  `(?<unspaced>[${UNSPACED}]{1,${PIECE}})|[${SPACED}]{1,${PIECE}}(?:[${INVISIBLE}]{1,${PIECE}}[${SPACED}]{1,${PIECE}}){0,64}|(?<emoji>\\p{Regional_Indicator}{1,2}|${PICTOGRAPH}(?:\\u200d${PICTOGRAPH}){0,64})`,
  'vy',
);

/** What may come behind the beginning of a run with blanks before and behind it. */
const MORE_OF_RUN = new RegExp(`[${INVISIBLE}]{0,${PIECE}}[${SPACED}]{1,${PIECE}}`, 'vy');

function runAt(text: string, at: number): RegExpExecArray | null {
  RUN.lastIndex = at;
  return RUN.exec(text);
}

/** Where a run ends. A long one may go on behind its beginning, of which nothing is compared any more. */
function endOfRun(text: string, { 0: run, groups }: RegExpExecArray, at: number): number {
  let end = at + run.length;
  if (run.length < 64 || groups?.unspaced !== undefined || groups?.emoji !== undefined) return end;
  for (MORE_OF_RUN.lastIndex = end; MORE_OF_RUN.test(text); end = MORE_OF_RUN.lastIndex);
  return end;
}

function* wordsOfRun({ 0: run, groups }: RegExpExecArray, start: number, length: number): Generator<Word> {
  if (groups?.unspaced !== undefined) yield* wordsOfUnspaced(run, start);
  else yield* wordsAt(groups?.emoji === undefined ? normalized(run) : plainEmoji(run), start, length);
}

function* wordsOfUnspaced(run: string, start: number): Generator<Word> {
  const { text, starts, ends } = composed(run);
  let at = 0;
  for (const segment of segmentsOf(text)) {
    const begin = starts ? (starts[at] ?? 0) : at;
    at += segment.length;
    const end = ends ? (ends[at - 1] ?? 0) : at;
    yield* wordsAt(normalized(segment), start + begin, end - begin);
  }
}

/**
 * The words of a text by the dictionary. One character is one word: to ask for it would make a break iterator, which takes four
 * times as long and is much garbage.
 */
function* segmentsOf(text: string): Generator<string> {
  if (text.length === 1) {
    yield text;
    return;
  }
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Made when it is needed: it loads a dictionary. The language does not matter for the scripts that it reads. */
let segmenter: Intl.Segmenter | undefined;

/** A text in the form that the dictionary knows; of each unit, where it comes from. Undefined: nothing has changed. */
interface Composed {
  readonly text: string;
  readonly starts?: readonly number[];
  readonly ends?: readonly number[];
}

/**
 * Letters that may have another form: kana in half width or with separate marks, selected or compatible ideographs, vowels
 * of Thai and Lao in two parts.
 */
const RECOMPOSED =
  /[\u0e4d\u0ecd\u0edc\u0edd\u102e\u3099\u309a\u309f\u30ff\uf900-\ufaff\uff66-\uff9f\u{2f800}-\u{2fa1f}]|\p{Variation_Selector}/u;
/** A letter and its marks: so few that sorting them, which takes quadratic time, does not matter. */
const LETTER_WITH_MARKS = /[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]{0,30}|[\p{M}\uff9e\uff9f]{1,30}/gu;
const VOWEL_AM = /[\u0e33\u0eb3]/;

function composed(run: string): Composed {
  if (!RECOMPOSED.test(run)) return { text: run };
  let text = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: letter, index } of run
    .replace(/\u0e4d\u0e32/g, '\u0e33\u034f')
    .replace(/\u0ecd\u0eb2/g, '\u0eb3\u034f')
    .matchAll(LETTER_WITH_MARKS)) {
    const form = VOWEL_AM.test(letter)
      ? letter.replace(IGNORED, '')
      : letter.replace(IGNORED, '').normalize('NFKC');
    text += form;
    for (let i = 0; i < form.length; i++) {
      starts.push(index);
      ends.push(index + letter.length);
    }
  }
  return { text, starts, ends };
}

/** One word, or several that are separated by blanks, at one place. */
function* wordsAt(words: string, start: number, length: number): Generator<Word> {
  if (words === '') return;
  if (words.includes(' ')) for (const word of words.split(' ')) yield { word, start, length };
  else yield { word: words, start, length };
}

/** Without skin tones and without the selectors of a coloured or a plain picture. */
function plainEmoji(emoji: string): string {
  return firstCodePoints(emoji.replace(/[\ufe0e\ufe0f\p{Emoji_Modifier}]+/gu, ''), LONGEST_WORD);
}

/** The words of a run of letters, as they are compared; mostly one. */
const normalized = memoize(normalize, 1_000_000);

function normalize(run: string): string {
  // Marks go first and the run is cut before it is normalized: that sorts long runs of marks in quadratic time.
  const piece = run
    .replace(IGNORED, '')
    .slice(0, 4 * LONGEST_WORD)
    .replace(FRACTION, ' $&');
  const plain = bareLetters(bareLetters(piece).toUpperCase()).normalize('NFC');
  if (plain === run || ONE_WORD.test(plain)) return firstCodePoints(plain, LONGEST_WORD);
  return Array.from(wordsOf(plain), ({ word }) => word).join(' ');
}

/** One sign for a division: "2½" is no 21. */
const FRACTION = /[¼-¾⅐-⅟↉]/g;

/** Letters of one sort of scripts: anything else stands for several words. */
const ONE_WORD = new RegExp(`^(?:[${UNSPACED}]*|[${SPACED}]*)$`, 'v');

/** In lower case, decomposed, without accents and strokes. */
function bareLetters(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(IGNORED, '')
    .replace(LETTERS_ALIKE, (letter) => ALIKE[letter] ?? letter);
}

/**
 * What is left out in writing: accents of Latin, Greek and Cyrillic letters, vowels and points of Arabic, Hebrew and
 * Syriac, the tatweel, and invisible signs. The marks of other scripts make other letters.
 */
const IGNORED =
  /[[[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]]--[\u3099\u309a]]\u0640\p{Cf}]+/gv;

/** Letters that no decomposition takes apart: Latin ones with a stroke, and forms of one Greek or Arabic letter. */
const ALIKE: Readonly<Record<string, string>> = {
  æ: 'ae',
  ø: 'o',
  ð: 'd',
  þ: 'th',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  œ: 'oe',
  ŧ: 't',
  ƀ: 'b',
  ƶ: 'z',
  ǥ: 'g',
  ȼ: 'c',
  ɇ: 'e',
  ɉ: 'j',
  ɍ: 'r',
  ɏ: 'y',
  ɨ: 'i',
  ʉ: 'u',
  ς: 'σ',
  ٱ: 'ا',
  ى: 'ي',
  ة: 'ه',
  ی: 'ي',
  ک: 'ك',
};
const LETTERS_ALIKE = /[æøðþđħıłœŧƀƶǥȼɇɉɍɏɨʉςٱىةیک]/g;

function firstCodePoints(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join('');
}
