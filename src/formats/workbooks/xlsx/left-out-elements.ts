import { areaText, parseArea } from '../areas.ts';
import type { ImportNotes, LeftOut } from '../import-notes.ts';
import type { Area } from '../looks.ts';
import { type Attributes, isTrue } from './xml.ts';

/** The elements of a worksheet that belong to contents left out, and have no cells of their own. */
const ELEMENTS: ReadonlyMap<string, LeftOut> = new Map([
  ['colBreaks', 'print_settings'],
  ['control', 'embedded_objects'],
  ['customSheetViews', 'custom_views'],
  ['headerFooter', 'print_settings'],
  ['oleObject', 'embedded_objects'],
  ['pageSetup', 'print_settings'],
  ['picture', 'images'],
  ['printOptions', 'print_settings'],
  ['protectedRange', 'protection'],
  ['rowBreaks', 'print_settings'],
  ['scenario', 'scenarios'],
  ['sheetProtection', 'protection'],
  ['slicer', 'slicers'],
  ['tabColor', 'tab_colors'],
]);

/** The elements that name their cells in an attribute, or in an element within. */
const ELEMENTS_OF_CELLS: ReadonlyMap<string, LeftOut> = new Map([
  ['conditionalFormatting', 'conditional_formatting'],
  ['dataValidation', 'data_validation'],
  ['sparkline', 'sparklines'],
]);

/** Most characters of a list of ranges that is kept in memory. */
const LONGEST_RANGES = 64 * 1024;

/** Notes the contents of a worksheet that are left out, with their places. */
export class LeftOutElements {
  readonly #notes: ImportNotes;
  readonly #sheet: string;
  /** The current element of cells that does not name its cells in an attribute. */
  #pending: LeftOut | undefined;
  #ranges = '';
  #isRanges = false;
  readonly #styled = new Bounds();
  #firstHeight = -1;
  #lastHeight = -1;
  #isOutlined = false;

  constructor(notes: ImportNotes, sheet: string) {
    this.#notes = notes;
    this.#sheet = sheet;
  }

  open(name: string, attributes: Attributes): void {
    const what = ELEMENTS.get(name);
    if (what) this.#notes.add(what, { sheet: this.#sheet });
    const ofCells = ELEMENTS_OF_CELLS.get(name);
    if (ofCells) this.#openOfCells(ofCells, attributes.sqref);
    else if (this.#pending !== undefined && (name === 'sqref' || name === 'ref')) this.#isRanges = true;
    else if (name === 'sheetView') this.#noteView(attributes);
  }

  text(text: string): void {
    if (this.#isRanges && this.#ranges.length < LONGEST_RANGES) this.#ranges += text;
  }

  close(name: string): void {
    if (this.#isRanges && (name === 'sqref' || name === 'ref')) {
      this.#isRanges = false;
      this.#addRanges(this.#pending, this.#ranges);
      this.#ranges = '';
    } else if (ELEMENTS_OF_CELLS.has(name)) this.#pending = undefined;
  }

  row(row: number, { customHeight, ht, outlineLevel }: Attributes): void {
    if (outlineLevel !== undefined && outlineLevel !== '0') this.#isOutlined = true;
    if (ht === undefined || !isTrue(customHeight)) return;
    if (this.#firstHeight < 0) this.#firstHeight = row;
    this.#lastHeight = row;
  }

  /** A cell whose style has more than a number format. */
  styledCell(row: number, column: number): void {
    this.#styled.add(row, column);
  }

  /** To be called after all elements. */
  end(): void {
    const sheet = this.#sheet;
    const styled = this.#styled.area();
    if (styled) this.#notes.add('styles', { sheet, range: areaText(styled) });
    if (this.#isOutlined) this.#notes.add('outlines', { sheet });
    const range = `${this.#firstHeight + 1}:${this.#lastHeight + 1}`;
    if (this.#firstHeight >= 0) this.#notes.add('row_heights', { sheet, range });
  }

  #openOfCells(what: LeftOut, ranges: string | undefined): void {
    this.#pending = ranges === undefined ? what : undefined;
    if (ranges !== undefined) this.#addRanges(what, ranges);
  }

  #addRanges(what: LeftOut | undefined, ranges: string): void {
    if (what === undefined) return;
    const sheet = this.#sheet;
    for (const text of ranges.slice(0, LONGEST_RANGES).split(/\s+/)) {
      const area = parseArea(text.slice(text.lastIndexOf('!') + 1));
      this.#notes.add(what, area ? { sheet, range: areaText(area) } : { sheet });
    }
  }

  #noteView({ rightToLeft, showGridLines, showZeros, showFormulas, showRowColHeaders }: Attributes): void {
    const isUsual = [rightToLeft ?? '0', showFormulas ?? '0'].every((flag) => !isTrue(flag));
    const isShown = [showGridLines, showZeros, showRowColHeaders].every((flag) => isTrue(flag ?? '1'));
    if (!isUsual || !isShown) this.#notes.add('view_settings', { sheet: this.#sheet });
  }
}

/** The smallest rectangle around some cells. */
class Bounds {
  #area: { -readonly [side in keyof Area]: number } | undefined;

  add(row: number, column: number): void {
    const area = this.#area;
    if (!area) {
      this.#area = { top: row, left: column, bottom: row, right: column };
      return;
    }
    if (row < area.top) area.top = row;
    if (row > area.bottom) area.bottom = row;
    if (column < area.left) area.left = column;
    if (column > area.right) area.right = column;
  }

  area(): Area | undefined {
    return this.#area;
  }
}
