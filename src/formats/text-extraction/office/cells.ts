import { RichText } from '../../workbooks/xlsx/shared-strings.ts';
import { type Attributes, unescapeName, unescapeText, type XmlReader } from '../../workbooks/xlsx/xml.ts';
import type { ExtractedTexts } from '../extracted-texts.ts';

/** Texts of cells that are remembered; further ones are added as often as they occur. */
const MOST_REMEMBERED = 200_000;
/** Longer texts hardly ever repeat. */
const LONGEST_REMEMBERED = 200;

/** Numbers that somebody may have typed; longer ones are results of calculations. */
const SHORT_NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const LONGEST_NUMBER = 17;

/** Adds texts of cells, each a text of its own, and usually once: search asks whether a file has a word. */
export class CellTexts {
  readonly #texts: ExtractedTexts;
  readonly #known = new Set<string>();

  constructor(texts: ExtractedTexts) {
    this.#texts = texts;
  }

  add(text: string): void {
    if (text.trim() === '' || this.#known.has(text)) return;
    if (text.length <= LONGEST_REMEMBERED && this.#known.size < MOST_REMEMBERED) this.#known.add(text);
    this.#texts.add(text);
  }
}

/** Adds the names of the sheets of a workbook. */
export class SheetNamesReader implements XmlReader {
  readonly #cells: CellTexts;

  constructor(cells: CellTexts) {
    this.#cells = cells;
  }

  open(element: string, { name }: Attributes): void {
    if (element === 'sheet' && name !== undefined) this.#cells.add(unescapeName(name));
  }
}

/** Adds the texts that cells share; a file holds each of them once. */
export class SharedStringsReader implements XmlReader {
  readonly #cells: CellTexts;
  readonly #text = new RichText();

  constructor(cells: CellTexts) {
    this.#cells = cells;
  }

  open(name: string): void {
    if (name === 'si') this.#text.begin();
    else this.#text.open(name);
  }

  text(text: string): void {
    this.#text.text(text);
  }

  close(name: string): void {
    if (name === 'si') this.#cells.add(this.#text.end());
    else this.#text.close(name);
  }
}

/** Adds the texts and short numbers that stand in the cells of a sheet, the results of formulas among them. */
export class SheetReader implements XmlReader {
  readonly #cells: CellTexts;
  readonly #inline = new RichText();
  #type: string | undefined;
  #isValue = false;
  #isInline = false;
  #value = '';

  constructor(cells: CellTexts) {
    this.#cells = cells;
  }

  open(name: string, { t }: Attributes): void {
    if (name === 'c') this.#type = t;
    else if (name === 'v') this.#beginValue();
    else if (name === 'is') this.#beginInline();
    else if (this.#isInline) this.#inline.open(name);
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
    else if (this.#isInline) this.#inline.text(text);
  }

  close(name: string): void {
    if (name === 'v') this.#endValue();
    else if (name === 'is') this.#endInline();
    else if (this.#isInline) this.#inline.close(name);
  }

  #beginValue(): void {
    this.#isValue = true;
    this.#value = '';
  }

  #beginInline(): void {
    this.#isInline = true;
    this.#inline.begin();
  }

  #endValue(): void {
    this.#isValue = false;
    if (this.#type === 'str') this.#cells.add(unescapeText(this.#value));
    else if (this.#type === 'd' || (isOfNumbers(this.#type) && isShortNumber(this.#value))) {
      this.#cells.add(this.#value);
    }
  }

  #endInline(): void {
    this.#isInline = false;
    this.#cells.add(this.#inline.end());
  }
}

function isOfNumbers(type: string | undefined): boolean {
  return type === undefined || type === 'n';
}

function isShortNumber(value: string): boolean {
  return value.length <= LONGEST_NUMBER && SHORT_NUMBER.test(value);
}
