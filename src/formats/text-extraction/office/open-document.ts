import type { Attributes, XmlReader } from '../../workbooks/xlsx/xml.ts';
import type { ExtractedTexts } from '../extracted-texts.ts';
import type { CellTexts } from './cells.ts';

/** Elements that stand for characters (OpenDocument 1.3 part 3, 6.1). */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['line-break', '\n'],
  ['s', ' '],
  ['tab', '\t'],
]);

/** Deleted text, and readings above characters. */
const SKIPPED = new Set(['tracked-changes', 'ruby-text']);

/**
 * Adds the paragraphs of the content of an OpenDocument file, a line each: those of a text document as one text, each
 * page of a presentation and each cell of a spreadsheet as a text of its own.
 */
export class OpenDocumentReader implements XmlReader {
  readonly #texts: ExtractedTexts;
  readonly #cells: CellTexts;
  #isSpreadsheet = false;
  /** The paragraphs and headings that are open: a note stands within one. */
  #paragraphs = 0;
  #skipped = 0;
  #cell = '';

  constructor(texts: ExtractedTexts, cells: CellTexts) {
    this.#texts = texts;
    this.#cells = cells;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'spreadsheet') this.#isSpreadsheet = true;
    if (name === 'table' && this.#isSpreadsheet) this.#cells.add(attributes.name ?? '');
    if (SKIPPED.has(name)) this.#skipped++;
    if (name === 'p' || name === 'h') this.#paragraphs++;
    this.#add(CHARACTERS.get(name) ?? '');
  }

  text(text: string): void {
    this.#add(text);
  }

  close(name: string): void {
    if (name === 'p' || name === 'h') {
      this.#add('\n');
      this.#paragraphs--;
    } else if (SKIPPED.has(name)) this.#skipped--;
    else if (name === 'table-cell') this.#endCell();
    else if (name === 'page') this.#texts.endText();
  }

  #add(text: string): void {
    if (text === '' || this.#paragraphs === 0 || this.#skipped > 0) return;
    if (this.#isSpreadsheet) this.#cell += text;
    else this.#texts.append(text);
  }

  /** Text of a spreadsheet outside cells, such as of drawings, belongs to the next cell. */
  #endCell(): void {
    if (this.#cell !== '') this.#cells.add(this.#cell);
    this.#cell = '';
  }
}
