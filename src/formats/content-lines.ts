import { decodesFast, decodeText } from './messages/charsets.ts';
import { decodeQuotedPrintable } from './messages/transfer-encodings.ts';

/**
 * Most bytes of an unfolded property. A longer property is skipped, or fails its card or component if it is a
 * needed one.
 */
const MAX_LINE = 256 * 1024;

/**
 * The same limit in a charset that decodes slowly, such as UTF-7: each property is decoded in one turn of the
 * event loop.
 */
const MAX_SLOW_LINE = 16 * 1024;

/** Most parameters read of one line. */
const MAX_PARAMETERS = 500;

/** Most values read of one parameter. */
const MAX_PARAMETER_VALUES = 500;

/**
 * Splits a file into unfolded lines as its bytes arrive, as strings with one character for each byte: RFC 6350 3.2
 * folds between octets, so only a complete line can be decoded. Cuts lines after MAX_LINE + 1 bytes, so that
 * callers recognize too long ones. Skips blank lines.
 */
export class LineReader {
  /** The start of a physical line whose end has not arrived. */
  #open = '';
  #afterReturn = false;
  #line: LogicalLine | undefined;
  /** Physical lines so far. */
  #count = 0;
  #lineNumber = 0;

  /** Where the last returned line begins in the file, from 1. */
  get lineNumber(): number {
    return this.#lineNumber;
  }

  /** The lines completed by these bytes. */
  *read(bytes: Uint8Array): Generator<string> {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    let start = this.#afterReturn && text.startsWith('\n') ? 1 : 0;
    // RFC 6350 ends lines with CRLF; files of other systems end them with CR or LF.
    const ends = /\r\n?|\n/g;
    ends.lastIndex = start;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      yield* this.#take(this.#open + text.slice(start, end.index));
      this.#open = '';
      start = ends.lastIndex;
    }
    this.#open = truncateLine(this.#open + text.slice(start));
    this.#afterReturn = text === '' ? this.#afterReturn : text.endsWith('\r');
  }

  /** The line that the end of the file completes. */
  *end(): Generator<string> {
    yield* this.#take(this.#open);
    yield* this.#take('');
  }

  *#take(physical: string): Generator<string> {
    this.#count++;
    if (this.#line?.takes(physical)) return;
    if (this.#line) {
      this.#lineNumber = this.#line.number;
      yield this.#line.text();
    }
    this.#line = physical === '' ? undefined : new LogicalLine(physical, this.#count);
  }
}

function truncateLine(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE + 1) : line;
}

/** A line that continuation lines may extend. */
class LogicalLine {
  readonly number: number;
  readonly #isQuotedPrintable: boolean;
  readonly #pieces: string[];
  #length: number;

  constructor(first: string, number: number) {
    this.number = number;
    this.#isQuotedPrintable = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(first);
    this.#pieces = [first];
    this.#length = first.length;
  }

  /** Appends the line if it continues this one; returns whether it did. */
  takes(line: string): boolean {
    // vCard 2.1: after a quoted-printable line that ends with "=", the next line continues it in any case.
    if (this.#isQuotedPrintable && this.#pieces.at(-1)?.endsWith('=')) {
      this.#pieces.push(this.#pieces.pop()?.slice(0, -1) ?? '');
      this.#add(line);
      return true;
    }
    if (!line.startsWith(' ') && !line.startsWith('\t')) return false;
    this.#add(line.slice(1));
    return true;
  }

  text(): string {
    return truncateLine(this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join(''));
  }

  #add(part: string): void {
    if (this.#length > MAX_LINE) return;
    this.#pieces.push(part);
    this.#length += part.length;
  }
}

/** One property of a card or component. */
export interface Property {
  /** The group name, such as "item1", in lower case; "" without a group. */
  group: string;
  /** In upper case. */
  name: string;
  parameters: Parameter[];
  /** Decoded from its transfer encoding and charset; still escaped. */
  value: string;
}

interface Parameter {
  /** In upper case. vCard 2.1 omits the names TYPE and ENCODING; they are added. */
  name: string;
  values: string[];
}

const NAME = /^(?:([A-Za-z0-9-]+)\.)?([A-Za-z0-9-]+)$/;

/** The property name of a line (one character for each byte), in upper case; undefined for a line without one. */
export function propertyName(line: string): string | undefined {
  return /^(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)[ \t]*[;:]/.exec(line)?.[1]?.toUpperCase();
}

/** Most bytes of this line: fewer when its charset decodes slowly. */
export function longestLine(line: string): number {
  if (line.length <= MAX_SLOW_LINE) return MAX_LINE;
  const [, ...parameters] = split(line.slice(0, Math.max(0, endOfHead(line))), ';', MAX_PARAMETERS + 1);
  const charsets = parameters.filter((text) => /^[ \t]*charset/i.test(text));
  return decodesFast(charsetOf(charsets.map(readParameter))) ? MAX_LINE : MAX_SLOW_LINE;
}

