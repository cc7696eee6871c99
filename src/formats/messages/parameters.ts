import { decodeText } from './charsets.ts';
import { decodeHeader } from './encoded-words.ts';
import { oneLine, trimBlanks } from './message.ts';

/**
 * Replaces each RFC 5322 comment (nested, not within quoted strings) with a space. An unclosed comment extends to
 * the end.
 */
export function stripComments(text: string): string {
  if (!text.includes('(')) return text;
  let out = '';
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\' && (quoted || depth > 0)) {
      if (depth === 0) out += text.slice(i, i + 2);
      i++;
    } else if (depth === 0 && char === '"') {
      quoted = !quoted;
      out += char;
    } else if (!quoted && char === '(') {
      depth++;
    } else if (depth > 0) {
      if (char === ')' && --depth === 0) out += ' ';
    } else {
      out += char;
    }
  }
  return out;
}

/** A parameter of Content-Type or Content-Disposition. */
interface Parameter {
  /** One character (0–255) for each byte, percent-decoded where RFC 2231 requires it. */
  raw: string;
  /** The charset named by RFC 2231 syntax; null for an ordinary parameter. */
  charset: string | null;
}

export type Parameters = Map<string, Parameter>;

export interface StructuredValue {
  /** The text before the first ";", lower case. */
  value: string;
  parameters: Parameters;
}

interface RawParameter {
  name: string;
  value: string;
}

/** Parses "value; name=value; …" (RFC 2045 5.1, RFC 2231). The first of repeated parameters counts. */
export function parseStructured(raw: string): StructuredValue {
  const semicolon = raw.indexOf(';');
  const head = semicolon < 0 ? raw : raw.slice(0, semicolon);
  const [value = '', ...rest] = trimBlanks(stripComments(head)).split(/[ \t]+/);
  // Some mailers omit the first semicolon: "text/plain charset=x".
  const tail = `${rest.join(' ')};${semicolon < 0 ? '' : raw.slice(semicolon + 1)}`;
  return { value: value.toLowerCase(), parameters: joinSections(readParameters(tail)) };
}

function readParameters(text: string): RawParameter[] {
  const found: RawParameter[] = [];
  for (let at = 0; at < text.length; ) {
    const start = skip(text, at, '; \t');
    const end = endOfName(text, start);
    at = end;
    if (text[end] !== '=') continue;
    const { value, end: next } = readValue(text, skip(text, end + 1, ' \t'));
    found.push({ name: stripComments(text.slice(start, end)).trim().toLowerCase(), value });
    at = next;
  }
  return found;
}

/** The first offset from `at` on with none of these characters. */
function skip(text: string, at: number, characters: string): number {
  let next = at;
  while (next < text.length && characters.includes(text[next] ?? '')) next++;
  return next;
}

/** The offset of the next ";" or "="; the end of the text without one. */
function endOfName(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== ';' && text[end] !== '=') end++;
  return end;
}

function readValue(text: string, at: number): { value: string; end: number } {
  if (text[at] === '"') return readQuoted(text, at + 1);
  const semicolon = text.indexOf(';', at);
  const end = semicolon < 0 ? text.length : semicolon;
  // Unquoted values with spaces violate RFC 2045 but are common for file names.
  return { value: trimBlanks(text.slice(at, end)), end };
}

function readQuoted(text: string, start: number): { value: string; end: number } {
  let value = '';
  let at = start;
  for (; at < text.length && text[at] !== '"'; at++) {
    // Windows paths contain unescaped backslashes: only characters that need an escape count as escaped.
    if (text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++;
    value += text[at] ?? '';
  }
  const semicolon = text.indexOf(';', at);
  return { value, end: semicolon < 0 ? text.length : semicolon };
}

const SECTION = /^([^*]+)(?:\*(\d{1,4}))?(\*)?$/;

interface Section {
  index: number;
  extended: boolean;
  value: string;
}

/** RFC 2231: name*, name*0, name*1* … become one value, which overrides a plain one of the same name. */
function joinSections(found: RawParameter[]): Parameters {
  const plain: Parameters = new Map();
  const sections = new Map<string, Section[]>();
  for (const { name, value } of found) {
    const [, base = '', index, star] = SECTION.exec(name) ?? [];
    if (base !== '' && (index !== undefined || star !== undefined)) {
      const list = sections.get(base) ?? [];
      list.push({ index: Number(index ?? 0), extended: star !== undefined, value });
      sections.set(base, list);
    } else if (!plain.has(name)) {
      plain.set(name, { raw: value, charset: null });
    }
  }
  for (const [name, list] of sections) plain.set(name, joinSection(list));
  return plain;
}

function joinSection(sections: Section[]): Parameter {
  sections.sort((a, b) => a.index - b.index);
  const first = sections[0];
  const [, charset, text] = first?.extended ? (/^([^']*)'[^']*'(.*)$/s.exec(first.value) ?? []) : [];
  if (first && text !== undefined) first.value = text;
  const raw = sections.map((section) => (section.extended ? percentDecode(section.value) : section.value));
  return { raw: raw.join(''), charset: charset ?? null };
}

function percentDecode(value: string): string {
  return value.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Most characters that are decoded: no encoding needs more for 255 characters. */
const LONGEST_TEXT = 16 * 1024;

/**
 * A parameter's text, decoded by RFC 2231, or by RFC 2047, which mailers wrongly use; "" when absent. Only the
 * start of an overlong text is decoded.
 */
export function parameterText(parameters: Parameters, name: string): string {
  const parameter = parameters.get(name);
  if (!parameter) return '';
  const raw = parameter.raw.slice(0, LONGEST_TEXT);
  if (parameter.charset === null) return decodeHeader(raw);
  return oneLine(decodeText(Buffer.from(raw, 'latin1'), parameter.charset));
}
