import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ExportedSheet } from '../workbook.ts';
import { writeSheet } from './write-sheet.ts';
import { fixedParts, STYLES_PATH } from './written-parts.ts';
import { WrittenStyles } from './written-styles.ts';

/** The same workbook gives the same bytes, whenever it is written: DOS begins to count here. */
const TIMELESS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** A workbook as an .xlsx file: its sheets, of which there is at least one, are read one after the other as it is read. */
export function writeXlsx(sheets: readonly ExportedSheet[]): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  const parts = fixedParts(sheets);
  for (const [path, content] of Object.entries(parts)) {
    zip.addBuffer(Buffer.from(content), path, TIMELESS);
  }
  const styles = new WrittenStyles();
  let source: Readable | undefined;
  output.once('close', () => source?.destroy());
  for (const [place, sheet] of sheets.entries()) {
    zip.addReadStreamLazy(`xl/worksheets/sheet${place + 1}.xml`, TIMELESS, (opened) => {
      if (output.destroyed) return;
      source = Readable.from(writeSheet(sheet, styles), { objectMode: false });
      source.on('error', (error) => zip.emit('error', error));
      opened(null, source);
    });
  }
  // The styles are known when all cells are written.
  zip.addReadStreamLazy(STYLES_PATH, TIMELESS, (opened) =>
    opened(null, Readable.from([Buffer.from(styles.part())])),
  );
  zip.end();
  return output;
}
