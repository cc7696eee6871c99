import { parseAddress } from '../cell-address.ts';
import type { Table } from '../formulas/tables.ts';
import { MAX_NAMES } from '../limits.ts';
import { UnreadableWorkbook } from '../workbook.ts';
import type { Archive } from './archive.ts';
import { unescapeText } from './escapes.ts';
import { FilterReader, type ReadFilter } from './filters.ts';
import type { SheetEntry } from './outline.ts';
import { readRelationships } from './relationships.ts';
import { type Attributes, readWholeXml } from './xml.ts';

/** A table as its part has it. */
export interface TablePart extends Table {
  readonly filters: readonly ReadFilter[];
}

/** The tables of all sheets. Throws UnreadableWorkbook when there are too many. */
export async function readTables(archive: Archive, sheets: readonly SheetEntry[]): Promise<TablePart[]> {
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
      // An extension of it has an element of the same name, without a range.
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
