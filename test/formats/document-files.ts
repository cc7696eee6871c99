import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { extractText } from '../../src/formats/text-extraction/extraction.ts';
import { archive } from './workbook-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CORPUS = join(ROOT, '..', 'shared', 'corpus', 'types');

export const PDF = 'application/pdf';
export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
export const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const ODT = 'application/vnd.oasis.opendocument.text';
export const ODS = 'application/vnd.oasis.opendocument.spreadsheet';
export const ODP = 'application/vnd.oasis.opendocument.presentation';

/** A reason to skip where the collection of real files is not beside the project; else false. */
export const noDocuments = existsSync(CORPUS) ? false : 'the collection of real files is not on this machine';

export function realDocuments(ending: string): string[] {
  return noDocuments ? [] : readdirSync(CORPUS).filter((name) => name.endsWith(ending));
}

export function realDocument(name: string): Buffer {
  return readFileSync(join(CORPUS, name));
}

export function documentFixture(name: string): Buffer {
  return readFileSync(join(ROOT, 'test', 'fixtures', 'documents', name));
}

/** Extracts the text of bytes as the indexer does with a file. */
export function textsOf(bytes: Uint8Array, type: string, signal?: AbortSignal) {
  return extractText(() => Readable.from([bytes]), type, bytes.length, signal);
}

/** A PDF of some objects, the first of which is the catalogue. */
export function pdfOf(objects: readonly (string | Uint8Array)[], trailer = ''): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  let length = pieces[0]?.length ?? 0;
  const add = (piece: string | Uint8Array) => {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(`${index + 1} 0 obj\n`);
    add(object);
    add('\nendobj\n');
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  add(`${table}trailer<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${length}\n%%EOF\n`);
  return Buffer.concat(pieces);
}

/** A compressed stream of a PDF, compressed several times where that is said. */
export function streamOf(data: string | Uint8Array, times = 1): Buffer {
  let bytes = Buffer.from(data);
  for (let i = 0; i < times; i++) bytes = deflateSync(bytes);
  const filters = '/FlateDecode'.repeat(times);
  return Buffer.concat([
    Buffer.from(`<</Length ${bytes.length}/Filter[${filters}]>>stream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

export const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';
/** Not embedded, and in an encoding that readers must know by its name. */
export const RYUMIN =
  '<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>]>>';

/** A PDF of pages with these contents, in one font called F. */
export function pagesOf(
  contents: readonly (string | Uint8Array)[],
  font = HELVETICA,
  times = 1,
  resources = '',
  more: readonly (string | Uint8Array)[] = [],
): Buffer {
  const first = 4 + more.length;
  const kids = contents.map((_content, i) => `${first + 2 * i} 0 R`).join(' ');
  const pages = contents.flatMap((content, i) => [
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${first + 2 * i + 1} 0 R/Resources<</Font<</F 3 0 R>>${resources}>>>>`,
    streamOf(content, times),
  ]);
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>`,
    font,
    ...more,
    ...pages,
  ]);
}

/** Lines of text on a page, each a string of a PDF: (text) or <bytes>. */
export function linesOf(...lines: string[]): string {
  const shown = lines.map((line, i) => `1 0 0 1 40 ${700 - 20 * i} Tm ${line} Tj`);
  return `BT /F 12 Tf ${shown.join(' ')} ET`;
}

/** A text document of paragraphs as they stand in the file; other parts beside. */
export function docxOf(body: string, parts: Record<string, string> = {}): Promise<Buffer> {
  return archive({ 'word/document.xml': `<document><body>${body}</body></document>`, ...parts });
}

/** A paragraph of a text document or a slide. */
export function paragraphOf(text: string): string {
  return `<p><r><t>${text}</t></r></p>`;
}

/** A presentation of slides with one paragraph each. */
export function pptxOf(slides: readonly string[], parts: Record<string, string> = {}): Promise<Buffer> {
  const entries = slides.map((text, i) => [
    `ppt/slides/slide${i + 1}.xml`,
    `<sld>${paragraphOf(text)}</sld>`,
  ]);
  return archive({ ...Object.fromEntries(entries), ...parts });
}

/** An OpenDocument file of this content. */
export function openDocumentOf(kind: string, content: string): Promise<Buffer> {
  return archive({
    'content.xml': `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d"><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
  });
}
