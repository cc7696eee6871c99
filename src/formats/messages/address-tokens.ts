export interface Token {
  kind: 'atom' | 'quoted' | 'comment' | 'angle' | ',' | ';' | ':';
  /** Without the delimiters, and without the escapes of a quoted string. */
  text: string;
  /** Whether white space stands before it. */
  spaced: boolean;
}

const MAX_LOCAL_PART = 200;

const ENCODED_WORD = /=\?[^? \t]+\?[QqBb]\?[^?]*\?=/y;
const ATOM = /[^ \t"(<>,;:]+/y;
const SPACE = /[ \t]*/y;

/**
 * Splits a raw address list (RFC 5322 3.4, obsolete forms too). Linear in its length: what never closes is
 * looked for once, and then runs to the end or counts as an ordinary character. Reads no further than it is asked for.
 */
export function* tokenizeAddresses(text: string): Generator<Token> {
  const reader = new Reader(text);
  for (let token = reader.next(); token; token = reader.next()) yield token;
}

class Reader {
  #text: string;
  #at = 0;
  #quotesLeft = true;
  #anglesLeft = true;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token | null {
    const spaced = this.#match(SPACE) !== '';
    const char = this.#text[this.#at];
    if (char === undefined) return null;
    const [kind, text] = this.#read(char);
    return { kind, text, spaced };
  }

  #read(char: string): [Token['kind'], string] {
    if (char === '(') return ['comment', this.#comment()];
    if (char === '<') return ['angle', this.#angle()];
    if (char === '"') {
      const quoted = this.#quoted();
      return quoted === null ? ['atom', ''] : ['quoted', quoted];
    }
    if (char === ',' || char === ';' || char === ':') {
      this.#at++;
      return [char, char];
    }
    return this.#atom();
  }

  #atom(): [Token['kind'], string] {
    const start = this.#match(ENCODED_WORD) || this.#match(ATOM);
    if (start === '') this.#at++;
    const atom = start.includes('[') && !start.includes(']') ? start + this.#domainLiteral() : start;
    // Outlook writes "Joe [mailto:joe@example.com]" into what it quotes, and people paste it.
    const mailto = /^\[mailto:(.+)\]$/i.exec(atom)?.[1];
    return mailto === undefined ? ['atom', atom] : ['angle', mailto];
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  /** An IPv6 literal holds colons: user@[IPv6:::1]. */
  #domainLiteral(): string {
    return this.#match(/[^ \t\]<>,"]{0,60}\]/y);
  }

  #quoted(): string | null {
    const start = this.#at++;
    let value = '';
    for (let i = start + 1; this.#quotesLeft && i < this.#text.length; i++) {
      const char = this.#text[i];
      if (char === '"') {
        this.#at = i + 1;
        return value;
      }
      if (char === '\\' && i + 1 < this.#text.length) i++;
      value += this.#text[i] ?? '';
    }
    this.#quotesLeft = false;
    return null;
  }

  #comment(): string {
    let depth = 0;
    let value = '';
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (char === '\\') this.#at++;
      else if (char === '(' && ++depth === 1) continue;
      else if (char === ')' && --depth === 0) break;
      value += this.#text[this.#at] ?? '';
    }
    this.#at++;
    return value;
  }

  /** Up to ">", or where none follows up to the next comma. */
  #angle(): string {
    const start = this.#at + 1;
    const close = this.#anglesLeft ? this.#closingAngle(start) : -1;
    if (close >= 0) {
      this.#at = close + 1;
      return this.#text.slice(start, close);
    }
    this.#anglesLeft = false;
    const comma = this.#text.indexOf(',', start);
    this.#at = comma < 0 ? this.#text.length : comma;
    return this.#text.slice(start, this.#at);
  }

  #closingAngle(start: number): number {
    for (let i = start; i < this.#text.length; i++) {
      if (this.#text[i] === '>') return i;
      if (this.#text[i] === '"') i = this.#closingQuote(i);
    }
    return -1;
  }

  /** A quoted local part may hold ">"; a quote that closes only far away is a stray one. */
  #closingQuote(open: number): number {
    for (let i = open + 1; i < open + MAX_LOCAL_PART; i++) {
      if (this.#text[i] === '"') return i;
      if (this.#text[i] === '\\') i++;
    }
    return open;
  }
}
