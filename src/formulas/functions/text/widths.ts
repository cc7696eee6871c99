import { define } from '../define.ts';

/** Katakana of half width in the order of Unicode from U+FF61, and the same of full width. */
const HALF = '｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ';
const FULL =
  '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜';
/** Marks that full width has of its own: yen for a backslash, quotation marks for straight ones. */
const MARKS_HALF = '\\"\'`';
const MARKS_FULL = '￥”’‘';
const FULL_WIDTH_SHIFT = 0xfee0;

const TO_FULL = new Map([
  ...[...HALF].map((half, index) => [half, FULL.charAt(index)] as const),
  ...[...MARKS_HALF].map((half, index) => [half, MARKS_FULL.charAt(index)] as const),
  [' ', '\u3000'] as const,
]);
const TO_HALF = new Map([...TO_FULL].map(([half, full]) => [full, half]));

/** A voiced kana of half width is two characters: the plain one and its mark. */
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
