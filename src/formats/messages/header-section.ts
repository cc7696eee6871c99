import { MAX_FIELD_BYTES, MAX_FIELDS, MAX_HEAD_BYTES, trimBlanks } from './message.ts';

/** A header field as written in the message. */
export interface HeaderField {
  /** Lower case. */
  name: string;
  /** The name as the message has it. */
  written: string;
  /** Unfolded to one line, not decoded: one character (0–255) for each byte. */
  raw: string;
}

/** Matches an empty name too; closeUnit() drops such a field. */
const FIELD_NAME = /^[!-9;-~\x80-\xff]*[ \t]*:/;
const MAILBOX_SEPARATOR = /^>?From (?![ \t]*:)/;

/**
 * Reads a header section line by line and tolerates common errors of senders and gateways. A line that is neither
 * a field nor a continuation ends the section, as in sendmail and Postfix. But when a field follows at once, the
 * line is the rest of a line broken without folding.
 */
export class HeaderSection {
  readonly fields: HeaderField[] = [];
  truncated = false;
  #unit: string[] = [];
  #unitSize = 0;
  /** The lines of a unit without a colon so far, with their ends. They may be the first lines of the body. */
  #stray = '';
  #size = 0;
  #started = false;

  /**
   * Adds a line with its end, one character for each byte.
   * @returns null while the section continues; else the lines that belong to the body.
   */
  push(line: string): string | null {
    const content = withoutLineEnd(line);
    if (content === '') return this.#finish(line);
    if (this.#unit.length > 0 && isWhitespace(content.charCodeAt(0))) {
      this.#extend(content, line);
      return null;
    }
    if (this.#stray !== '' && !this.#continuesBrokenLine(content)) return this.#stray + line;
    this.#closeUnit();
    this.#open(content, line);
    return null;
  }

  /** Ends the section at the end of the bytes. @returns the lines that belong to the body. */
  end(): string {
    if (this.#stray !== '') return this.#stray;
    this.#closeUnit();
    return '';
  }

  #finish(line: string): string {
    if (this.#stray !== '') return this.#stray + line;
    this.#closeUnit();
    return '';
  }

  #continuesBrokenLine(next: string): boolean {
    return this.fields.length > 0 && !this.#stray.startsWith('--') && FIELD_NAME.test(next);
  }

  #open(content: string, line: string): void {
    const first = !this.#started;
    this.#started = true;
    if (first && MAILBOX_SEPARATOR.test(content)) return;
    // Some archives put a blank line before the first field.
    if (this.fields.length === 0 && trimBlanks(content) === '') return;
    this.#unit = [trimBlanks(content)];
    this.#unitSize = content.length;
    this.#stray = FIELD_NAME.test(trimBlanks(content)) ? '' : line;
  }

  #extend(content: string, line: string): void {
    this.#unitSize += content.length;
    if (this.#unitSize > MAX_FIELD_BYTES) {
      this.truncated = true;
      return;
    }
    const piece = trimBlanks(content);
    if (piece !== '') this.#unit.push(piece);
    if (this.#stray === '') return;
    // A field name lies within the first two pieces.
    const names = piece !== '' && this.#unit.length === 2 && this.#namesField();
    this.#stray = names ? '' : this.#stray + line;
  }

  /** RFC 5322 4.5 allows white space, and so a fold, between the name and the colon. */
  #namesField(): boolean {
    return FIELD_NAME.test(this.#unit.slice(0, 2).join(' '));
  }

  #closeUnit(): void {
    // RFC 5322 2.2.3 retains the folding white space; but mailers fold with tabs and runs where people mean one
    // space.
    const unit = this.#unit.join(' ');
    const last = this.fields.at(-1);
    if (unit !== '' && !unit.startsWith(':') && this.#admits(unit)) {
      if (this.#stray === '') this.fields.push(fieldOf(unit));
      else if (last) last.raw += ` ${unit}`;
    }
    this.#unit = [];
    this.#stray = '';
  }

  #admits(unit: string): boolean {
    this.#size += unit.length;
    const fits = this.#size <= MAX_HEAD_BYTES && this.fields.length < MAX_FIELDS;
    if (!fits) this.truncated = true;
    return fits;
  }
}

function fieldOf(unit: string): HeaderField {
  const colon = unit.indexOf(':');
  const written = trimBlanks(unit.slice(0, colon));
  return { name: written.toLowerCase(), written, raw: trimBlanks(unit.slice(colon + 1)) };
}

function withoutLineEnd(line: string): string {
  let end = line.length;
  while (end > 0 && (line.charCodeAt(end - 1) === 10 || line.charCodeAt(end - 1) === 13)) end--;
  return line.slice(0, end);
}

function isWhitespace(code: number): boolean {
  return code === 32 || code === 9;
}

/** The raw value of the first field of this name; "" when there is none. */
export function firstValue(fields: HeaderField[], name: string): string {
  return fields.find((field) => field.name === name)?.raw ?? '';
}
