import { LEFT_OUT, type LeftOut } from '../left-out.ts';
import type { Archive } from './archive.ts';
import type { WorkbookOutline } from './outline.ts';

/** The elements of a worksheet that stand for what is left out. */
const ELEMENTS: ReadonlyMap<string, LeftOut> = new Map([
  ['conditionalFormatting', 'conditional_formatting'],
  ['dataValidation', 'data_validation'],
  ['hyperlink', 'hyperlinks'],
  ['mergeCell', 'merged_cells'],
  ['sheetProtection', 'protection'],
  ['tablePart', 'tables'],
]);

/** The folders of parts, and the parts, that stand for what is left out; in small letters. */
const PARTS: readonly (readonly [part: RegExp, left: LeftOut])[] = [
  [/^xl\/(?:threaded)?comments/, 'comments'],
  [/^xl\/(?:charts|chartsheets)\//, 'charts'],
  [/^xl\/media\//, 'images'],
  [/^xl\/pivottables\//, 'pivot_tables'],
  [/^xl\/vbaproject\.bin$/, 'macros'],
];

/** Gathers what a workbook has that is left out, while it is read. */
export class LeftOutParts {
  readonly #found = new Set<LeftOut>();

  constructor(archive: Archive, { names }: Pick<WorkbookOutline, 'names'>) {
    if (names.length > 0) this.#found.add('defined_names');
    for (const [part, left] of PARTS) {
      if (archive.parts.some((name) => part.test(name))) this.#found.add(left);
    }
  }

  /** Takes notice of an element of a worksheet outside of cells. */
  see(element: string): void {
    const left = ELEMENTS.get(element);
    if (left) this.#found.add(left);
  }

  /** Takes notice of what is left out. */
  add(left: LeftOut): void {
    this.#found.add(left);
  }

  /** What was found, in the order of the list of all. */
  list(): LeftOut[] {
    return LEFT_OUT.filter((left) => this.#found.has(left));
  }
}
