import { decodeHeader, decodePlainHeader } from './encoded-words.ts';
import { type Address, MAX_ADDRESSES } from './message.ts';
import { stripComments } from './parameters.ts';

interface Token {
  kind: 'atom' | 'quoted' | 'comment' | 'angle' | ',' | ';' | ':';
  /** The text without its delimiters and without the escapes of a quoted string. */
  text: string;
  /** Whether white space precedes the token. */
  spaced: boolean;
}

const MAX_LOCAL_PART = 200;

const ENCODED_WORD = /=\?[^? \t]+\?[QqBb]\?[^?]*\?=/y;
const ATOM = /[^ \t"(<>,;:]+/y;
const SPACE = /[ \t]*/y;

/**
 * Splits a raw address list (RFC 5322 3.4, obsolete forms too) into tokens, lazily. Linear in its length: the
 * reader searches once for a missing closing quote or bracket, and then reads to the end or takes the opening one
 * as an ordinary character.
 */
function* tokenizeAddresses(text: string): Generator<Token> {
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
    // Outlook writes "Joe [mailto:joe@example.com]" into quoted messages, and people paste it.
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

  /** Reads to ">", or without one to the next comma. */
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

  /** A quoted local part may contain ">". A quote without a closing one nearby is an ordinary character. */
  #closingQuote(open: number): number {
    for (let i = open + 1; i < open + MAX_LOCAL_PART; i++) {
      if (this.#text[i] === '"') return i;
      if (this.#text[i] === '\\') i++;
    }
    return open;
  }
}

/** RFC 5322 3.2.3: characters that end a word. A name with one of them must be quoted. */
const SPECIALS = /[()<>[\]:;@\\,."]|^\s|\s$/;

/**
 * A mailbox as the API shows it: `Name <address>`, or only the name or only the address. A name is quoted as RFC 5322
 * 3.4 requires, so that a parser finds the same address: a name may itself look like an address.
 */
export function formatAddress({ name, address }: Address): string {
  const word = SPECIALS.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
  return word !== '' && address !== '' ? `${word} <${address}>` : word || address;
}

/** The same with a name that is never quoted: as people read it. */
export function plainAddress({ name, address }: Address): string {
  return name !== '' && address !== '' ? `${name} <${address}>` : name || address;
}

/** Reads what formatAddress or plainAddress has written. */
export function readFormatted(shown: string): Address {
  const [, quoted, between] = /^"((?:[^"\\]|\\.)*)"(?: <(.*)>)?$/s.exec(shown) ?? [];
  if (quoted !== undefined) return { name: quoted.replace(/\\(.)/gs, '$1'), address: between ?? '' };
  const open = shown.endsWith('>') ? shown.lastIndexOf(' <') : -1;
  if (open >= 0) return { name: shown.slice(0, open), address: shown.slice(open + 2, -1) };
  // parseAddresses takes a single word for an address, and several for a name.
  return /\s/.test(shown) && !shown.includes('@')
    ? { name: shown, address: '' }
    : { name: '', address: shown };
}

/** The form of nearly all mail: "Name <address>" in plain characters, separated by a comma and a space. */
const USUAL = /^(?:[\w.+-]+ )*<[\w.+-]+@[\w.-]+>(?:, (?:[\w.+-]+ )*<[\w.+-]+@[\w.-]+>)*$/;
const LONGEST_USUAL = 1_000;

/**
 * The mailboxes of a raw address header, groups flattened. Stops after `limit` mailboxes. Also reads the obsolete
 * forms of RFC 5322 4.4 and common errors of mailers: unquoted commas in names, missing brackets, semicolons
 * instead of commas.
 */
export function parseAddresses(raw: string, limit = MAX_ADDRESSES): Address[] {
  if (raw.length <= LONGEST_USUAL && USUAL.test(raw)) return raw.split(', ', limit).map(usualMailbox);
  const found: Address[][] = [];
  let name: Token[][] = [];
  for (const [tokens, ended] of splitItems(tokenizeAddresses(raw), limit)) {
    if (found.length + name.length > limit) break;
    // "Doe, John <john@example.com>": words before a comma belong to the name of an angle address after it.
    if (mayStartName(tokens, ended)) {
      name.push(tokens);
      continue;
    }
    if (tokens.some(isAngle)) found.push(mailboxes([...name.flatMap(withComma), ...tokens]));
    else found.push([...name, tokens].flatMap(mailboxes));
    name = [];
  }
  const all = [...found, ...name.map(mailboxes)].flat();
  return all.filter((address) => formatAddress(address) !== '').slice(0, limit);
}

function usualMailbox(item: string): Address {
  const open = item.indexOf('<');
  return { name: item.slice(0, open).trimEnd(), address: item.slice(open + 1, -1) };
}

function withComma(tokens: Token[]): Token[] {
  return [...tokens, { kind: 'atom', text: ',', spaced: false }];
}

type Item = [tokens: Token[], ended: ',' | ';' | ''];

/**
 * Splits the list into items. Drops a group name and its colon. An item with more than `limit` addresses ends
 * there, and so does the list.
 */
