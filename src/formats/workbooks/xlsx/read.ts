import { CellCount } from '../cell-count.ts';
import { FormulaReader } from '../formulas/formula-reader.ts';
import { Names } from '../formulas/names.ts';
import { Tables } from '../formulas/tables.ts';
import type { ReadOutcome, SheetPortion, WorkbookContent } from '../workbook.ts';
import { Archive } from './archive.ts';
import { readCellStyles } from './cell-styles.ts';
import { LeftOutParts } from './left-out.ts';
import { readOutline, type WorkbookOutline } from './outline.ts';
import { readSharedStrings } from './shared-strings.ts';
import { readSheet, type SheetContext } from './sheet-part.ts';
import { readTables, type TablePart } from './table-parts.ts';

/** An .xlsx workbook. It and its portions throw UnreadableWorkbook. */
export async function readXlsx(bytes: Uint8Array): Promise<WorkbookContent> {
  const archive = await Archive.open(bytes);
  const outline = await readOutline(archive);
  const { formats, dates } = await readCellStyles(archive, outline.styles);
  const tableParts = await readTables(archive, outline.sheets);
  const tables = new Tables(tableParts);
  const context: SheetContext = {
    sharedStrings: await readSharedStrings(archive, outline.sharedStrings),
    formats,
    styles1904: outline.uses1904 ? dates : new Set(),
    formulas: new FormulaReader(new Names(outline.names, tables), tables),
    count: new CellCount(() => archive.inflated),
    leftOut: new LeftOutParts(archive, outline),
  };
  return {
    sheets: outline.sheets.map(({ name }) => name),
    portions: portionsOf(archive, outline, tableParts, context),
  };
}

async function* portionsOf(
  archive: Archive,
  { sheets }: WorkbookOutline,
  tables: readonly TablePart[],
  context: SheetContext,
): AsyncGenerator<SheetPortion, ReadOutcome> {
  const tablesOf = Map.groupBy(tables, (table) => table.sheet);
  for (const [sheet, { name, part, hidden }] of sheets.entries()) {
    const tableFilters = (tablesOf.get(name) ?? []).flatMap((table) => table.filters);
    const reading = readSheet(archive, part, { name, hidden, tableFilters }, context);
    for await (const portion of reading) yield { sheet, ...portion };
  }
  return { format: 'xlsx', left_out: context.leftOut.list() };
}
