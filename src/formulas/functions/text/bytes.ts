import { type CellError, ERROR, type Scalar } from '../../values.ts';
import { define } from '../function.ts';
import { findText, searchText } from './parts.ts';

/*
 * Texts measured in bytes of a double-byte character set: two for each character that is wide there. Half of a cut
 * wide character becomes a space.
 */

const NARROW_END = 0xff;
const HALF_WIDTH_KANA = /[｡-ﾟ]/;

function widthOf(character: string): 1 | 2 {
  return character.charCodeAt(0) <= NARROW_END || HALF_WIDTH_KANA.test(character) ? 1 : 2;
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) bytes += widthOf(text.charAt(at));
  return bytes;
}

/** The characters within a range of bytes. */
function sliceBytes(text: string, start: number, end: number): string {
  let slice = '';
  let at = 0;
  for (let index = 0; index < text.length && at < end; index++) {
    const character = text.charAt(index);
    const next = at + widthOf(character);
    if (at >= start && next <= end) slice += character;
    else if (next > start) slice += ' ';
    at = next;
  }
  return slice;
}

export const LENB = define('LENB', ['text'], ([text]) => bytesIn(text));

export const LEFTB = define(
  'LEFTB',
  ['text', 'number'],
  ([text, count = 1]) => (count < 0 ? ERROR['#VALUE!'] : sliceBytes(text, 0, Math.trunc(count))),
  { required: 1 },
);

export const RIGHTB = define(
  'RIGHTB',
  ['text', 'number'],
  ([text, count = 1]) => {
    const length = bytesIn(text);
    return count < 0 ? ERROR['#VALUE!'] : sliceBytes(text, Math.max(length - Math.trunc(count), 0), length);
  },
  { required: 1 },
);

export const MIDB = define('MIDB', ['text', 'number', 'number'], ([text, start, count]) => {
  if (start < 1 || count < 0) return ERROR['#VALUE!'];
  const first = Math.trunc(start) - 1;
  return sliceBytes(text, first, first + Math.trunc(count));
});

export const REPLACEB = define(
  'REPLACEB',
  ['text', 'number', 'number', 'text'],
  ([text, start, count, replacement]) => {
    if (start < 1 || count < 0) return ERROR['#VALUE!'];
    const first = Math.trunc(start) - 1;
    const rest = sliceBytes(text, first + Math.trunc(count), bytesIn(text));
    return sliceBytes(text, 0, first) + replacement + rest;
  },
);

export const FINDB = define(
  'FINDB',
  ['text', 'text', 'number'],
  ([wanted, text, start = 1]) => inBytes(text, start, (from) => findText(wanted, text, from)),
  { required: 2 },
);

export const SEARCHB = define(
  'SEARCHB',
  ['text', 'text', 'number'],
  ([wanted, text, start = 1]) => inBytes(text, start, (from) => searchText(wanted, text, from)),
  { required: 2 },
);

/** Adapts a search by characters to positions in bytes. */
function inBytes(text: string, start: number, find: (from: number) => number | CellError): Scalar {
  if (start < 1 || start > bytesIn(text) + 1) return ERROR['#VALUE!'];
  const found = find(sliceBytes(text, 0, Math.trunc(start) - 1).length + 1);
  return typeof found === 'number' ? bytesIn(text.slice(0, found - 1)) + 1 : found;
}

/** Half-width katakana in Unicode order from U+FF61, and their full-width forms. */
const HALF = '｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ';
const FULL =
  '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜';
/** Characters with special full-width forms: yen for a backslash, curly quotation marks for straight ones. */
const MARKS_HALF = '\\"\'`';
const MARKS_FULL = '￥”’‘';
const FULL_WIDTH_SHIFT = 0xfee0;

const TO_FULL = new Map([
  ...[...HALF].map((half, index) => [half, FULL.charAt(index)] as const),
  ...[...MARKS_HALF].map((half, index) => [half, MARKS_FULL.charAt(index)] as const),
  [' ', '\u3000'] as const,
]);
const TO_HALF = new Map([...TO_FULL].map(([half, full]) => [full, half]));

/** A half-width voiced kana is two characters: the plain one and its mark. */
const VOICE_MARKS: readonly [half: string, combining: string][] = [
  ['ﾞ', '\u3099'],
  ['ﾟ', '\u309a'],
];

export const ASC = define('ASC', ['text'], ([text]) => Array.from(text, halfOf).join(''));

export const DBCS = define('DBCS', ['text'], ([text]) => toFullWidth(text));

export const JIS = define('JIS', ['text'], ([text]) => toFullWidth(text));

function halfOf(character: string): string {
  const code = character.charCodeAt(0);
  const known = TO_HALF.get(character);
  if (known !== undefined) return known;
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - FULL_WIDTH_SHIFT);
  if (code < 0x30a0 || code > 0x30ff) return character;
  const [plain = '', mark] = character.normalize('NFD');
  const half = TO_HALF.get(plain);
  const voice = VOICE_MARKS.find(([, combining]) => combining === mark);
  return half !== undefined && voice ? half + voice[0] : character;
}

function toFullWidth(text: string): string {
  let full = text;
  for (const [half, combining] of VOICE_MARKS) {
    full = full.replace(new RegExp(`([ｦ-ﾝ])${half}`, 'g'), (pair, kana: string) => {
      const voiced = `${TO_FULL.get(kana)}${combining}`.normalize('NFC');
      return voiced.length === 1 ? voiced : pair;
    });
  }
  return Array.from(full, fullOf).join('');
}

function fullOf(character: string): string {
  const code = character.charCodeAt(0);
  const known = TO_FULL.get(character);
  if (known !== undefined) return known;
  return code >= 0x21 && code <= 0x7e ? String.fromCharCode(code + FULL_WIDTH_SHIFT) : character;
}
