import { posix } from 'node:path';
import type { NameDefinition } from '../formulas/imported-names.ts';
import type { DefinedName } from '../formulas/names.ts';
import { ImportNotes, type LeftOut } from '../import-notes.ts';
import { MAX_NAMES, MAX_SHEETS, type SheetProperties, UnreadableWorkbook } from '../workbook.ts';
import { type Archive, type Relationship, readRelationships } from './archive.ts';
import { type Attributes, isTrue, readWholeXml, unescapeName, type XmlReader } from './xml.ts';

/** A worksheet and its part. */
export interface SheetEntry {
  readonly name: string;
  readonly part: string;
  readonly hidden?: SheetProperties['hidden'];
}

/** The content of the workbook part. */
export interface WorkbookOutline {
  readonly sheets: readonly SheetEntry[];
  /** The names that formulas may use. */
  readonly names: readonly DefinedName[];
  /** All names as the file defines them. */
  readonly definitions: readonly NameDefinition[];
  readonly notes: ImportNotes;
  /** It uses the 1904 date system. */
  readonly uses1904: boolean;
  /** The parts of the shared strings and of the styles. */
  readonly sharedStrings: string;
  readonly styles: string;
}

/** The workbook part of an archive whose relationships name none. */
const USUAL_PART = 'xl/workbook.xml';

/** Throws UnreadableWorkbook when there is no workbook part or no worksheet. */
export async function readOutline(archive: Archive): Promise<WorkbookOutline> {
  const part = await workbookPart(archive);
  const relationships = await readRelationships(archive, part);
  const notes = new ImportNotes();
  const { sheets, names, definitions, uses1904, isProtected } = await readWorkbookPart(archive, part);
  if (isProtected) notes.add('protection');
  const entries = sheets.flatMap((sheet, index) => {
    const path = cellsPart(archive, relationships, posix.dirname(part), sheet, index);
    if (path === undefined) notes.add('charts', { sheet: sheet.name });
    return path === undefined ? [] : [{ name: sheet.name, part: path, hidden: sheet.hidden }];
  });
  if (entries.length === 0) throw new UnreadableWorkbook('it has no sheet of cells');
  refuseSameNames(entries);
  const named = (kind: string) => [...relationships.values()].find((found) => found.kind === kind)?.target;
  return {
    sheets: entries,
    names,
    definitions,
    notes,
    uses1904,
    sharedStrings: named('sharedStrings') ?? posix.join(posix.dirname(part), 'sharedStrings.xml'),
    styles: named('styles') ?? posix.join(posix.dirname(part), 'styles.xml'),
  };
}

async function workbookPart(archive: Archive): Promise<string> {
  const relationships = [...(await readRelationships(archive, '')).values()];
  const named = relationships.find(({ kind }) => kind === 'officeDocument')?.target;
  const part = named !== undefined && archive.has(named) ? named : USUAL_PART;
  if (archive.has(part) && part.endsWith('.xml')) return part;
  throw new UnreadableWorkbook('it is an archive, but no .xlsx workbook; save it as .xlsx');
}

/** The part of a worksheet; undefined for a sheet of another kind, such as a chart sheet. */
function cellsPart(
  archive: Archive,
  relationships: ReadonlyMap<string, Relationship>,
  folder: string,
  { name, relationship }: SheetElement,
  index: number,
): string | undefined {
  const found = relationships.get(relationship);
  if (found && found.kind !== 'worksheet') return undefined;
  const part = found?.target ?? posix.join(folder, 'worksheets', `sheet${index + 1}.xml`);
  if (archive.has(part)) return part;
  throw new UnreadableWorkbook(`the cells of its sheet ${JSON.stringify(name)} are missing`);
}

/** Sheet names are case-insensitive. */
function refuseSameNames(sheets: readonly SheetEntry[]): void {
  const seen = new Set<string>();
  for (const { name } of sheets) {
    const key = name.toLowerCase();
    if (seen.has(key)) throw new UnreadableWorkbook(`it has two sheets ${JSON.stringify(name)}`);
    seen.add(key);
  }
}

/** A sheet in the list of the workbook part; the relationship leads to its own part. */
interface SheetElement {
  readonly name: string;
  readonly relationship: string;
  readonly hidden?: SheetProperties['hidden'];
}

