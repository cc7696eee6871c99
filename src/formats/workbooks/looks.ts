import { giveWay } from '../../turns/next-turn.ts';

/** A rectangle of cells; rows and columns count from 0, inclusive. */
export interface Area {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Adjacent columns with the same look. */
export interface ColumnLook {
  readonly first: number;
  readonly last: number;
  /** In characters of the default font; absent for the default width. */
  readonly width?: number;
  readonly isHidden?: true;
}

/** The note of a cell. */
export interface CellNote {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  readonly author: string;
}

/** A link of a cell or of a rectangle of cells. */
export interface CellLink extends Area {
  /** An http, https or mailto address; absent for a link within the workbook. */
  readonly target?: string;
  /** A place within the target or the workbook, such as Sheet2!A1 or a name. */
  readonly location?: string;
  readonly tooltip?: string;
}

/** Frozen rows and columns: those from the first shown line on, and the lines to which the rest is scrolled. */
export interface FrozenPanes {
  readonly rows: number;
  readonly columns: number;
  readonly top: number;
  readonly left: number;
  readonly scrolledRow: number;
  readonly scrolledColumn: number;
}

/** What people see of a sheet beside its cells and hidden rows. */
export interface SheetLooks {
  /** The width of the columns that have none of their own. */
  readonly defaultWidth?: number;
  /** In order, without overlap. */
  readonly columns: readonly ColumnLook[];
  /** Without overlap. */
  readonly merges: readonly Area[];
  /** At most one for each cell. */
  readonly notes: readonly CellNote[];
  readonly links: readonly CellLink[];
  readonly panes?: FrozenPanes;
}

/** A defined name. */
export interface ImportedName {
  readonly name: string;
  /** The sheet of its scope; absent for the whole workbook. */
  readonly sheet?: string;
  /** As in a file, without "=". */
  readonly formula: string;
  readonly isHidden?: true;
  readonly comment?: string;
}

export const NO_LOOKS: SheetLooks = { columns: [], merges: [], notes: [], links: [] };

/** Most merged cells, notes and links of a workbook together, and most characters of its notes and links. */
const MAX_LOOKS = 65_536;
const MAX_LOOKS_LENGTH = 4 * 1024 * 1024;

/** Counts the looks of all sheets of a workbook. */
export class LooksCount {
  #looks = 0;
  #length = 0;

  /** Whether another one is within the limits; it then counts. */
  admits(...texts: (string | undefined)[]): boolean {
    const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    if (this.#looks >= MAX_LOOKS || this.#length + length > MAX_LOOKS_LENGTH) return false;
    this.#looks++;
    this.#length += length;
    return true;
  }
}

export function hasLooks({ defaultWidth, columns, merges, notes, links, panes }: SheetLooks): boolean {
  if (defaultWidth !== undefined || panes !== undefined) return true;
  return columns.length + merges.length + notes.length + links.length > 0;
}

const AT_ONCE = 500;
const LISTS = ['columns', 'merges', 'notes', 'links'] as const;

/** Encodes looks as lines of JSON: each has some entries of one list, so that decoding can yield between them. */
export async function encodeLooks(looks: SheetLooks): Promise<string> {
  const { defaultWidth, panes } = looks;
  const lines = [JSON.stringify({ defaultWidth, panes })];
  for (const list of LISTS) {
    const entries: readonly object[] = looks[list];
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      lines.push(JSON.stringify({ [list]: entries.slice(at, at + AT_ONCE) }));
      await giveWay();
    }
  }
  return lines.join('\n');
}

/** Decodes looks. It yields to the event loop between the lines. */
export async function decodeLooks(text: string): Promise<SheetLooks> {
  const [head = '{}', ...lines] = text.split('\n');
  const lists = { columns: [], merges: [], notes: [], links: [] } as Record<(typeof LISTS)[number], object[]>;
  for (const line of lines) {
    const some = JSON.parse(line) as Partial<typeof lists>;
    for (const list of LISTS) for (const entry of some[list] ?? []) lists[list].push(entry);
    await giveWay();
  }
  const { defaultWidth, panes } = JSON.parse(head) as Pick<SheetLooks, 'defaultWidth' | 'panes'>;
  return {
    ...(lists as unknown as Pick<SheetLooks, (typeof LISTS)[number]>),
    ...(defaultWidth !== undefined && { defaultWidth }),
    ...(panes && { panes }),
  };
}
