/** The contents of a workbook that a spreadsheet does not keep, in the order in which they are listed. */
export const LEFT_OUT = [
  'charts',
  'column_widths',
  'comments',
  'conditional_formatting',
  'custom_views',
  'data_validation',
  'defined_names',
  'embedded_objects',
  'external_links',
  'filters',
  'hyperlinks',
  'images',
  'macros',
  'merged_cells',
  'outlines',
  'pivot_tables',
  'print_settings',
  'protection',
  'row_heights',
  'scenarios',
  'shapes',
  'slicers',
  'sparklines',
  'split_panes',
  'styles',
  'tab_colors',
  'tables',
  'threaded_comments',
  'view_settings',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

/** Something of a workbook that a spreadsheet does not keep, and its location as far as it has one. */
export interface ImportNote {
  readonly what: LeftOut;
  /** The sheet; absent for something of the whole workbook. */
  readonly sheet?: string;
  /** The cells, as A1, A1:C3 or 2:5. */
  readonly range?: string;
  /** The name of a defined name or of a table. */
  readonly name?: string;
  /** The number of locations that are not listed one by one. */
  readonly count?: number;
}

/** Where something is that is left out. */
export type NotedLocation = Pick<ImportNote, 'sheet' | 'range' | 'name'>;

/** Most locations that are listed one by one of one kind on one sheet, and most notes of a workbook. */
const MOST_LOCATIONS = 20;
const MOST_NOTES = 1_000;
const LONGEST_NAME = 255;

/** The noted locations of one kind on one sheet. */
interface NotedSheet {
  readonly locations: Map<string, NotedLocation>;
  /** The number of further locations. */
  more: number;
}

/** Collects what an import leaves out. Many locations of one kind become a count. */
export class ImportNotes {
  readonly #kinds = new Map<LeftOut, Map<string | undefined, NotedSheet>>();

  add(what: LeftOut, location: NotedLocation = {}): void {
    const sheets = this.#kinds.getOrInsertComputed(what, () => new Map());
    const noted = sheets.getOrInsertComputed(location.sheet, () => ({ locations: new Map(), more: 0 }));
    const key = `${location.range ?? ''} ${location.name ?? ''}`;
    if (noted.locations.has(key)) return;
    if (noted.locations.size < MOST_LOCATIONS) noted.locations.set(key, location);
    else noted.more++;
  }

  has(what: LeftOut): boolean {
    return this.#kinds.has(what);
  }

  /** The kinds found, in the order of LEFT_OUT. */
  kinds(): LeftOut[] {
    return LEFT_OUT.filter((what) => this.#kinds.has(what));
  }

  /** At most MOST_NOTES notes. What does not fit is one note of its kind, with a count. */
  list(): ImportNote[] {
    const kinds = this.kinds().map((what) => this.#notesOf(what));
    const all = kinds.reduce((sum, notes) => sum + notes.length, 0);
    if (all <= MOST_NOTES) return kinds.flat();
    const share = Math.floor(MOST_NOTES / kinds.length) - 1;
    return kinds.flatMap((notes) => {
      const [first] = notes;
      if (!first || notes.length <= share + 1) return notes;
      const count = notes.slice(share).reduce((sum, note) => sum + (note.count ?? 1), 0);
      return [...notes.slice(0, share), { what: first.what, count }];
    });
  }

  #notesOf(what: LeftOut): ImportNote[] {
    const notes: ImportNote[] = [];
    for (const [sheet, { locations, more }] of this.#kinds.get(what) ?? []) {
      const onSheet = sheet === undefined ? {} : { sheet: shortened(sheet) };
      for (const { range, name } of locations.values()) {
        const named = name === undefined ? {} : { name: shortened(name) };
        notes.push({ what, ...onSheet, ...(range !== undefined && { range }), ...named });
      }
      if (more > 0) notes.push({ what, ...onSheet, count: more });
    }
    return notes;
  }
}

function shortened(name: string): string {
  return (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name).toWellFormed();
}