interface WorkbookPart {
  readonly sheets: readonly SheetElement[];
  readonly names: readonly DefinedName[];
  readonly definitions: readonly NameDefinition[];
  readonly uses1904: boolean;
  readonly isProtected: boolean;
}

/** Throws UnreadableWorkbook when the part is no workbook, or has too many sheets. */
async function readWorkbookPart(archive: Archive, part: string): Promise<WorkbookPart> {
  const reader = new WorkbookReader();
  await readWholeXml(part, archive.read(part), reader);
  return reader.part();
}

class WorkbookReader implements XmlReader {
  #root: string | undefined;
  readonly #sheets: SheetElement[] = [];
  readonly #names: { attributes: Attributes; formula: string }[] = [];
  #builtInNames = 0;
  #isProtected = false;
  #uses1904 = false;
  /** The attributes of the current defined name, and its formula so far. */
  #named: Attributes | undefined;
  #formula = '';

  open(name: string, attributes: Attributes): void {
    this.#root ??= name;
    if (name === 'workbookPr') this.#uses1904 = isTrue(attributes.date1904);
    if (name === 'workbookProtection') this.#isProtected = true;
    if (name === 'sheet') this.#addSheet(attributes);
    if (name === 'definedName') {
      this.#named = attributes;
      this.#formula = '';
    }
  }

  text(text: string): void {
    if (this.#named) this.#formula += text;
  }

  close(name: string): void {
    if (name !== 'definedName' || !this.#named) return;
    const attributes = this.#named;
    this.#named = undefined;
    this.#names.push({ attributes, formula: unescapeName(this.#formula) });
    if (isBuiltIn(attributes)) this.#builtInNames++;
    if (this.#builtInNames > MAX_NAMES || this.#names.length - this.#builtInNames > MAX_NAMES)
      throw new UnreadableWorkbook(`it defines more than ${MAX_NAMES} names`);
  }

  part(): WorkbookPart {
    if (this.#root !== 'workbook') throw new UnreadableWorkbook('it is no workbook');
    const sheets = this.#sheets;
    const definitions = this.#names.map(({ attributes, formula }) => {
      const { name = '', localSheetId: index } = attributes;
      const sheet = index === undefined ? undefined : (sheets[Number(index)]?.name ?? '');
      return { name, sheet, formula, attributes };
    });
    return {
      sheets,
      names: definitions.filter(({ attributes }) => !isBuiltIn(attributes)),
      definitions,
      uses1904: this.#uses1904,
      isProtected: this.#isProtected,
    };
  }

  #addSheet({ name = '', id = '', state }: Attributes): void {
    const hidden = state === 'hidden' || state === 'veryHidden' ? state : undefined;
    this.#sheets.push({ name: unescapeName(name), relationship: id, hidden });
    if (this.#sheets.length > MAX_SHEETS) {
      throw new UnreadableWorkbook(`it has more than ${MAX_SHEETS} sheets`);
    }
  }
}

/** A name with a meaning of its own, such as the range that is printed; formulas do not use it. */
function isBuiltIn({ name = '' }: Attributes): boolean {
  return name.startsWith('_xlnm.');
}

/** The parts, in lower case, that belong to contents left out. */
const PARTS: readonly (readonly [part: RegExp, left: LeftOut])[] = [
  [/^xl\/comments/, 'comments'],
  [/^xl\/threadedcomments\//, 'threaded_comments'],
  [/^xl\/(?:charts|chartsheets)\//, 'charts'],
  [/^xl\/embeddings\//, 'embedded_objects'],
  [/^xl\/externallinks\//, 'external_links'],
  [/^xl\/media\//, 'images'],
  [/^xl\/pivottables\//, 'pivot_tables'],
  [/^xl\/slicers\//, 'slicers'],
  [/^xl\/vbaproject\.bin$/, 'macros'],
];

/** Notes the parts left out that no sheet has led to. To be called after all sheets. */
export function noteParts(
  archive: Archive,
  { notes, seenParts }: { notes: ImportNotes; seenParts: ReadonlySet<string> },
): void {
  for (const [part, left] of PARTS) {
    const isThere = archive.parts.some((name) => part.test(name) && !seenParts.has(name));
    if (isThere && !notes.has(left)) notes.add(left);
  }
}
