import { areaText, parseArea } from '../areas.ts';
import type { ImportNotes, LeftOut } from '../import-notes.ts';
import type { Area, CellLink, CellNote, ColumnLook, FrozenPanes, LooksCount, SheetLooks } from '../looks.ts';
import { MAX_COLUMNS, MAX_ROWS, parseAddress } from '../workbook.ts';
import type { Relationship } from './archive.ts';
import { type Attributes, isTrue, unescapeText } from './xml.ts';

/** What the looks of a sheet refer to and count against. */
export interface LooksContext {
  readonly sheet: string;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly notes: ImportNotes;
  readonly count: LooksCount;
}

/** More column elements than columns overlap. */
const MAX_COLUMN_ELEMENTS = MAX_COLUMNS;
/** Excel's limits of a width, of a link and of its tooltip. */
const WIDEST = 255;
const LONGEST_LINK = 2_083;
const LONGEST_TOOLTIP = 255;

/** Reads what people see of a sheet from the elements around its cells. */
export class LooksReader {
  readonly #context: LooksContext;
  readonly #columns: ColumnLook[] = [];
  #columnElements = 0;
  readonly #merges: Area[] = [];
  readonly #links: CellLink[] = [];
  #defaultWidth: number | undefined;
  #panes: FrozenPanes | undefined;
  /** The first shown cell of the current view. */
  #shown = { row: 0, column: 0 };

  constructor(context: LooksContext) {
    this.#context = context;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'col') this.#addColumns(attributes);
    else if (name === 'mergeCell') this.#addMerge(attributes.ref ?? '');
    else if (name === 'hyperlink') this.#addLink(attributes);
    else if (name === 'sheetView') this.#shown = parseAddress(attributes.topLeftCell ?? '') ?? FIRST_CELL;
    else if (name === 'pane') this.#addPanes(attributes);
    else if (name === 'sheetFormatPr') this.#defaultWidth = widthOf(attributes.defaultColWidth);
  }

