import { decodesFast, decodeText } from '../messages/charsets.ts';
import { decodeQuotedPrintable } from '../messages/quoted-printable.ts';
import { MAX_LINE, MAX_PARAMETER_VALUES, MAX_PARAMETERS, MAX_SLOW_LINE } from './limits.ts';

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

export interface Parameter {
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
