import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

type Decode = (bytes: Uint8Array) => string;

/** Labels found in mail that neither the WHATWG Encoding Standard nor iconv-lite knows. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['iso-2022-jp-1', 'iso-2022-jp'],
  ['iso-2022-jp-2', 'iso-2022-jp'],
  ['iso-2022-jp-ms', 'iso-2022-jp'],
  ['iso-8859-8-e', 'iso-8859-8'],
  ['uft-8', 'utf-8'],
  ['cp50220', 'iso-2022-jp'],
  ['cp50221', 'iso-2022-jp'],
  ['x-windows-949', 'euc-kr'],
  ['unicode-1-1-utf-7', 'utf-7'],
]);

/** Labels that say nothing about bytes over 127. The bytes themselves decide. */
const UNDECLARED =
  /^(?:|us-ascii|ascii|ansi_x3\.4-1968|unknown.*|x-unknown.*|default|none|8bit|binary|utf-?8)$/;

/**
 * Default labels of mailers, often wrong. Text in these charsets is hardly ever valid UTF-8, so valid UTF-8 is
 * read as UTF-8.
 */
const CARELESS = /^(?:iso-?8859-?15?|latin-?1|(?:windows|cp)-?1252)$/;

/** Decoders by label key; only known labels, so that mail cannot fill the map. */
const decoders = new Map<string, Decode>();

/**
 * Decodes bytes labelled `label` (any case; "" without a label). Never throws: bytes under an unknown or silent
 * label are decoded as the charset that they look like.
 */
export function decodeText(bytes: Uint8Array, label = ''): string {
  if (bytes.length === 0) return '';
  const name = normalizeLabel(label);
  if (CARELESS.test(name) && isUtf8(bytes)) return decodeUndeclared(bytes);
  const decode = UNDECLARED.test(name) ? null : decoderFor(name);
  return decode ? decode(bytes) : decodeUndeclared(bytes);
}

/** Whether Node's built-in decoders decode this label, at some nanoseconds a byte. */
export function decodesFast(label: string): boolean {
  const name = normalizeLabel(label);
  return UNDECLARED.test(name) || CARELESS.test(name) || FAST.test(name);
}

/** Single-byte charsets, UTF-16, and the East Asian charsets other than the 7-bit ones. */
const FAST =
  /^(?:iso-?8859-\d{1,2}|(?:windows|cp)-?125\d|koi8-[ru]|gb2312|gbk|gb18030|big5|euc-(?:kr|jp)|shift_jis|utf-16(?:le|be)?)$/;

function normalizeLabel(label: string): string {
  const written = label
    .slice(0, 60)
    .toLowerCase()
    .replace(/["'\s]/g, '');
  // RFC 2231 5: a language may follow the charset.
  const [name = ''] = written.split('*', 1);
  return ALIASES.get(name) ?? name;
}

function decoderFor(name: string): Decode | null {
  const key = labelKey(name);
  const cached = decoders.get(key);
  if (cached !== undefined) return cached;
  const decode = SEVEN_BIT.get(key) ?? standardDecoder(key) ?? iconvDecoder(key);
  if (decode !== null) decoders.set(key, decode);
  return decode;
}

function standardDecoder(key: string): Decode | null {
  const label = standardLabels.get(key);
  if (label === undefined) return null;
  const decoder = new TextDecoder(label);
  return (bytes) => decoder.decode(bytes);
}

function iconvDecoder(key: string): Decode | null {
  if (!isIconvLabel(key)) return null;
  return (bytes) => iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), key);
}

const decodeKorean: Decode = (bytes) => decodeShifted(bytes, '\x0e', '\x0f', 'euc-kr');
const decodeChinese: Decode = (bytes) => decodeShifted(bytes, '~{', '~}', 'gbk');

/** 7-bit charsets: the forms of EUC-KR and GB 2312, which no library here decodes, and the Japanese one. */
const SEVEN_BIT: ReadonlyMap<string, Decode> = new Map([
  ['iso2022jp', decodeJapanese],
  ['csiso2022jp', decodeJapanese],
  ['iso2022kr', decodeKorean],
  ['csiso2022kr', decodeKorean],
  ['hz', decodeChinese],
  ['hzgb2312', decodeChinese],
]);

