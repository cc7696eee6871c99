import { UnreadableWorkbook } from '../workbooks/workbook.ts';
import { decodeFile } from './decode-file.ts';
import {
  ExtractedTexts,
  LimitReached,
  type PackedTexts,
  type TextLimits,
  UnreadableContent,
} from './extracted-texts.ts';
import type { Kind } from './kinds.ts';

/** A content to be read in a thread. */
export interface ExtractionRequest {
  readonly kind: Kind;
  readonly bytes: Uint8Array;
  readonly limits: TextLimits;
}

/** The texts of a content, and why some are missing; or why there are none. */
export type Extraction =
  | { readonly packed: PackedTexts; readonly cut?: string }
  | { readonly unreadable: string };

/**
 * Extracts the texts of a content. What was read before a limit or a damaged place stays. The readers of
 * HTML, PDF and archives are loaded when they are needed. Rejects only for a defect of a reader.
 */
export async function extract(kind: Kind, bytes: Uint8Array, limits: TextLimits): Promise<Extraction> {
  const texts = new ExtractedTexts(limits);
  try {
    if (kind === 'written') return { packed: writtenText(bytes) };
    await addTexts(kind, bytes, texts);
    return { packed: texts.packed() };
  } catch (cause) {
    if (!isExpected(cause)) throw cause;
    return texts.isEmpty ? { unreadable: cause.message } : { packed: texts.packed(), cut: cause.message };
  }
}

/** One text as it is written: blanks alone, and what a database does not store, are part of it. */
function writtenText(bytes: Uint8Array): PackedTexts {
  const all = decodeFile(bytes, { keepsMark: true });
  return { all, ends: Uint32Array.of(all.length) };
}

async function addTexts(
  kind: Exclude<Kind, 'written'>,
  bytes: Uint8Array,
  texts: ExtractedTexts,
): Promise<void> {
  switch (kind) {
    case 'plain':
      return texts.add(decodeFile(bytes));
    case 'json':
      return addJsonText(decodeFile(bytes), texts);
    case 'html':
      return (await import('./html-text.ts')).addHtmlText(decodeFile(bytes), texts);
    case 'pdf':
      return (await import('./pdf-text.ts')).addPdfText(bytes, texts);
    case 'office':
      return (await import('./office/office-text.ts')).addOfficeText(bytes, texts);
  }
}

function isExpected(cause: unknown): cause is Error {
  return (
    cause instanceof LimitReached || cause instanceof UnreadableContent || cause instanceof UnreadableWorkbook
  );
}

/** Escapes of JSON (RFC 8259 7) that stand for blanks. */
const BLANKS: Readonly<Record<string, string>> = { b: ' ', f: '\n', n: '\n', r: '\n', t: '\n' };

const CODE = /^[0-9A-Fa-f]{4}$/;

/** Escapes between checks of the time. */
const CHECKED_EVERY = 4_096;

/**
 * Adds JSON as one text with its escapes resolved: many programs escape every character outside ASCII, and the n of a
 * line break would belong to the next word. It is not parsed, so damaged and cut JSON has text as well. Throws
 * LimitReached.
 */
function addJsonText(json: string, texts: ExtractedTexts): void {
  let start = 0;
  let escapes = 0;
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', start)) {
    if (++escapes % CHECKED_EVERY === 0) texts.checkTime();
    texts.append(json.slice(start, at));
    const code = json.slice(at + 2, at + 6);
    const isCode = json[at + 1] === 'u' && CODE.test(code);
    texts.append(isCode ? String.fromCharCode(Number.parseInt(code, 16)) : characterOf(json[at + 1]));
    start = at + (isCode ? 6 : 2);
  }
  texts.append(json.slice(start));
  texts.endText();
}

function characterOf(escaped = ''): string {
  return BLANKS[escaped] ?? escaped;
}
