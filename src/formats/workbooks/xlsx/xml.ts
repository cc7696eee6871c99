import type { SaxesParser } from 'saxes';
import { MAX_DEPTH, MAX_MARKUP_LENGTH, UnreadableWorkbook } from '../workbook.ts';

/**
 * Characters that XML cannot contain are written as _xHHHH_; an underscore before such a sequence is escaped as
 * well.
 */
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/** Unescapes a text of a workbook (ECMA-376 22.9.2.19, ST_Xstring). */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/**
 * Unescapes a sheet name, or a formula that may contain one. Replaces lone surrogates, which no request can
 * contain.
 */
export function unescapeName(text: string): string {
  return unescapeText(text).toWellFormed();
}

const TO_BE_ESCAPED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
  /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|_(?=x[0-9A-Fa-f]{4}_)/g;
const MARKUP = /[&<>]/g;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a text as element content, without loss of characters. */
export function escapeText(text: string): string {
  return text
    .replace(TO_BE_ESCAPED, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(MARKUP, (char) => ENTITIES[char] ?? char);
}

/** Escapes a text as an attribute value in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

/** Attributes by local name. */
export type Attributes = Readonly<Record<string, string>>;

/** Parses a boolean of XML Schema. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** Receives the events of a document with local names: parts of workbooks use one vocabulary under any prefix. */
export interface XmlReader {
  open?(name: string, attributes: Attributes): void;
  /** A complete text between two tags. */
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Parses a document as its bytes arrive; each step is one chunk. Refuses document types, and so all entities
 * except the five of XML.
 * @throws UnreadableWorkbook when it is not well formed, deeper than maxDepth, or a tag or text is too long
 */
export async function* readXml(
  part: string,
  bytes: AsyncIterable<Uint8Array>,
  reader: XmlReader,
  maxDepth = MAX_DEPTH,
): AsyncGenerator<void> {
  // Loaded here, because many files need the escapes of this one and few servers read a workbook soon.
  const { SaxesParser } = await import('saxes');
  const saxes = new SaxesParser<XmlOptions>({ position: false, xmlns: false });
  const parser = new Parser(part, saxes, reader, maxDepth);
  for await (const text of decodeXml(part, bytes)) {
    parser.write(text);
    yield;
  }
  parser.end();
  yield;
}

/** Parses a document to its end. */
export async function readWholeXml(
  part: string,
  bytes: AsyncIterable<Uint8Array>,
  reader: XmlReader,
): Promise<void> {
  for await (const _step of readXml(part, bytes, reader));
}

type XmlOptions = { position: false; xmlns: false };

class Parser {
  readonly #part: string;
  readonly #saxes: SaxesParser<XmlOptions>;
  #depth = 0;
  /** Characters since the last event; the parser buffers them. */
  #gathered = 0;
  #isEmpty = true;

  constructor(part: string, saxes: SaxesParser<XmlOptions>, reader: XmlReader, maxDepth: number) {
    this.#part = part;
    this.#saxes = saxes;
    this.#saxes.on('error', ({ message }) => this.#refuse(`is not well formed (${message})`));
    this.#saxes.on('doctype', () => this.#refuse('has a document type, which is not read'));
    this.#saxes.on('opentag', ({ name, attributes }) => {
      this.#gathered = 0;
      if (++this.#depth > maxDepth) this.#refuse('is nested too deeply');
      reader.open?.(localName(name), localAttributes(attributes));
    });
    this.#saxes.on('closetag', ({ name }) => {
      this.#gathered = 0;
      this.#depth--;
      reader.close?.(localName(name));
    });
    const onText = (text: string) => {
      this.#gathered = 0;
      reader.text?.(text);
    };
    this.#saxes.on('text', onText);
    this.#saxes.on('cdata', onText);
  }

  write(text: string): void {
    this.#isEmpty &&= text === '';
    this.#gathered += text.length;
    if (this.#gathered > MAX_MARKUP_LENGTH + text.length)
      this.#refuse('has a text or a tag that is too long');
    this.#saxes.write(text);
  }

  end(): void {
    if (!this.#isEmpty) this.#saxes.close();
  }

  #refuse(reason: string): never {
    throw new UnreadableWorkbook(`its part ${this.#part} ${reason}`);
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The last of attributes with the same local name counts. */
function localAttributes(attributes: Record<string, string>): Attributes {
  const local: Record<string, string> = Object.create(null);
  for (const name in attributes) local[localName(name)] = attributes[name] ?? '';
  return local;
}

/** Decodes a document: by the encoding of its first bytes or of its declaration. */
async function* decodeXml(part: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  const decode = (chunk: Uint8Array, stream: boolean) => {
    try {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      return decoder.decode(chunk, { stream });
    } catch (cause) {
      throw new UnreadableWorkbook(`its part ${part} is not text in its encoding`, { cause });
    }
  };
  for await (const chunk of bytes) yield decode(chunk, true);
  if (decoder) yield decode(new Uint8Array(), false);
}

const DECLARED = /^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

function encodingOf(start: Uint8Array): string {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  const declared = DECLARED.exec(Buffer.from(start.subarray(0, 200)).toString('latin1'))?.[1];
  // A declaration readable byte by byte rules out UTF-16, whatever it declares.
  return declared === undefined || /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}