/** RFC 1557 and RFC 1843: between the two shift marks each byte stands for the same byte with its high bit set. */
function decodeShifted(bytes: Uint8Array, shiftOut: string, shiftIn: string, base: string): string {
  const source = Buffer.from(latin1(bytes).replaceAll('\x1b$)C', ''), 'latin1');
  const [outMark, inMark] = [Buffer.from(shiftOut), Buffer.from(shiftIn)];
  const out = Buffer.allocUnsafe(source.length);
  let size = 0;
  let shifted = false;
  for (let at = 0; at < source.length; ) {
    if (matchesAt(source, at, outMark)) {
      shifted = true;
      at += outMark.length;
    } else if (shifted && matchesAt(source, at, inMark)) {
      shifted = false;
      at += inMark.length;
    } else {
      const byte = source[at++] ?? 0;
      out[size++] = shifted && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return decoderFor(base)?.(out.subarray(0, size)) ?? '';
}

function matchesAt(bytes: Buffer, at: number, mark: Buffer): boolean {
  return bytes[at] === mark[0] && (mark.length === 1 || bytes[at + 1] === mark[1]);
}

/** Text labelled 7-bit with bytes over 127 was converted in transit, mostly by web archives and gateways. */
function decodeEightBitJapanese(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return utf8.decode(bytes);
  try {
    return eucJp.decode(bytes);
  } catch {
    return decoderFor('shift_jis')?.(bytes) ?? '';
  }
}

const utf8 = new TextDecoder('utf-8');
const windows1252 = new TextDecoder('windows-1252');
const iso2022jp = new TextDecoder('iso-2022-jp');
const eucJp = new TextDecoder('euc-jp', { fatal: true });

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC switches the character set
const EMPTY_SWITCH = /\x1b(?:\$[@B]|\([BJI])(?=\x1b(?:\$[@B]|\([BJI]))/g;

/**
 * The Encoding Standard reports an error for two escapes in a row, which old mailers and joined encoded words
 * contain.
 */
function decodeJapanese(bytes: Uint8Array): string {
  if (bytes.some((byte) => byte > 127)) return decodeEightBitJapanese(bytes);
  return iso2022jp.decode(Buffer.from(latin1(bytes).replace(EMPTY_SWITCH, ''), 'latin1'));
}

function decodeUndeclared(bytes: Uint8Array): string {
  if (isAscii(bytes)) return decodeSevenBit(latin1(bytes), bytes);
  if (isUtf8(bytes)) return utf8.decode(bytes);
  // One broken character in UTF-8 should not make the others unreadable.
  const lossy = utf8.decode(bytes);
  return isMostlyReadable(lossy) ? lossy : windows1252.decode(bytes);
}

function isMostlyReadable(lossy: string): boolean {
  const broken = lossy.match(/\ufffd/g)?.length ?? 0;
  const whole = lossy.match(/[\u0080-\ufffc]/g)?.length ?? 0;
  return whole > broken;
}

/** RFC 1468 text is often sent without a label; its escape sequences have no other meaning in mail. */
function decodeSevenBit(text: string, bytes: Uint8Array): string {
  return text.includes('\x1b$B') || text.includes('\x1b$@') ? decodeJapanese(bytes) : text;
}

/** The bytes as a string of the same length, one character (0–255) for each byte. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** The lookup key of a label: without case, punctuation and the year of a standard, as in iconv-lite. */
function labelKey(label: string): string {
  return label.toLowerCase().replace(/:\d{4}$|[^0-9a-z]/g, '');
}

/** Labels of the WHATWG Encoding Standard that Node's built-in decoders know, each key once. */
const STANDARD = `
  unicode-1-1-utf-8 unicode20utf8 utf-8 x-unicode20utf8 866 cp866 csibm866 ibm866 csisolatin2 iso-8859-2
  iso-ir-101 l2 latin2 csisolatin3 iso-8859-3 iso-ir-109 l3 latin3 csisolatin4 iso-8859-4 iso-ir-110 l4
  latin4 csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 arabic asmo-708 csiso88596e csiso88596i
  csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 csisolatingreek ecma-118
  elot_928 greek greek8 iso-8859-7 iso-ir-126 sun_eu_greek csiso88598e csisolatinhebrew hebrew iso-8859-8
  iso-8859-8-e iso-ir-138 visual csiso88598i iso-8859-8-i logical csisolatin6 iso-8859-10 iso-ir-157 l6
  latin6 iso-8859-13 iso-8859-14 csisolatin9 iso-8859-15 l9 iso-8859-16 cskoi8r koi koi8 koi8-r koi8-ru
  koi8-u csmacintosh mac macintosh x-mac-roman dos-874 iso-8859-11 tis-620 windows-874 cp1250 windows-1250
  x-cp1250 cp1251 windows-1251 x-cp1251 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1
  iso-ir-100 l1 latin1 us-ascii windows-1252 x-cp1252 cp1253 windows-1253 x-cp1253 cp1254 csisolatin5
  iso-8859-9 iso-ir-148 l5 latin5 windows-1254 x-cp1254 cp1255 windows-1255 x-cp1255 cp1256 windows-1256
  x-cp1256 cp1257 windows-1257 x-cp1257 cp1258 windows-1258 x-cp1258 x-mac-cyrillic x-mac-ukrainian chinese
  csgb2312 csiso58gb231280 gb2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030 big5 big5-hkscs cn-big5 csbig5
  x-x-big5 cseucpkdfmtjapanese euc-jp x-euc-jp csiso2022jp iso-2022-jp csshiftjis ms932 ms_kanji shift-jis
  sjis windows-31j x-sjis cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989
  ksc5601 windows-949 unicodefffe utf-16be csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16le
  utf-16 x-user-defined
`;

/** The label to pass to TextDecoder, by key. */
const standardLabels: ReadonlyMap<string, string> = new Map(
  STANDARD.trim()
    .split(/\s+/)
    .map((label) => [labelKey(label), label]),
);

let others: ReadonlySet<string> | undefined;

/** Whether iconv-lite decodes this key. Reads its table: encodingExists() takes microseconds for an unknown label. */
function isIconvLabel(key: string): boolean {
  others ??= iconvKeys();
  return others.has(key);
}

/** iconv-lite loads its tables at the first query. Its internal encodings begin with an underscore. */
function iconvKeys(): ReadonlySet<string> {
  iconv.encodingExists('utf8');
  const { encodings } = iconv as unknown as { encodings: Record<string, unknown> };
  return new Set(Object.keys(encodings).filter((key) => !key.startsWith('_')));
}
