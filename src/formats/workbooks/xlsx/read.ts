import { areaText } from '../areas.ts';
import { CellCount } from '../cell-count.ts';
import { FormulaReader } from '../formulas/formula-reader.ts';
import { importedNames } from '../formulas/imported-names.ts';
import { Names } from '../formulas/names.ts';
import { type Table, Tables } from '../formulas/tables.ts';
import { LooksCount } from '../looks.ts';
import {
  MAX_FORMAT_LENGTH,
  MAX_FORMATS,
  MAX_NAMES,
  MAX_STYLES,
  parseAddress,
  type ReadResult,
  type SheetPortion,
  UnreadableWorkbook,
  type WorkbookContent,
} from '../workbook.ts';
import { Archive, readRelationships } from './archive.ts';
import { FilterReader, type ReadFilter } from './filters.ts';
import { noteParts, readOutline, type SheetEntry, type WorkbookOutline } from './outline.ts';
import { readSharedStrings } from './shared-strings.ts';
import { readSheet, type SheetContext } from './sheet-part.ts';
import { builtInCode } from './styles.ts';
import { type Attributes, readWholeXml, unescapeText } from './xml.ts';

/** Opens an .xlsx workbook. Opening and reading throw UnreadableWorkbook. */
export async function readXlsx(bytes: Uint8Array): Promise<WorkbookContent> {
  const archive = await Archive.open(bytes);
  const outline = await readOutline(archive);
  const { formats, dates, isStyled } = await readCellStyles(archive, outline.styles);
  const tableParts = await readTables(archive, outline.sheets);
  const tables = new Tables(tableParts);
  const context: SheetContext = {
    sharedStrings: await readSharedStrings(archive, outline.sharedStrings),
    formats,
    styles1904: outline.uses1904 ? dates : new Set(),
    formulas: new FormulaReader(new Names(outline.names, tables), tables),
    count: new CellCount(() => archive.inflated),
    isStyled,
    notes: outline.notes,
    looksCount: new LooksCount(),
    seenParts: new Set(),
  };
  const names = importedNames(outline.definitions, outline.sheets, tables, outline.notes);
  for (const { sheet, name, ...table } of tableParts) {
    const right = table.left + Math.max(table.columns.length, 1) - 1;
    outline.notes.add('tables', { sheet, name, range: areaText({ ...table, right }) });
  }
  return {
    sheets: outline.sheets.map(({ name }) => name),
    portions: portionsOf(archive, outline, { tables: tableParts, names }, context),
  };
}

async function* portionsOf(
  archive: Archive,
  { sheets }: WorkbookOutline,
  { tables, names }: { tables: readonly TablePart[]; names: ReadResult['names'] },
  context: SheetContext,
): AsyncGenerator<SheetPortion, ReadResult> {
  const tablesOf = Map.groupBy(tables, (table) => table.sheet);
  for (const [sheet, { name, part, hidden }] of sheets.entries()) {
    const tableFilters = (tablesOf.get(name) ?? []).flatMap((table) => table.filters);
    const reading = readSheet(archive, part, { name, hidden, tableFilters }, context);
    for await (const portion of reading) yield { sheet, ...portion };
  }
  noteParts(archive, context);
  const read = { format: 'xlsx', left_out: context.notes.kinds() } as const;
  return { read, notes: context.notes.list(), names };
}

/** The number formats of the cell styles. */
interface CellStyles {
  /** The number format code of each style; undefined for General. */
  readonly formats: readonly (string | undefined)[];
  /** The indexes of the styles that show a day. */
  readonly dates: ReadonlySet<string>;
  /** Whether each style has a font, fill, border or alignment other than that of the first. */
  readonly isStyled: readonly boolean[];
}

/** Formats and styles beyond the limits count as General. */
async function readCellStyles(archive: Archive, part: string): Promise<CellStyles> {
  const codes = new Map<string, string>();
  const formats: (string | undefined)[] = [];
  const dates = new Set<string>();
  const isStyled: boolean[] = [];
  let usual: string | undefined;
  let isCellStyles = false;
  const addFormat = ({ numFmtId: id = '', formatCode: code = '' }: Attributes) => {
    if (codes.size < MAX_FORMATS) codes.set(id, unescapeText(code));
  };
  const addStyle = ({ numFmtId: id = '', fontId, fillId, borderId }: Attributes) => {
    if (formats.length >= MAX_STYLES) return;
    const appearance = [fontId, fillId, borderId].map((part) => part ?? '0').join(' ');
    usual ??= appearance;
    isStyled.push(appearance !== usual);
    const code = codes.get(id) ?? builtInCode(id);
    if (code !== undefined && hasDay(code)) dates.add(String(formats.length));
    formats.push(code !== undefined && isKept(code) ? code : undefined);
  };
  await readWholeXml(part, archive.read(part), {
    open(name, attributes) {
      if (name === 'numFmt') addFormat(attributes);
      if (name === 'cellXfs') isCellStyles = true;
      if (name === 'xf' && isCellStyles) addStyle(attributes);
      if (name === 'alignment' && isCellStyles) isStyled[isStyled.length - 1] = true;
    },
    close(name) {
      if (name === 'cellXfs') isCellStyles = false;
    },
  });
  return { formats, dates, isStyled };
}

function isKept(code: string): boolean {
  return code !== '' && code.length <= MAX_FORMAT_LENGTH && code.toLowerCase() !== 'general';
}

/**
 * Whether a format shows a year, era or day, outside quotes, escapes and brackets; the E of an exponent does not
 * count.
 */
function hasDay(code: string): boolean {
  const bare = code.replace(/"[^"]*(?:"|$)|\\.|_.|\*.|\[[^\]]*(?:\]|$)/g, '');
  return /[ydeg]/i.test(bare.replace(/general|e[+-]/gi, ''));
}

/** A table as read from its part. */
interface TablePart extends Table {
  readonly filters: readonly ReadFilter[];
}

/** The tables of all sheets. Throws UnreadableWorkbook when there are too many. */
async function readTables(archive: Archive, sheets: readonly SheetEntry[]): Promise<TablePart[]> {
  const tables: TablePart[] = [];
  for (const { name, part } of sheets) {
    const relationships = await readRelationships(archive, part);
    for (const { kind, target } of relationships.values()) {
      const table = kind === 'table' ? await readTable(archive, target, name) : undefined;
      if (table) tables.push(table);
      if (tables.length > MAX_NAMES) throw new UnreadableWorkbook(`it has more than ${MAX_NAMES} tables`);
    }
  }
  return tables;
}

async function readTable(archive: Archive, part: string, sheet: string): Promise<TablePart | undefined> {
  let table: Attributes = {};
  const columns: string[] = [];
  const filters = new FilterReader();
  await readWholeXml(part, archive.read(part), {
    open(name, attributes) {
      // An extension of the table has an element of the same name without a range.
      if (name === 'table' && attributes.ref !== undefined) table = attributes;
      if (name === 'tableColumn') columns.push(unescapeText(attributes.name ?? ''));
      filters.open(name, attributes);
    },
    close: (name) => filters.close(name),
  });
  const [first = '', last = first] = (table.ref ?? '').split(':');
  const start = parseAddress(first);
  const end = parseAddress(last);
  if (!start || !end) return undefined;
  return {
    name: table.displayName ?? table.name ?? '',
    sheet,
    top: start.row,
    left: start.column,
    bottom: end.row,
    columns,
    headerRows: Number(table.headerRowCount ?? 1),
    totalsRows: Number(table.totalsRowCount ?? 0),
    filters: filters.filters(),
  };
}