  /** To be called after all elements. */
  looks(notes: readonly CellNote[]): SheetLooks {
    return {
      ...(this.#defaultWidth !== undefined && { defaultWidth: this.#defaultWidth }),
      columns: this.#withoutOverlaps(),
      merges: this.#separateMerges(),
      notes,
      links: this.#links,
      ...(this.#panes && { panes: this.#panes }),
    };
  }

  #addColumns({ min, max, width: given, hidden, outlineLevel }: Attributes): void {
    if (outlineLevel !== undefined && outlineLevel !== '0') this.#leaveOut('outlines');
    if (++this.#columnElements > MAX_COLUMN_ELEMENTS) {
      this.#leaveOut('column_widths');
      return;
    }
    const first = Number(min) - 1;
    const last = Math.min(Number(max ?? min), MAX_COLUMNS) - 1;
    if (!Number.isInteger(first) || first < 0 || !Number.isInteger(last) || last < first) return;
    const width = widthOf(given);
    const isHidden = isTrue(hidden);
    if (width === undefined && !isHidden) return;
    this.#columns.push({
      first,
      last,
      ...(width !== undefined && { width }),
      ...(isHidden && { isHidden }),
    });
  }

  /** The first one of overlapping columns counts. */
  #withoutOverlaps(): ColumnLook[] {
    const kept: ColumnLook[] = [];
    for (const look of this.#columns.sort((a, b) => a.first - b.first)) {
      const before = kept.at(-1);
      if (before && before.last >= look.first) this.#leaveOut('column_widths', columnsText(look));
      else kept.push(look);
    }
    return kept;
  }

  #addMerge(range: string): void {
    const area = parseArea(range);
    if (!area) {
      this.#leaveOut('merged_cells');
      return;
    }
    if (area.top === area.bottom && area.left === area.right) return;
    if (this.#context.count.admits()) this.#merges.push(area);
    else this.#leaveOut('merged_cells', areaText(area));
  }

  /** Programs refuse a file with overlapping merged cells; the upper one counts. */
  #separateMerges(): Area[] {
    if (this.#merges.length < 2) return this.#merges;
    const filledTo = new Int32Array(MAX_COLUMNS).fill(-1);
    return this.#merges
      .sort((a, b) => a.top - b.top || a.left - b.left)
      .filter((area) => {
        for (let column = area.left; column <= area.right; column++) {
          if ((filledTo[column] ?? -1) < area.top) continue;
          this.#leaveOut('merged_cells', areaText(area));
          return false;
        }
        filledTo.fill(area.bottom, area.left, area.right + 1);
        return true;
      });
  }

  #addLink({ ref = '', id, location: given, tooltip: hint }: Attributes): void {
    const area = parseArea(ref);
    if (!area) {
      this.#leaveOut('hyperlinks');
      return;
    }
    const target = id === undefined ? undefined : this.#context.relationships.get(id)?.external;
    const location = given === undefined ? undefined : unescapeText(given);
    const tooltip = hint === undefined || hint === '' ? undefined : unescapeText(hint);
    const isKept =
      (target === undefined ? id === undefined && isText(location, LONGEST_LINK) : isSafeTarget(target)) &&
      (location === undefined || location === '' || isText(location, LONGEST_LINK)) &&
      (tooltip === undefined || isText(tooltip, LONGEST_TOOLTIP)) &&
      this.#context.count.admits(target, location, tooltip);
    if (!isKept) {
      this.#leaveOut('hyperlinks', areaText(area));
      return;
    }
    this.#links.push({
      ...area,
      ...(target !== undefined && { target }),
      ...(location !== undefined && location !== '' && { location }),
      ...(tooltip !== undefined && { tooltip }),
    });
  }

  #addPanes({ state, xSplit, ySplit, topLeftCell }: Attributes): void {
    if (state !== 'frozen' && state !== 'frozenSplit') {
      this.#leaveOut('split_panes');
      return;
    }
    const { row: top, column: left } = this.#shown;
    const columns = Number(xSplit ?? 0);
    const rows = Number(ySplit ?? 0);
    const isInSheet = isCount(columns, MAX_COLUMNS - left) && isCount(rows, MAX_ROWS - top);
    if (this.#panes || !isInSheet || columns + rows === 0) return;
    const scrolled = parseAddress(topLeftCell ?? '') ?? FIRST_CELL;
    this.#panes = {
      rows,
      columns,
      top,
      left,
      scrolledRow: Math.max(scrolled.row, top + rows),
      scrolledColumn: Math.max(scrolled.column, left + columns),
    };
  }

  #leaveOut(what: LeftOut, range?: string): void {
    const { notes, sheet } = this.#context;
    notes.add(what, range === undefined ? { sheet } : { sheet, range });
  }
}

const FIRST_CELL = { row: 0, column: 0 };

function columnsText({ first, last }: ColumnLook): string {
  const [start, end] = [areaText({ top: 0, bottom: 0, left: first, right: first }), last];
  return `${start.slice(0, -1)}:${areaText({ top: 0, bottom: 0, left: end, right: end }).slice(0, -1)}`;
}

function widthOf(text: string | undefined): number | undefined {
  const width = text === undefined ? Number.NaN : Number(text);
  return width >= 0 && width <= WIDEST ? width : undefined;
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < most;
}

function isText(text: string | undefined, longest: number): boolean {
  if (text === undefined || text === '' || text.length > longest || !text.isWellFormed()) return false;
  return !/[\p{Cc}\ufffe\uffff]/u.test(text.replace(/[\t\n\r]/g, ''));
}

/** Other schemes may open files or run programs. */
function isSafeTarget(target: string): boolean {
  if (!isText(target, LONGEST_LINK) || /\s/.test(target)) return /^mailto:/i.test(target) && isLine(target);
  return /^(?:https?:\/\/|mailto:)/i.test(target) && URL.canParse(target);
}

/** A mailto address may have blanks in its subject. */
function isLine(target: string): boolean {
  return isText(target, LONGEST_LINK) && !/[\t\n\r]/.test(target) && URL.canParse(target);
}
