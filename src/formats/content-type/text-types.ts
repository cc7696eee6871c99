import { isUtf8 } from 'node:buffer';
import { NotText } from '../../text/decode.ts';
import { atOnce, encodingOf } from '../../text/encoding.ts';

/** A text type selected by the file name extension, with the condition that the text must meet. */
interface TextKind {
  type: string;
  fits?: (text: string) => boolean;
  /** The less specific type that libmagic reports. */
  known?: string;
}

const plain = (type: string): TextKind => ({ type });
const JSON_KIND: TextKind = { type: 'application/json', fits: looksLikeJson };
const HTML: TextKind = { type: 'text/html', fits: (text) => /<[a-z!][^<>]*>/i.test(text) };
const XML: TextKind = { type: 'text/xml', fits: (text) => /^\uFEFF?\s*</.test(text) };
const SVG: TextKind = { type: 'image/svg+xml', fits: (text) => /<svg[\s>]/i.test(text) };

/** Text types by file name extension. */
const BY_ENDING: Readonly<Record<string, TextKind>> = {
  asc: plain('text/plain'),
  bat: plain('text/x-msdos-batch'),
  c: plain('text/x-c'),
  cc: plain('text/x-c++'),
  cpp: plain('text/x-c++'),
  css: plain('text/css'),
  csv: plain('text/csv'),
  diff: plain('text/x-diff'),
  eml: { type: 'message/rfc822', fits: (text) => /^[!-9;-~]+:/.test(text) },
  go: plain('text/x-go'),
  h: plain('text/x-c'),
  htm: HTML,
  html: HTML,
  ics: {
    type: 'text/calendar',
    fits: (text) => /^[ \t]*BEGIN:VCALENDAR/im.test(text),
    known: 'text/x-vcalendar',
  },
  ini: plain('text/plain'),
  java: plain('text/x-java'),
  js: plain('text/javascript'),
  json: JSON_KIND,
  jsonl: plain('application/x-ndjson'),
  log: plain('text/plain'),
  markdown: plain('text/markdown'),
  md: plain('text/markdown'),
  mjs: plain('text/javascript'),
  ndjson: plain('application/x-ndjson'),
  patch: plain('text/x-diff'),
  php: { type: 'text/x-php', fits: (text) => text.includes('<?') },
  py: plain('text/x-python'),
  rb: plain('text/x-ruby'),
  rs: plain('text/x-rust'),
  rst: plain('text/x-rst'),
  sh: plain('text/x-shellscript'),
  sql: plain('application/sql'),
  srt: { type: 'application/x-subrip', fits: (text) => text.includes(' --> ') },
  svg: SVG,
  tex: plain('text/x-tex'),
  text: plain('text/plain'),
  toml: plain('application/toml'),
  ts: plain('text/x-typescript'),
  tsv: plain('text/tab-separated-values'),
  txt: plain('text/plain'),
  vcf: { type: 'text/vcard', fits: (text) => /^[ \t]*BEGIN:VCARD/im.test(text) },
  vtt: { type: 'text/vtt', fits: (text) => /^\uFEFF?WEBVTT/.test(text) },
  xml: XML,
  yaml: plain('application/yaml'),
  yml: plain('application/yaml'),
};

/**
 * Types that libmagic infers from words, lines and separators of a text, or from words that any text may start
 * with; not types with a binary signature.
 */
const GUESS =
  /^(?:text\/|message\/|image\/x-portable-|application\/(?:csv|javascript|json|mbox|x-ndjson|x-setupscript|x-subrip|x-tex)$)/;

/** Starts of text that only the type detected by libmagic has. */
const SIGNATURE =
  /^\uFEFF?\s*(?:#!|<\?xml|<\?php|<!doctype\s|<html[\s>]|<svg[\s>]|\{\\rtf|BEGIN:V(?:CARD|CALENDAR)|-----BEGIN |Windows Registry|REGEDIT4|@echo off|diff --git |(?:---|\*\*\*) [^\n]{0,200}\n(?:\+\+\+|---) |From \S{1,200} +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )/i;

/** The number of bytes that hold a signature. */
const SIGNATURE_BYTES = 2048;

/**
 * The type of text by its content and, among text types only, by its file name extension. Undefined when the
 * detected type stands: it has a signature, or the bytes are no text, or the extension gives no type that fits.
 */
export function textType(found: string, head: Uint8Array, filename: string): string | undefined {
  const kind = BY_ENDING[endingOf(filename)];
  const isUnknown = found === 'application/octet-stream';
  const isInferred = isUnknown ? isPlainText(head) : GUESS.test(found);
  if (!isInferred) return kind && !kind.fits && isWideText(head) ? kind.type : undefined;
  const stands = kind?.known !== found && isSigned(found, head);
  if (kind && !stands && (kind.fits?.(decodeHead(head)) ?? true)) return kind.type;
  return isUnknown ? 'text/plain' : undefined;
}

function isSigned(found: string, head: Uint8Array): boolean {
  if (found === 'application/octet-stream' || found === 'text/plain') return false;
  return SIGNATURE.test(decodeHead(head.subarray(0, SIGNATURE_BYTES)));
}

function endingOf(filename: string): string {
  return /\.([A-Za-z0-9]{1,10})$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** Whether the bytes are printable text. The last character may be incomplete. */
function isPlainText(head: Uint8Array): boolean {
  const cut = [0, 1, 2, 3].some((less) => isUtf8(head.subarray(0, Math.max(0, head.length - less))));
  return cut && head.every((byte) => byte >= 0x20 || (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b);
}

/**
 * Whether the bytes are text in UTF-16 or UTF-32, with or without a byte-order mark: libmagic reports it as
 * unknown or, because of its zero bytes, as something else. The last character may be incomplete.
 */
function isWideText(head: Uint8Array): boolean {
  const units = head.length - (head.length % 4);
  return [units, units - 2].some((length) => {
    try {
      return WIDE.test(atOnce(encodingOf(head.subarray(0, Math.max(0, length)))));
    } catch (cause) {
      if (cause instanceof NotText) return false;
      throw cause;
    }
  });
}

const WIDE = /^utf-(?:16|32)/;

function decodeHead(head: Uint8Array): string {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return new TextDecoder(isUtf16 ? (head[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(head);
}

/** JSON longer than the head is checked by its start only. */
function looksLikeJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return text.length >= 512 * 1024 && /^\uFEFF?\s*[[{]/.test(text);
  }
}
