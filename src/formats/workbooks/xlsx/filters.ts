import {
  type FilterColumn,
  type HiddenRows,
  MAX_COLUMNS,
  parseAddress,
  type RowRuns,
  type SheetFilter,
} from '../workbook.ts';
import { type Attributes, escapeAttribute, isTrue } from './xml.ts';

/** The criteria of a filter column (ECMA-376 18.3.2) and their attributes; criteria by style are not stored. */
const CRITERIA: Readonly<Record<string, readonly string[]>> = {
  customFilter: ['operator', 'val'],
  customFilters: ['and'],
  dateGroupItem: ['year', 'month', 'day', 'hour', 'minute', 'second', 'dateTimeGrouping'],
  dynamicFilter: ['type', 'val', 'maxVal', 'valIso', 'maxValIso'],
  filter: ['val'],
  filters: ['blank', 'calendarType'],
  top10: ['top', 'percent', 'val', 'filterVal'],
};
/**
 * Most stored characters of one filter's criteria; beyond them a filter keeps its hidden rows but loses its
 * criteria.
 */
const MAX_CHARACTERS = 64 * 1024;

/** A filter read from a file. */
export interface ReadFilter extends SheetFilter {
  /** Whether it hides rows: a filter without criteria hides none. */
  readonly decides: boolean;
  /** Whether it has criteria that are not stored: by style, or too long ones. */
  readonly isReduced: boolean;
}

/** Reads the filters of a sheet or of a table. */
export class FilterReader {
  readonly #filters: ReadFilter[] = [];
  /** The sheet states that a filter hides some of its rows. */
  #isInUse = false;
  /** The range of the current filter, and its columns so far. */
  #range: string | undefined;
  #columns: FilterColumn[] = [];
  #decides = false;
  #isReduced = false;
  #offset = 0;
  #criteria = '';
  #characters = 0;

  open(name: string, attributes: Attributes): void {
    if (name === 'sheetPr') this.#isInUse = isTrue(attributes.filterMode);
    else if (name === 'autoFilter') this.#begin(attributes.ref ?? '');
    else if (this.#range === undefined) return;
    else if (name === 'filterColumn') [this.#offset, this.#criteria] = [Number(attributes.colId), ''];
    else this.#openCriterion(name, attributes);
  }

  close(name: string): void {
    if (this.#range === undefined) return;
    if (name === 'autoFilter') this.#end(this.#range);
    else if (name === 'filterColumn') this.#endColumn();
    else if (Object.hasOwn(CRITERIA, name)) this.#criteria += `</${name}>`;
  }

  /** In the order of the file. */
  filters(): ReadFilter[] {
    return this.#filters.map((filter) => ({ ...filter, decides: filter.decides || this.#isInUse }));
  }

  #begin(range: string): void {
    this.#range = range;
    this.#columns = [];
    this.#decides = false;
    this.#isReduced = false;
    this.#criteria = '';
    this.#characters = 0;
  }

  #openCriterion(name: string, attributes: Attributes): void {
    if (name === 'colorFilter' || name === 'iconFilter') {
      this.#decides = true;
      this.#isReduced = true;
    }
    const attributeNames = Object.hasOwn(CRITERIA, name) ? CRITERIA[name] : undefined;
    if (!attributeNames) return;
    this.#decides = true;
    const given = attributeNames.filter((one) => attributes[one] !== undefined);
    const texts = given.map((one) => ` ${one}="${escapeAttribute(attributes[one] ?? '')}"`);
    this.#criteria += `<${name}${texts.join('')}>`;
  }

  #endColumn(): void {
    this.#characters += this.#criteria.length;
    const isColumn = Number.isInteger(this.#offset) && this.#offset >= 0 && this.#offset < MAX_COLUMNS;
    if (this.#criteria !== '' && this.#characters <= MAX_CHARACTERS && isColumn) {
      this.#columns.push({ offset: this.#offset, criteria: this.#criteria });
    } else if (this.#criteria !== '') this.#isReduced = true;
    this.#criteria = '';
  }

  #end(range: string): void {
    const [first = '', last = first] = range.split(':');
    const start = parseAddress(first);
    const end = parseAddress(last);
    this.#range = undefined;
    if (!start || !end) return;
    const area = { top: start.row, left: start.column, bottom: end.row, right: end.column };
    const [decides, isReduced] = [this.#decides, this.#isReduced];
    this.#filters.push({ ...area, columns: this.#columns, decides, isReduced });
  }
}

/** Collects the hidden rows of a sheet. */
export class HiddenRowList {
  readonly #rows: number[] = [];

  /** Rows may come in any order and repeatedly. */
  add(row: number): void {
    this.#rows.push(row);
  }

  /**
   * Undefined without hidden rows and filter. A hidden row within a filter counts as hidden by the filter: files do not
   * record the reason.
   */
  hidden(filters: readonly ReadFilter[], kept: ReadFilter | undefined): HiddenRows | undefined {
    if (this.#rows.length === 0 && !kept) return undefined;
    const deciding = filters.filter(({ decides }) => decides);
    const isFiltered = filteredRowTest(deciding);
    const [byHand, byFilter] = [new Runs(), new Runs()];
    for (const row of Uint32Array.from(this.#rows).sort()) (isFiltered(row) ? byFilter : byHand).add(row);
    return { byHand: byHand.take(), byFilter: byFilter.take(), filter: sheetFilter(kept) };
  }
}

function sheetFilter(filter: ReadFilter | undefined): SheetFilter | undefined {
  if (!filter) return undefined;
  const { top, left, bottom, right, columns } = filter;
  return { top, left, bottom, right, columns };
}

/** Returns a test whether a row is within some filter, below its headings. Call it with ascending rows. */
function filteredRowTest(filters: readonly ReadFilter[]): (row: number) => boolean {
  const sorted = filters.toSorted((a, b) => a.top - b.top);
  let next = 0;
  let bottom = -1;
  return (row) => {
    for (let at = sorted[next]; at !== undefined && at.top < row; at = sorted[++next]) {
      bottom = Math.max(bottom, at.bottom);
    }
    return row <= bottom;
  };
}

class Runs {
  readonly #runs: number[] = [];
  #end = -1;

  /** Rows must be ascending; duplicates are allowed. */
  add(row: number): void {
    const last = this.#runs.length - 1;
    if (row === this.#end) this.#runs[last] = (this.#runs[last] ?? 0) + 1;
    else if (row > this.#end) this.#runs.push(row, 1);
    this.#end = row + 1;
  }

  take(): RowRuns {
    return Uint32Array.from(this.#runs);
  }
}
