import { decodesFast, decodeText } from './messages/charsets.ts';
import { decodeQuotedPrintable } from './messages/transfer-encodings.ts';

/** Bytes of a property, unfolded: what is longer is passed over, or fails its card or component where it would be needed. */
const MAX_LINE = 256 * 1024;

/** The same of a property in a charset that takes long to decode, such as UTF-7: each is decoded in one turn. */
const MAX_SLOW_LINE = 16 * 1024;

/** Parameters of one line that are read. */
const MAX_PARAMETERS = 500;

/** Values of one parameter that are read. */
const MAX_PARAMETER_VALUES = 500;

/**
 * Takes the lines of a file apart as its bytes arrive: as one character a byte, unfolded, because RFC 6350, 3.2 folds
 * between octets, so that only a whole line can be decoded. A line of more than MAX_LINE bytes is cut after one byte
 * more. Blank lines are left out.
 */
export class LineReader {
  /** The beginning of a physical line whose end has not come yet. */
  #open = '';
  #afterReturn = false;
  #line: LogicalLine | undefined;

  /** The lines that end with what is in these bytes. */
  *read(bytes: Uint8Array): Generator<string> {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    let start = this.#afterReturn && text.startsWith('\n') ? 1 : 0;
    // RFC 6350 ends lines with CRLF; files of other systems end them with either.
    const ends = /\r\n?|\n/g;
    ends.lastIndex = start;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      yield* this.#take(this.#open + text.slice(start, end.index));
      this.#open = '';
      start = ends.lastIndex;
    }
    this.#open = cut(this.#open + text.slice(start));
    this.#afterReturn = text === '' ? this.#afterReturn : text.endsWith('\r');
  }

  /** The line that ends with the file. */
  *end(): Generator<string> {
    yield* this.#take(this.#open);
    yield* this.#take('');
  }

  *#take(physical: string): Generator<string> {
    if (this.#line?.takes(physical)) return;
    if (this.#line) yield this.#line.text();
    this.#line = physical === '' ? undefined : new LogicalLine(physical);
  }
}

function cut(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE + 1) : line;
}

/** A line that others may continue. */
class LogicalLine {
  readonly #isQuotedPrintable: boolean;
  readonly #parts: string[];
  #length: number;

  constructor(first: string) {
    this.#isQuotedPrintable = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(first);
    this.#parts = [first];
    this.#length = first.length;
  }

  /** Whether a line continues this one; then it is part of it from now on. */
  takes(line: string): boolean {
    // vCard 2.1: a line of quoted-printable that ends with "=" goes on in the next, whatever that begins with.
    if (this.#isQuotedPrintable && this.#parts.at(-1)?.endsWith('=')) {
      this.#parts.push(this.#parts.pop()?.slice(0, -1) ?? '');
      this.#add(line);
      return true;
    }
    if (!line.startsWith(' ') && !line.startsWith('\t')) return false;
    this.#add(line.slice(1));
    return true;
  }

  text(): string {
    return cut(this.#parts.length === 1 ? (this.#parts[0] ?? '') : this.#parts.join(''));
  }

  #add(part: string): void {
    if (this.#length > MAX_LINE) return;
    this.#parts.push(part);
    this.#length += part.length;
  }
}

/** One line of a card. */
export interface Property {
  /** What groups it with others, such as "item1", in lower case; "" when nothing does. */
  group: string;
  /** In upper case. */
  name: string;
  parameters: Parameter[];
  /** Decoded from its transfer encoding and charset; still escaped. */
  value: string;
}

interface Parameter {
  /** In upper case; vCard 2.1 leaves TYPE and ENCODING out. */
  name: string;
  values: string[];
}

const NAME = /^(?:([A-Za-z0-9-]+)\.)?([A-Za-z0-9-]+)$/;

/** The name of the property on a line (one character a byte), in upper case; undefined when it is no property. */
export function propertyName(line: string): string | undefined {
  return /^(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)[ \t]*[;:]/.exec(line)?.[1]?.toUpperCase();
}

/** How many bytes a line may have: fewer where its value takes long to decode. */
export function longestLine(line: string): number {
  if (line.length <= MAX_SLOW_LINE) return MAX_LINE;
  const [, ...parameters] = split(line.slice(0, Math.max(0, endOfHead(line))), ';', MAX_PARAMETERS + 1);
  const charsets = parameters.filter((text) => /^[ \t]*charset/i.test(text));
  return decodesFast(charsetOf(charsets.map(readParameter))) ? MAX_LINE : MAX_SLOW_LINE;
}

/** Reads a line, one character a byte. Undefined when it is no property. */
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

/** Every value that a property gives to a parameter. */
export function parameterValues({ parameters }: Pick<Property, 'parameters'>, name: string): string[] {
  const found: string[] = [];
  // A card may have half a million parameters, which are asked for four names each.
  for (const parameter of parameters) {
    if (parameter.name !== name) continue;
    for (const value of parameter.values) found.push(value);
  }
  return found;
}

/** The first colon outside of quotes; of quotes that never close, the first colon of all. */
function endOfHead(line: string): number {
  const [head] = /^(?:[^":]|"[^"]*")*(?=:)/.exec(line) ?? [];
  return head === undefined ? line.indexOf(':') : head.length;
}

/** The first `most` parts, split outside of quotes. */
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

/** `TYPE=work,"voice"`, or `WORK` as vCard 2.1 writes it. */
function readParameter(text: string): Parameter {
  const equals = text.indexOf('=');
  if (equals < 0) return bareParameter(text.trim());
  const name = text.slice(0, equals).trim().toUpperCase();
  const values = split(text.slice(equals + 1), ',', MAX_PARAMETER_VALUES).map((value) =>
    utf8(value.trim().replaceAll('"', '')),
  );
  // RFC 6350, 5.6 gives lists in quotes: TYPE="voice,home".
  return { name, values: name === 'TYPE' ? typesIn(values) : values };
}

function typesIn(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',', MAX_PARAMETER_VALUES)).slice(0, MAX_PARAMETER_VALUES);
}

function bareParameter(value: string): Parameter {
  const isEncoding = /^(?:QUOTED-PRINTABLE|BASE64|8BIT|7BIT)$/i.test(value);
  return { name: isEncoding ? 'ENCODING' : 'TYPE', values: [utf8(value)] };
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

function utf8(text: string): string {
  if (!ENCODED.test(text)) return text;
  return decodeText(Buffer.from(text, 'latin1'));
}

/** RFC 5545, 3.1 and RFC 6350, 3.2: lines "SHOULD" be at most "75 octets, excluding line breaks". */
const WIDTH = 75;

/** Folds between characters, not only between octets, for the sake of readers that decode before they unfold. */
export function foldLine(line: string): string {
  const length = Buffer.byteLength(line);
  if (length <= WIDTH) return line;
  return length === line.length ? foldedAscii(line) : foldedText(line);
}

/** Each character is an octet. The space that begins a continuation counts. */
function foldedAscii(line: string): string {
  const folded = [line.slice(0, WIDTH)];
  for (let at = WIDTH; at < line.length; at += WIDTH - 1) folded.push(line.slice(at, at + WIDTH - 1));
  return folded.join('\r\n ');
}

function foldedText(line: string): string {
  const folded: string[] = [];
  let start = 0;
  let bytes = 0;
  let at = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > WIDTH) {
      folded.push(line.slice(start, at));
      start = at;
      // The space that begins a continuation counts.
      bytes = 1;
    }
    bytes += size;
    at += character.length;
  }
  return [...folded, line.slice(start)].join('\r\n ');
}
