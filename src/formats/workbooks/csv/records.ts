import { decodeText, NotText, type TextEncoding } from '../../../text/decode.ts';
import { atOnce, encodingOf } from '../../../text/encoding.ts';
import { MAX_CELL_LENGTH, MAX_COLUMNS, UnreadableWorkbook } from '../workbook.ts';

/** The text of a file of separated values. */
export interface SeparatedText {
  readonly encoding: TextEncoding;
  /** In portions; throws UnreadableWorkbook when the bytes are not in the encoding of their byte-order mark. */
  readonly portions: Generator<string>;
}

/** Throws UnreadableWorkbook when the bytes are no text. */
export function textOf(bytes: Uint8Array): SeparatedText {
  const encoding = asWorkbook(() => atOnce(encodingOf(bytes)));
  return { encoding, portions: portionsOf(bytes, encoding) };
}

function* portionsOf(bytes: Uint8Array, encoding: TextEncoding): Generator<string> {
  const portions = decodeText(bytes, encoding);
  for (;;) {
    const { done, value } = asWorkbook(() => portions.next());
    if (done) return;
    yield value;
  }
}

function asWorkbook<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof NotText)) throw cause;
    const message =
      'it is neither an .xlsx workbook nor text in UTF-8, UTF-16, UTF-32 or Windows-1252; save it as one of them';
    throw new UnreadableWorkbook(message, { cause });
  }
}

/** The state of the scanner within a field. */
type FieldState = 'start' | 'bare' | 'quoted' | 'after quote';

/**
 * Parses records of fields (RFC 4180) from portions of text. Lines end in CRLF, LF or CR. Text after the closing
 * quote of a field belongs to the field unchanged, and so does a quote within a field that does not start with
 * one.
 */
export class RecordScanner {
  readonly #separator: string;
  #state: FieldState = 'start';
  #field = '';
  #fields: string[] = [];
  #records: string[][] = [];
  #count = 0;
  /** The last character was a CR that ended a record; an LF after it ends no further one. */
  #afterReturn = false;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** The records that end in this portion. Throws UnreadableWorkbook when a record or a field is too long. */
  read(text: string): string[][] {
    for (let at = 0; at < text.length; ) {
      at = this.#state === 'quoted' ? this.#readQuoted(text, at) : this.#readOutside(text, at);
    }
    return this.#records.splice(0);
  }

  /** The last record if no line break ended it. Throws UnreadableWorkbook for an unclosed quote. */
  end(): string[][] {
    if (this.#state === 'quoted') this.#refuse('has a quoted field that does not end');
    if (this.#state !== 'start' || this.#fields.length > 0) this.#endRecord();
    return this.#records.splice(0);
  }

  #readQuoted(text: string, from: number): number {
    const quote = text.indexOf('"', from);
    const end = quote < 0 ? text.length : quote;
    this.#append(text.slice(from, end));
    if (quote < 0) return end;
    this.#state = 'after quote';
    return end + 1;
  }

  /** Consumes one special character, or all characters up to the next one. */
  #readOutside(text: string, from: number): number {
    const char = text[from];
    const endsPair = char === '\n' && this.#afterReturn;
    this.#afterReturn = false;
    if (endsPair) return from + 1;
    if (char === '"' && this.#state !== 'bare') this.#openQuote();
    else if (char === this.#separator) this.#endField();
    else if (char === '\n' || char === '\r') {
      this.#endRecord();
      this.#afterReturn = char === '\r';
    } else return this.#readBare(text, from);
    return from + 1;
  }

  /** Two quotes within a quoted field are one quote character. */
  #openQuote(): void {
    if (this.#state === 'after quote') this.#append('"');
    this.#state = 'quoted';
  }

  #readBare(text: string, from: number): number {
    let end = from + 1;
    while (end < text.length && !this.#endsField(text[end])) end++;
    this.#append(text.slice(from, end));
    this.#state = 'bare';
    return end;
  }

  #endsField(char: string | undefined): boolean {
    return char === this.#separator || char === '\n' || char === '\r';
  }

  #append(text: string): void {
    this.#field += text;
    if (this.#field.length > MAX_CELL_LENGTH) {
      this.#refuse(`has a field of more than ${MAX_CELL_LENGTH} characters`);
    }
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'start';
    if (this.#fields.length > MAX_COLUMNS) this.#refuse(`has more than ${MAX_COLUMNS} fields`);
  }

  #endRecord(): void {
    this.#endField();
    this.#records.push(this.#fields);
    this.#fields = [];
    this.#count++;
  }

  #refuse(reason: string): never {
    throw new UnreadableWorkbook(`record ${this.#count + 1} ${reason}`);
  }
}
