import { absoluteText } from '../areas.ts';
import type { ImportedName } from '../looks.ts';
import type { ExportedSheet } from '../workbook.ts';
import { escapeAttribute, escapeText } from './xml.ts';

/** The XML declaration and the namespaces of the parts. */
export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

export const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The start of a worksheet, up to its rows; records whether a filter hides rows. */
export function sheetStart(isFiltered: boolean, elements: string): string {
  const properties = isFiltered ? '<sheetPr filterMode="1"/>' : '';
  return `${DECLARATION}<worksheet xmlns="${MAIN}" xmlns:r="${OFFICE}">${properties}${elements}<sheetData>`;
}

/** The end of a worksheet. */
export function sheetEnd(): string {
  return '</worksheet>';
}

/** The sheet data of the fixed parts. */
type WrittenSheet = Pick<ExportedSheet, 'name' | 'hidden' | 'looks' | 'hiddenRows'>;

/** The path of the styles part. */
export const STYLES_PATH = 'xl/styles.xml';

/** The parts of a workbook by path, without the styles and the worksheets (xl/worksheets/sheet1.xml and so on). */
export function fixedParts(
  sheets: readonly WrittenSheet[],
  names: readonly ImportedName[],
): Record<string, string> {
  return {
    '[Content_Types].xml': contentTypes(sheets),
    '_rels/.rels': relationships([relationship('book', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': workbook(sheets, names),
    'xl/_rels/workbook.xml.rels': relationships([
      ...sheets.map((_, i) => relationship(`sheet${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`)),
      relationship('styles', 'styles', 'styles.xml'),
      relationship('metadata', 'sheetMetadata', 'metadata.xml'),
    ]),
    'xl/metadata.xml': METADATA,
  };
}

/** The relationships of a sheet to its notes. */
export function noteRelationships(sheet: number): string {
  const texts = relationship('notes', 'comments', `../comments${sheet}.xml`);
  return texts + relationship('shapes', 'vmlDrawing', `../drawings/vmlDrawing${sheet}.vml`);
}

/** The start of a part of relationships, with the first ones. */
export function relationshipsStart(first: string): string {
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${first}`;
}

export const RELATIONSHIPS_END = '</Relationships>';

function hasNotes({ looks }: WrittenSheet): boolean {
  return looks !== undefined && looks.notes.length > 0;
}

function contentTypes(sheets: readonly WrittenSheet[]): string {
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${type}+xml"/>`;
  const worksheets = sheets.map((sheet, i) => {
    const notes = hasNotes(sheet) ? override(`comments${i + 1}`, 'comments') : '';
    return override(`worksheets/sheet${i + 1}`, 'worksheet') + notes;
  });
  const shapes = sheets.some(hasNotes)
    ? '<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>'
    : '';
  return `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${shapes}${override('workbook', 'sheet.main')}${worksheets.join('')}${override('styles', 'styles')}${override('metadata', 'sheetMetadata')}</Types>`;
}

function relationships(all: readonly string[]): string {
  return relationshipsStart(all.join('')) + RELATIONSHIPS_END;
}

function relationship(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;
}

/** fullCalcOnLoad: other programs may compute a formula differently, so they recalculate at the first opening. */
function workbook(sheets: readonly WrittenSheet[], names: readonly ImportedName[]): string {
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
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${views}<sheets>${list.join('')}</sheets>${definedNames(sheets, names)}<calcPr fullCalcOnLoad="1"/></workbook>`;
}

/** The names, and for each filter the hidden one that programs expect. */
function definedNames(sheets: readonly WrittenSheet[], names: readonly ImportedName[]): string {
  const indexes = new Map(sheets.map(({ name }, i) => [name.toLowerCase(), i]));
  const own = names.flatMap(({ sheet, formula, isHidden, comment, name }) => {
    const index = sheet === undefined ? undefined : indexes.get(sheet.toLowerCase());
    if (sheet !== undefined && index === undefined) return [];
    // Programs refuse a file whose print area is lost.
    if (name.startsWith('_xlnm.') && formula.includes('#REF!')) return [];
    const scope = index === undefined ? '' : ` localSheetId="${index}"`;
    const hidden = isHidden ? ' hidden="1"' : '';
    const note = comment === undefined ? '' : ` comment="${escapeAttribute(comment)}"`;
    return `<definedName name="${escapeAttribute(name)}"${note}${scope}${hidden}>${escapeText(formula)}</definedName>`;
  });
  const ofFilters = sheets.flatMap(({ name, hiddenRows }, i) => {
    if (!hiddenRows?.filter) return [];
    const range = absoluteText(hiddenRows.filter);
    const reference = escapeText(`'${name.replaceAll("'", "''")}'!${range}`);
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${i}" hidden="1">${reference}</definedName>`;
  });
  const all = [...own, ...ofFilters];
  return all.length === 0 ? '' : `<definedNames>${all.join('')}</definedNames>`;
}

/**
 * The meaning of cm="1" on a cell: a dynamic array formula, which fills as many cells as it computes (MS-XLSX
 * 2.6.209).
 */
const METADATA = `${DECLARATION}<metadata xmlns="${MAIN}" xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"><metadataTypes count="1"><metadataType name="XLDAPR" minSupportedVersion="120000" copy="1" pasteAll="1" pasteValues="1" merge="1" splitFirst="1" rowColShift="1" clearFormats="1" clearComments="1" assign="1" coerce="1" cellMeta="1"/></metadataTypes><futureMetadata name="XLDAPR" count="1"><bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"><xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk></futureMetadata><cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>`;