function* splitItems(tokens: Iterable<Token>, limit: number): Generator<Item> {
  let current: Token[] = [];
  let addresses = 0;
  for (const token of tokens) {
    if (token.kind === ',' || token.kind === ';') {
      yield [current, token.kind];
      current = [];
      addresses = 0;
    } else if (token.kind === ':' && addresses === 0) {
      current = [];
    } else if (token.kind === ':') {
      current.push({ ...token, kind: 'atom' });
    } else if (token.text !== '' || token.kind !== 'atom') {
      current.push(token);
      if (isAddressLike(token)) addresses++;
      if (addresses > limit) break;
    }
  }
  yield [current, ''];
}

function mayStartName(tokens: Token[], ended: string): boolean {
  return (
    ended === ',' &&
    tokens.length > 0 &&
    tokens.every((token) => token.kind === 'atom' && !isAddressLike(token))
  );
}

function isAngle(token: Token): boolean {
  return token.kind === 'angle';
}

function isAddressLike(token: Token): boolean {
  return token.kind === 'angle' || (token.kind === 'atom' && token.text.includes('@'));
}

/** The mailbox of one item; several when a comma is missing between them. */
function mailboxes(tokens: Token[]): Address[] {
  const angles = tokens.filter(isAngle);
  if (angles.length > 0) return angleMailboxes(tokens);
  const joined = joinAtSigns(tokens);
  const bare = joined.filter(isAddressLike);
  const words = joined.filter((token) => !isAddressLike(token) && token.kind !== 'comment');
  if (bare.length === 0) return wordsOnly(words, tokens);
  const name = words.length > 0 ? phrase(words) : comments(tokens);
  return bare.map((token, index) => ({ name: index === 0 ? name : '', address: addressText(token.text) }));
}

function angleMailboxes(tokens: Token[]): Address[] {
  const found: Address[] = [];
  let words: Token[] = [];
  for (const token of tokens) {
    if (token.kind === 'comment') continue;
    if (token.kind !== 'angle') words.push(token);
    else {
      found.push({ name: phrase(words), address: addressText(token.text) });
      words = [];
    }
  }
  const only = found[0];
  if (only && found.length === 1 && only.name === '') only.name = phrase(words) || comments(tokens);
  return found;
}

/** "root" is the address of a local user; several words are a name without an address. */
function wordsOnly(words: Token[], tokens: Token[]): Address[] {
  const [only] = words;
  if (only?.kind === 'atom' && words.length === 1 && !only.text.startsWith('=?')) {
    return [{ name: comments(tokens), address: addressText(only.text) }];
  }
  return [{ name: phrase(words), address: '' }];
}

/** RFC 5321 4.5.3.1: an address has at most 320 characters. */
const MAX_JOINED = 320;

/** Puts together "user @ example . org" (RFC 5322 4.4) and quoted local parts: "j doe"@example.org. */
function joinAtSigns(tokens: Token[]): Token[] {
  const out: Token[] = [];
  for (const token of tokens) {
    const last = out.at(-1);
    if (last && token.kind === 'atom' && joins(last, token)) {
      const before = last.kind === 'quoted' ? `"${last.text.replace(/(["\\])/g, '\\$1')}"` : last.text;
      out[out.length - 1] = { ...last, kind: 'atom', text: before + token.text };
    } else {
      out.push(token);
    }
  }
  return out;
}

function joins(last: Token, token: Token): boolean {
  if (last.kind === 'quoted') return token.text.startsWith('@') && (!token.spaced || token.text.length > 1);
  if (last.kind !== 'atom' || last.text.length > MAX_JOINED) return false;
  if (token.text.startsWith('@') || last.text.endsWith('@')) return true;
  return last.text.includes('@') && (token.text.startsWith('.') || last.text.endsWith('.') || !token.spaced);
}

function phrase(tokens: Token[]): string {
  const words = tokens.map((token) => (token.spaced ? ' ' : '') + token.text).join('');
  return decodeHeader(words).replace(/\s+/g, ' ').trim();
}

function comments(tokens: Token[]): string {
  return phrase(tokens.filter((token) => token.kind === 'comment'));
}

/** The address, within brackets or bare, without comments, source route and white space. */
function addressText(text: string): string {
  const plain = decodeAddress(stripComments(text))
    .replace(/^[\s<[]*mailto:/i, '')
    .replace(/^\s*@[^:]*:/, '');
  const trimmed = withoutAngles(plain).trim();
  if (trimmed.startsWith('"')) return trimmed.replace(/"\s*@\s*/, '"@');
  return trimmed.includes('@') ? trimmed.replace(/\s+/g, '') : trimmed.replace(/\s+/g, ' ');
}

/** A bare address without anything that ends it for a parser. */
const BARE = /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[^\s\p{Cc}"(),:;<>@[\\\]]+$/u;

/**
 * An encoded word is none within an address (RFC 2047, 5): decoded, "=?utf-8?q?a=40b.example=3E?=@c.example" would show and
 * be read as the address of somebody else. A whole address that a mailer has encoded is decoded.
 */
function decodeAddress(text: string): string {
  const whole = text.includes('@') ? '' : decodeHeader(text);
  return BARE.test(whole) ? whole : decodePlainHeader(text);
}

/**
 * Removes stray brackets at both ends. By index: a pattern anchored at the end would be tried from every bracket
 * (quadratic time).
 */
function withoutAngles(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '<') start++;
  while (end > start && text[end - 1] === '>') end--;
  return text.slice(start, end);
}
