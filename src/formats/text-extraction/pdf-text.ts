import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import { type ExtractedTexts, UnreadableContent } from './extracted-texts.ts';

const MIB = 1024 * 1024;

/** Most memory of PDFium, which lies outside the heap of the thread. */
const MEMORY_MIB = 256;

/** Memory of PDFium never shrinks: after a document that took more, the thread ends. */
const KEPT_MIB = 64;

const WASM_PAGE = 65_536;

/** The error of FPDF_GetLastError for a document with a password (fpdfview.h). */
const PASSWORD_NEEDED = 4;

/** PDFium writes it for a hyphen at the end of a line within a word, and joins the word. */
const JOINED_HYPHEN = /\ufffe/g;

/** Line breaks between characters of scripts without blanks between words. */
const BREAK_IN_TEXT =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])\r?\n(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

/** WebAssembly.Memory, for which the library has no type. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** PDFium: it has no access to files, the network or a script engine, and renders nothing here. */
interface Pdfium {
  readonly calls: WrappedPdfiumModule;
  readonly memory: Memory;
}

let loaded: Pdfium | undefined;

let isSpent = false;

/** Whether PDFium has failed, or holds much memory. Then the thread has to end: only that frees the memory for sure. */
export function isPdfiumSpent(): boolean {
  return isSpent;
}

async function load(): Promise<Pdfium> {
  const wasmBinary = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const silent = { print: () => {}, printErr: () => {} };
  const calls = await init({ wasmBinary: Uint8Array.from(wasmBinary).buffer, ...silent });
  const { memory } = calls.pdfium.wasmExports as unknown as { memory: Memory };
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * WASM_PAGE > MEMORY_MIB * MIB) throw new RangeError('memory limit');
    return grow(pages);
  };
  calls.FPDF_InitLibrary();
  return { calls, memory };
}

/**
 * Adds the pages of a PDF as one text, because sentences go on from page to page. Throws LimitReached, and
 * UnreadableContent when it is damaged, has a password, or takes too much memory.
 */
export async function addPdfText(bytes: Uint8Array, texts: ExtractedTexts): Promise<void> {
  loaded ??= await load();
  const { memory } = loaded;
  try {
    readDocument(loaded, bytes, texts);
  } catch (cause) {
    // Whatever else interrupts PDFium leaves its memory as it is.
    isSpent = !(cause instanceof UnreadableContent);
    throw isOfPdfium(cause) ? new UnreadableContent(reasonOf(memory), { cause }) : cause;
  } finally {
    isSpent ||= memory.buffer.byteLength > KEPT_MIB * MIB;
  }
}

/** Traps of WebAssembly, aborts, and RangeError when its stack is full. */
function isOfPdfium(cause: unknown): boolean {
  return cause instanceof RangeError || (cause instanceof Error && cause.name === 'RuntimeError');
}

function reasonOf(memory: Memory): string {
  // PDFium gives up when it gets no more memory, and asks for up to a fifth of what it has.
  const isFull = memory.buffer.byteLength * 1.3 > MEMORY_MIB * MIB;
  return isFull
    ? `reading it takes more than ${MEMORY_MIB} MiB of memory`
    : 'it is damaged: PDFium failed on it';
}

function readDocument(pdfium: Pdfium, bytes: Uint8Array, texts: ExtractedTexts): void {
  const { calls, memory } = pdfium;
  const content = allocate(calls, bytes.length);
  new Uint8Array(memory.buffer, content, bytes.length).set(bytes);
  const document = calls.FPDF_LoadMemDocument64(content, bytes.length, '');
  if (document === 0) {
    const isLocked = calls.FPDF_GetLastError() === PASSWORD_NEEDED;
    calls.pdfium.wasmExports.free(content);
    throw new UnreadableContent(isLocked ? 'it has a password' : 'it is damaged, or no PDF');
  }
  const pages = calls.FPDF_GetPageCount(document);
  for (let page = 0; page < pages; page++) {
    texts.checkTime();
    texts.append(pageText(pdfium, document, page));
  }
  texts.endText();
  calls.FPDF_CloseDocument(document);
  calls.pdfium.wasmExports.free(content);
}

/** The text of a page and a line break; "" for a damaged page, and one without text. */
function pageText(pdfium: Pdfium, document: number, index: number): string {
  const { calls } = pdfium;
  const page = calls.FPDF_LoadPage(document, index);
  if (page === 0) return '';
  const textPage = calls.FPDFText_LoadPage(page);
  const text = textPage === 0 ? '' : charactersOf(pdfium, textPage);
  calls.FPDFText_ClosePage(textPage);
  calls.FPDF_ClosePage(page);
  return text === '' ? '' : `${text.replace(JOINED_HYPHEN, '').replace(BREAK_IN_TEXT, '')}\n`;
}

function charactersOf({ calls, memory }: Pdfium, textPage: number): string {
  const count = calls.FPDFText_CountChars(textPage);
  if (count <= 0) return '';
  const buffer = allocate(calls, (count + 1) * 2);
  // It counts the terminator as well.
  const written = calls.FPDFText_GetText(textPage, 0, count, buffer) - 1;
  const text = Buffer.from(memory.buffer, buffer, Math.max(0, written) * 2).toString('utf16le');
  calls.pdfium.wasmExports.free(buffer);
  return text;
}

function allocate({ pdfium }: WrappedPdfiumModule, bytes: number): number {
  const address = pdfium.wasmExports.malloc(Math.max(1, bytes));
  if (address === 0) throw new UnreadableContent(`reading it takes more than ${MEMORY_MIB} MiB of memory`);
  return address;
}