/** Parses a line with one character for each byte; undefined when it is no property. */
export function readProperty(line: string): Property | undefined {
  const colon = endOfHead(line);
  if (colon < 0) return undefined;
  const [head = '', ...rest] = split(line.slice(0, colon), ';', MAX_PARAMETERS + 1);
  const [, group = '', name] = NAME.exec(head.trim()) ?? [];
  if (name === undefined) return undefined;
  const parameters = rest.map(readParameter);
  const value = decodeValue(line.slice(colon + 1), parameters);
  return { group: group.toLowerCase(), name: name.toUpperCase(), parameters, value };
}

/** All values of one parameter of a property. */
export function parameterValues({ parameters }: Pick<Property, 'parameters'>, name: string): string[] {
  const found: string[] = [];
  // A loop without intermediate arrays: a card may have half a million parameters, and callers ask for four names
  // each.
  for (const parameter of parameters) {
    if (parameter.name !== name) continue;
    for (const value of parameter.values) found.push(value);
  }
  return found;
}

/** The first colon outside quotes; with an unclosed quote, the first colon. */
function endOfHead(line: string): number {
  const [head] = /^(?:[^":]|"[^"]*")*(?=:)/.exec(line) ?? [];
  return head === undefined ? line.indexOf(':') : head.length;
}

/** The first `most` fields, split outside quotes. */
function split(text: string, separator: ';' | ',', most: number): string[] {
  if (!text.includes('"')) return text.split(separator, most);
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length && parts.length < most; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (text[i] === separator && !isQuoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return parts.length < most ? [...parts, text.slice(start)] : parts;
}

/** `TYPE=work,"voice"`, or `WORK` in vCard 2.1. */
function readParameter(text: string): Parameter {
  const equals = text.indexOf('=');
  if (equals < 0) return bareParameter(text.trim());
  const name = text.slice(0, equals).trim().toUpperCase();
  const values = split(text.slice(equals + 1), ',', MAX_PARAMETER_VALUES).map((value) =>
    decodeUtf8(value.trim().replaceAll('"', '')),
  );
  // RFC 6350 5.6 quotes lists: TYPE="voice,home".
  return { name, values: name === 'TYPE' ? typesIn(values) : values };
}

function typesIn(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',', MAX_PARAMETER_VALUES)).slice(0, MAX_PARAMETER_VALUES);
}

function bareParameter(value: string): Parameter {
  const isEncoding = /^(?:QUOTED-PRINTABLE|BASE64|8BIT|7BIT)$/i.test(value);
  return { name: isEncoding ? 'ENCODING' : 'TYPE', values: [decodeUtf8(value)] };
}

function decodeValue(value: string, parameters: Parameter[]): string {
  const [encoding = ''] = parameterValues({ parameters }, 'ENCODING');
  return decodeText(decodeTransfer(value, encoding.toUpperCase()), charsetOf(parameters));
}

function charsetOf(parameters: Parameter[]): string {
  const [charset = ''] = parameterValues({ parameters }, 'CHARSET');
  return charset;
}

function decodeTransfer(value: string, encoding: string): Uint8Array {
  if (encoding === 'B' || encoding === 'BASE64') return Buffer.from(value, 'base64');
  const bytes = Buffer.from(value, 'latin1');
  return encoding === 'QUOTED-PRINTABLE' ? decodeQuotedPrintable(bytes) : bytes;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII, and ESC, which switches the character set
const ENCODED = /[\u001b\u0080-\u00ff]/;

function decodeUtf8(text: string): string {
  if (!ENCODED.test(text)) return text;
  return decodeText(Buffer.from(text, 'latin1'));
}

/** RFC 5545 3.1 and RFC 6350 3.2: lines "SHOULD" be at most "75 octets, excluding line breaks". */
const WIDTH = 75;

/** Folds only between characters: some readers decode before they unfold. */
export function foldLine(line: string): string {
  const length = Buffer.byteLength(line);
  if (length <= WIDTH) return line;
  return length === line.length ? foldAscii(line) : foldText(line);
}

/** Each character is one octet. The space at the start of a continuation line counts. */
function foldAscii(line: string): string {
  const folded = [line.slice(0, WIDTH)];
  for (let at = WIDTH; at < line.length; at += WIDTH - 1) folded.push(line.slice(at, at + WIDTH - 1));
  return folded.join('\r\n ');
}

function foldText(line: string): string {
  const folded: string[] = [];
  let start = 0;
  let bytes = 0;
  let at = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > WIDTH) {
      folded.push(line.slice(start, at));
      start = at;
      // The space at the start of a continuation line counts.
      bytes = 1;
    }
    bytes += size;
    at += character.length;
  }
  return [...folded, line.slice(start)].join('\r\n ');
}
