import type { XmlReader } from '../../workbooks/xlsx/xml.ts';
import type { ExtractedTexts } from '../extracted-texts.ts';

/** Elements with characters: of runs and formulas, and of comments in presentations and workbooks. */
const TEXT = new Set(['t', 'text']);

/** Elements that stand for characters within a line or between lines. */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
  ['ptab', '\t'],
  ['tab', '\t'],
]);

/** The older form of content that also stands in a newer one, readings above characters, and the old place of moved text. */
const SKIPPED = new Set(['Fallback', 'moveFrom', 'rPh', 'rt']);

/**
 * Adds the paragraphs of a part of WordprocessingML or DrawingML as one text, a line each. Deleted text and the
 * instructions of fields have elements of their own, which are not read.
 */
export class ParagraphReader implements XmlReader {
  readonly #texts: ExtractedTexts;
  #isText = false;
  #skipped = 0;

  constructor(texts: ExtractedTexts) {
    this.#texts = texts;
  }

  open(name: string): void {
    if (SKIPPED.has(name)) this.#skipped++;
    this.#isText = TEXT.has(name);
    const characters = CHARACTERS.get(name);
    if (characters !== undefined && this.#skipped === 0) this.#texts.append(characters);
  }

  text(text: string): void {
    if (this.#isText && this.#skipped === 0) this.#texts.append(text);
  }

  close(name: string): void {
    this.#isText = false;
    if (SKIPPED.has(name)) this.#skipped--;
    if ((name === 'p' || name === 'text') && this.#skipped === 0) this.#texts.append('\n');
  }
}
