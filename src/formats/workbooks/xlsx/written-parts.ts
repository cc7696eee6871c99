import type { ExportedSheet } from '../workbook.ts';
import { escapeAttribute } from './xml.ts';

/** The XML declaration and the namespaces of the parts. */
export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The start of a worksheet, up to its rows; records whether a filter hides rows. */
export function sheetStart(isFiltered: boolean): string {
  const properties = isFiltered ? '<sheetPr filterMode="1"/>' : '';
  return `${DECLARATION}<worksheet xmlns="${MAIN}">${properties}<sheetData>`;
}

/** The end of a worksheet, after its rows. */
export function sheetEnd(filter: string): string {
  return `</sheetData>${filter}</worksheet>`;
}

/** The sheet data of the workbook part. */
type WrittenSheet = Pick<ExportedSheet, 'name' | 'hidden'>;

/** The path of the styles part. */
export const STYLES_PATH = 'xl/styles.xml';

/** The parts of a workbook by path, without the styles and the worksheets (xl/worksheets/sheet1.xml and so on). */
export function fixedParts(sheets: readonly WrittenSheet[]): Record<string, string> {
  return {
    '[Content_Types].xml': contentTypes(sheets.length),
    '_rels/.rels': relationships([relationship('book', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': workbook(sheets),
    'xl/_rels/workbook.xml.rels': relationships([
      ...sheets.map((_, i) => relationship(`sheet${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`)),
      relationship('styles', 'styles', 'styles.xml'),
      relationship('metadata', 'sheetMetadata', 'metadata.xml'),
    ]),
    'xl/metadata.xml': METADATA,
  };
}

function contentTypes(sheets: number): string {
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${type}+xml"/>`;
  const worksheets = Array.from({ length: sheets }, (_, i) =>
    override(`worksheets/sheet${i + 1}`, 'worksheet'),
  );
  return `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('workbook', 'sheet.main')}${worksheets.join('')}${override('styles', 'styles')}${override('metadata', 'sheetMetadata')}</Types>`;
}

function relationships(all: readonly string[]): string {
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
}

function relationship(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;
}

/** fullCalcOnLoad: other programs may compute a formula differently, so they recalculate at the first opening. */
function workbook(sheets: readonly WrittenSheet[]): string {
  // Programs refuse a workbook without a visible sheet, and one whose active sheet is hidden.
  const shown = Math.max(
    sheets.findIndex(({ hidden }) => hidden === undefined),
    0,
  );
  const list = sheets.map(({ name, hidden }, i) => {
    const state = hidden === undefined || i === shown ? '' : ` state="${hidden}"`;
    return `<sheet name="${escapeAttribute(name)}" sheetId="${i + 1}"${state} r:id="sheet${i + 1}"/>`;
  });
  const views = shown === 0 ? '' : `<bookViews><workbookView activeTab="${shown}"/></bookViews>`;
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${views}<sheets>${list.join('')}</sheets><calcPr fullCalcOnLoad="1"/></workbook>`;
}

/**
 * The meaning of cm="1" on a cell: a dynamic array formula, which fills as many cells as it computes (MS-XLSX
 * 2.6.209).
 */
const METADATA = `${DECLARATION}<metadata xmlns="${MAIN}" xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"><metadataTypes count="1"><metadataType name="XLDAPR" minSupportedVersion="120000" copy="1" pasteAll="1" pasteValues="1" merge="1" splitFirst="1" rowColShift="1" clearFormats="1" clearComments="1" assign="1" coerce="1" cellMeta="1"/></metadataTypes><futureMetadata name="XLDAPR" count="1"><bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"><xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk></futureMetadata><cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>`;
