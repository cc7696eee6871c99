import type { DefinedName } from '../formulas/names.ts';
import { MAX_NAMES, MAX_SHEETS } from '../limits.ts';
import { type SheetProperties, UnreadableWorkbook } from '../workbook.ts';
import type { Archive } from './archive.ts';
import { unescapeName } from './escapes.ts';
import { type Attributes, isTrue, readWholeXml, type XmlReader } from './xml.ts';

/** A sheet as the workbook lists it; its relationship leads to its part. */
export interface SheetElement {
  readonly name: string;
  readonly relationship: string;
  readonly hidden?: SheetProperties['hidden'];
}

export interface WorkbookPart {
  readonly sheets: readonly SheetElement[];
  readonly names: readonly DefinedName[];
  readonly uses1904: boolean;
}

/** Throws UnreadableWorkbook when the part is no workbook, or has too many sheets. */
export async function readWorkbookPart(archive: Archive, part: string): Promise<WorkbookPart> {
  const reader = new WorkbookReader();
  await readWholeXml(part, archive.read(part), reader);
  return reader.part();
}

class WorkbookReader implements XmlReader {
  #root: string | undefined;
  readonly #sheets: SheetElement[] = [];
  readonly #names: { name: string; place: string | undefined; formula: string }[] = [];
  #uses1904 = false;
  /** The attributes of the name that is being read, and what it stands for so far. */
  #named: Attributes | undefined;
  #formula = '';

  open(name: string, attributes: Attributes): void {
    this.#root ??= name;
    if (name === 'workbookPr') this.#uses1904 = isTrue(attributes.date1904);
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
    const { name: own = '', localSheetId: place } = this.#named;
    this.#named = undefined;
    if (own.startsWith('_xlnm.')) return;
    this.#names.push({ name: own, place, formula: unescapeName(this.#formula) });
    if (this.#names.length > MAX_NAMES)
      throw new UnreadableWorkbook(`it defines more than ${MAX_NAMES} names`);
  }

  part(): WorkbookPart {
    if (this.#root !== 'workbook') throw new UnreadableWorkbook('it is no workbook');
    const sheets = this.#sheets;
    const names = this.#names.map(({ name, place, formula }) => {
      const sheet = place === undefined ? undefined : (sheets[Number(place)]?.name ?? '');
      return { name, sheet, formula };
    });
    return { sheets, names, uses1904: this.#uses1904 };
  }

  #addSheet({ name = '', id = '', state }: Attributes): void {
    const hidden = state === 'hidden' || state === 'veryHidden' ? state : undefined;
    this.#sheets.push({ name: unescapeName(name), relationship: id, hidden });
    if (this.#sheets.length > MAX_SHEETS) {
      throw new UnreadableWorkbook(`it has more than ${MAX_SHEETS} sheets`);
    }
  }
}
