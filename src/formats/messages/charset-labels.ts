import iconv from 'iconv-lite';

/** How a label is looked up: without case, punctuation and the year of a standard, as iconv-lite does it. */
export function labelKey(label: string): string {
  return label.toLowerCase().replace(/:\d{4}$|[^0-9a-z]/g, '');
}

/** Labels of the WHATWG Encoding Standard that are decoded by what Node has built in, each key once. */
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

/** The label to ask a TextDecoder for, by its key. */
export const standardLabels: ReadonlyMap<string, string> = new Map(
  STANDARD.trim()
    .split(/\s+/)
    .map((label) => [labelKey(label), label]),
);

let others: ReadonlySet<string> | undefined;

/** Whether iconv-lite decodes what has this key. By its table: to ask it for what it does not know takes it microseconds. */
export function isIconvLabel(key: string): boolean {
  others ??= iconvKeys();
  return others.has(key);
}

/** Its tables are read where the first is asked for, and the ones of its own begin with an underscore. */
function iconvKeys(): ReadonlySet<string> {
  iconv.encodingExists('utf8');
  const { encodings } = iconv as unknown as { encodings: Record<string, unknown> };
  return new Set(Object.keys(encodings).filter((key) => !key.startsWith('_')));
}
