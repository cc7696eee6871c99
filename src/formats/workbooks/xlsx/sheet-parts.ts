import { addressText, areaText, parseArea } from '../areas.ts';
import type { LeftOut } from '../import-notes.ts';
import type { CellNote } from '../looks.ts';
import { MAX_COLUMNS, MAX_ROWS, parseAddress } from '../workbook.ts';
import type { Archive } from './archive.ts';
import type { LooksContext } from './looks-reader.ts';
import { RichText } from './shared-strings.ts';
import { type Attributes, readWholeXml, type XmlReader } from './xml.ts';

/** Excel's limit of a note; longer ones are left out. */
const LONGEST_NOTE = 32_767;
const LONGEST_AUTHOR = 255;
/** Most authors held in memory; notes of further ones have none. */
const MAX_AUTHORS = 65_536;

/** Reads the notes of a sheet from the parts beside it, and notes what else these parts have. */
export async function readSheetParts(
  archive: Archive,
  context: LooksContext,
  seen: Set<string>,
): Promise<CellNote[]> {
  const { notes, sheet } = context;
  const cellNotes = new Map<string, CellNote>();
  for (const { kind, target } of context.relationships.values()) {
    if (seen.has(target.toLowerCase())) continue;
    const reader = readerOf(kind, context, cellNotes);
    if (!reader || !archive.has(target)) continue;
    seen.add(target.toLowerCase());
    await readWholeXml(target, archive.read(target), reader);
  }
  for (const { kind } of context.relationships.values()) {
    const what = KINDS.get(kind);
    if (what && !notes.has(what)) notes.add(what, { sheet });
  }
  return [...cellNotes.values()];
}

/** Parts whose presence alone says that something is left out. */
const KINDS: ReadonlyMap<string, LeftOut> = new Map([
  ['oleObject', 'embedded_objects'],
  ['package', 'embedded_objects'],
  ['slicer', 'slicers'],
  ['timeline', 'slicers'],
]);

function readerOf(kind: string, context: LooksContext, notes: Map<string, CellNote>): XmlReader | undefined {
  if (kind === 'comments') return new NotesReader(context, notes);
  if (kind === 'drawing') return new DrawingReader(context);
  if (kind === 'pivotTable') return placesReader(context, 'location', 'pivot_tables');
  if (kind === 'threadedComment') return placesReader(context, 'threadedComment', 'threaded_comments');
  return undefined;
}

/** Notes the ranges of some elements. */
function placesReader({ notes, sheet }: LooksContext, element: string, what: LeftOut): XmlReader {
  return {
    open(name, { ref = '' }) {
      if (name !== element) return;
      const area = parseArea(ref);
      notes.add(what, area ? { sheet, range: areaText(area) } : { sheet });
    },
  };
}

/** Reads the part of the notes. Of a text with several fonts the text is read. */
class NotesReader implements XmlReader {
  readonly #context: LooksContext;
  readonly #notes: Map<string, CellNote>;
  readonly #authors: string[] = [];
  readonly #text = new RichText();
  #comment: Attributes | undefined;
  #author: string | undefined;
  #length = 0;

  constructor(context: LooksContext, notes: Map<string, CellNote>) {
    this.#context = context;
    this.#notes = notes;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'author') this.#author = '';
    else if (name === 'comment') {
      this.#comment = attributes;
      this.#length = 0;
      this.#text.begin();
    } else this.#text.open(name);
  }

  text(piece: string): void {
    if (this.#author !== undefined) this.#author += piece;
    else if (this.#comment) {
      this.#length += piece.length;
      if (this.#length <= LONGEST_NOTE) this.#text.text(piece);
    }
  }

  close(name: string): void {
    if (name === 'author') {
      if (this.#authors.length < MAX_AUTHORS) this.#authors.push(this.#author ?? '');
      this.#author = undefined;
    } else if (name === 'comment') this.#endComment();
    else this.#text.close(name);
  }

  #endComment(): void {
    const { ref = '', authorId = '' } = this.#comment ?? {};
    this.#comment = undefined;
    const cell = parseAddress(ref);
    const text = this.#text.end().toWellFormed();
    const author = authorName(this.#authors[Number(authorId)] ?? '');
    const { sheet, notes, count } = this.#context;
    const range = cell && addressText(cell.row, cell.column);
    const isShort = this.#length <= LONGEST_NOTE && author.length <= LONGEST_AUTHOR;
    if (cell && range !== undefined && isShort && count.admits(text, author)) {
      this.#notes.set(range, { ...cell, text, author });
    } else notes.add('comments', range === undefined ? { sheet } : { sheet, range });
  }
}

/** The note that stands in for a thread of comments has no author, but the id of the thread. */
function authorName(author: string): string {
  return /^tc=\{/.test(author) ? '' : author.toWellFormed();
}

const ANCHORS: ReadonlySet<string> = new Set(['twoCellAnchor', 'oneCellAnchor', 'absoluteAnchor']);
const CONTENTS: ReadonlyMap<string, LeftOut> = new Map([
  ['cxnSp', 'shapes'],
  ['pic', 'images'],
  ['sp', 'shapes'],
]);

/** Notes the charts, images and shapes of a drawing, with the cells that they cover. */
class DrawingReader implements XmlReader {
  readonly #context: LooksContext;
  #isAnchor = false;
  #what: LeftOut | undefined;
  /** The corner of the anchor that is being read, and its element with a line number. */
  #corner: 'from' | 'to' | undefined;
  #line: 'row' | 'col' | undefined;
  #lines: Record<string, number> = {};

  constructor(context: LooksContext) {
    this.#context = context;
  }

  open(name: string, { uri }: Attributes): void {
    if (ANCHORS.has(name)) {
      this.#isAnchor = true;
      this.#what = undefined;
      this.#lines = {};
    } else if (!this.#isAnchor) return;
    else if (name === 'from' || name === 'to') this.#corner = name;
    else if (this.#corner && (name === 'row' || name === 'col')) this.#line = name;
    else if (name === 'graphicData') this.#what = graphicKind(uri ?? '') ?? this.#what;
    else this.#what ??= CONTENTS.get(name);
  }

  text(text: string): void {
    if (this.#corner && this.#line) this.#lines[`${this.#corner} ${this.#line}`] = Number(text);
  }

  close(name: string): void {
    if (name === this.#corner) this.#corner = undefined;
    if (name === this.#line) this.#line = undefined;
    if (!ANCHORS.has(name) || !this.#isAnchor) return;
    this.#isAnchor = false;
    const { sheet, notes } = this.#context;
    const range = this.#range();
    notes.add(this.#what ?? 'shapes', range === undefined ? { sheet } : { sheet, range });
  }

  #range(): string | undefined {
    const [top, left] = [this.#lines['from row'], this.#lines['from col']];
    if (!isLine(top, MAX_ROWS) || !isLine(left, MAX_COLUMNS)) return undefined;
    const [bottom, right] = [this.#lines['to row'] ?? top, this.#lines['to col'] ?? left];
    const isThere = isLine(bottom, MAX_ROWS) && isLine(right, MAX_COLUMNS) && bottom >= top && right >= left;
    return areaText(isThere ? { top, left, bottom, right } : { top, left, bottom: top, right: left });
  }
}

function isLine(line: number | undefined, size: number): line is number {
  return Number.isInteger(line) && (line ?? -1) >= 0 && (line ?? size) < size;
}

function graphicKind(uri: string): LeftOut | undefined {
  if (/chart/i.test(uri)) return 'charts';
  return /slicer|timeline/i.test(uri) ? 'slicers' : undefined;
}
