import { type CellError, ERROR } from '../../values.ts';
import { define } from '../define.ts';

const WINDOWS_1252 = Array.from({ length: 256 }, (_, code) =>
  new TextDecoder('windows-1252').decode(Uint8Array.of(code)),
);
const CODES = new Map(WINDOWS_1252.map((character, code) => [character, code]));
const QUESTION_MARK = 63;

export const CHAR = define('CHAR', ['number'], ([code]) =>
  code < 1 ? ERROR['#VALUE!'] : (WINDOWS_1252[Math.trunc(code)] ?? ERROR['#VALUE!']),
);

export const CODE = define('CODE', ['text'], ([text]) =>
  text === '' ? ERROR['#VALUE!'] : (CODES.get(text.charAt(0)) ?? QUESTION_MARK),
);

export const UNICHAR = define('UNICHAR', ['number'], ([given]): string | CellError => {
  const code = Math.trunc(given);
  if (code < 1 || code > 0x10ffff) return ERROR['#VALUE!'];
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isSurrogate || code % 0x10000 >= 0xfffe ? ERROR['#N/A'] : String.fromCodePoint(code);
});

export const UNICODE = define('UNICODE', ['text'], ([text]) => text.codePointAt(0) ?? ERROR['#VALUE!']);
