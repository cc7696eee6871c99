import { Readable } from 'node:stream';
import type { StagedBytes, Staging } from '../../../blobs/staging.ts';
import { Content } from '../../../contract/answers.ts';
import { requireParameter } from '../../../contract/required-values.ts';
import { writeCsv } from '../../../formats/workbooks/csv/write.ts';
import { refersOnlyTo } from '../../../formats/workbooks/formulas/imported-names.ts';
import type { ImportedName } from '../../../formats/workbooks/looks.ts';
import type { ExportedRow, ExportedSheet } from '../../../formats/workbooks/workbook.ts';
import { inputShowing } from '../../../formats/workbooks/xlsx/cell-value.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { makeInTransaction } from '../reading/large-answers.ts';
import { ExportQuery } from '../schema.ts';
import {
  type SheetSnapshot,
  type SnapshotCell,
  type SpreadsheetSnapshot,
  withSnapshot,
} from '../workbook/snapshot-reading.ts';
import { sheetNamed } from '../workbook/workbook.ts';

/** Format and content of an export. */
export interface WantedExport {
  format: 'xlsx' | 'csv';
  /** Exports only this sheet. If undefined: all sheets as .xlsx, the first one as .csv. */
  sheet: string | undefined;
}

const MEDIA_TYPES = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const;

/** Loaded on demand, because the .xlsx writer needs the metadata of all functions. */
const writers: Record<
  WantedExport['format'],
  (sheets: readonly ExportedSheet[], names: readonly ImportedName[]) => Promise<Readable>
> = {
  xlsx: async (sheets, names) =>
    (await import('../../../formats/workbooks/xlsx/write.ts')).writeXlsx(sheets, names),
  csv: async ([first]) => {
    if (!first) throw new TypeError('a spreadsheet without sheets');
    return writeCsv(first);
  },
};

/**
 * Exports one version of a spreadsheet as an .xlsx file, or one of its sheets as .csv. The whole file is staged before it is
 * sent: a slow client then blocks nobody, and an error leads to an error answer instead of a truncated file. Rejects with
 * ApiError not_found for the spreadsheet or the sheet, forbidden or calculation_stopped.
 */
export async function exportSheets(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { format, sheet }: WantedExport,
): Promise<Content> {
  requireParameter(ExportQuery.properties.format, format, 'format');
  const inTransaction = (work: (snapshot: SpreadsheetSnapshot) => Promise<Content>) =>
    withSnapshot(dependencies, user, id, work);
  return makeInTransaction(
    inTransaction,
    (content) => content,
    async ({ title, sheets, names }) => {
      const wanted = sheet === undefined ? sheets : [sheetNamed({ sheets }, sheet)];
      const isWorkbook = format === 'xlsx';
      const extract = { isAlone: sheet !== undefined, hasEmpty: isWorkbook };
      const exported: ExportedSheet[] = [];
      for (const one of wanted) {
        exported.push({ ...exportedSheet(one, extract), looks: isWorkbook ? await one.looks() : undefined });
      }
      const kept = isWorkbook
        ? namesWithin(await names(), extract.isAlone ? exported[0]?.name : undefined)
        : [];
      const staged = await dependencies.staging.stage(await writers[format](exported, kept));
      const filename = `${title.replaceAll(/[/\\]/g, '-')}.${format}`;
      const open = () => sendOnce(dependencies.staging, staged);
      const { size, discard } = staged;
      return new Content({ mediaType: MEDIA_TYPES[format], filename, size, open, discard });
    },
  );
}

/** The names of an export; of that of one sheet, those that refer to no other. */
function namesWithin(names: readonly ImportedName[], sheet: string | undefined): readonly ImportedName[] {
  if (sheet === undefined) return names;
  return names.filter(({ formula }) => refersOnlyTo(formula, sheet));
}

/** Opens the staged file, which is deleted when it has been sent or sending was aborted. */
async function sendOnce(staging: Staging, staged: StagedBytes): Promise<Readable | Uint8Array> {
  const source = await staging.open(staged.location);
  if (source instanceof Readable) source.on('close', () => void staged.discard());
  return source;
}

/** `isAlone`: the sheet is exported without the others. `hasEmpty`: empty cells with a format are exported. */
interface Extract {
  readonly isAlone: boolean;
  readonly hasEmpty: boolean;
}

function exportedSheet(
  { name, shown, hidden, hiddenRows, cells }: SheetSnapshot,
  wanted: Extract,
): ExportedSheet {
  return { name, extent: shown, hidden, hiddenRows, rows: rowsOf(cells(), wanted) };
}

async function* rowsOf(
  portions: AsyncIterable<readonly SnapshotCell[]>,
  { isAlone, hasEmpty }: Extract,
): AsyncGenerator<ExportedRow> {
  for await (const cells of portions) {
    const shown = hasEmpty ? cells : cells.filter((cell) => !isEmpty(cell));
    const [first] = shown;
    if (first) yield { row: first.row, cells: isAlone ? shown.map(withoutOthers) : shown };
  }
}

/** Whether a cell has only a format. */
function isEmpty({ input, value }: SnapshotCell): boolean {
  return input === undefined && value === '';
}

/**
 * If the formula of a cell may refer to another sheet, the cell with its value instead, because that sheet is missing
 * in the file.
 */
function withoutOthers(cell: SnapshotCell): SnapshotCell {
  const { input, value } = cell;
  const refersToOthers = typeof input === 'string' && input.startsWith('=') && input.includes('!');
  if (!refersToOthers) return cell;
  return { ...cell, input: typeof value === 'string' ? inputShowing(value) : value };
}
