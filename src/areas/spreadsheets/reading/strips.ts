import { ApiError } from '../../../contract/errors.ts';
import { Recent } from '../../../platform/recent.ts';
import type { Rectangle } from '../cells/a1.ts';
import { GridFull, type TextGrid } from '../cells/grid.ts';
import type { Sheet, Workbook } from '../workbook/workbook.ts';
import { ROOM } from './range-texts.ts';
import { jsonOf, STRIP_ROWS, type Strip, stripOf } from './strip.ts';

/** What a strip takes beside its characters. */
const ROOM_OF_ENDS = 4 * STRIP_ROWS;
/** Of a range with more of them not all are wanted again: they would only take the room of others. */
const MOST_STRIPS = 64;
const MOST_CELLS = 65_536;

/** In the place of a strip, or of several together, that would take more than their part of the memory. */
const TOO_LARGE = 'too large';
type Kept = Strip | typeof TOO_LARGE;

/** Reads a rectangle. Rejects with ApiError or GridFull where that is too much. */
export type ReadGrid = (area: Rectangle) => Promise<Pick<TextGrid, 'rows'>>;

/**
 * The rows of ranges that were read lately, strip by strip: ranges that overlap share them. They are kept under the
 * revision that they were read at, which no other version has, so whoever has read the revision may be shown them; those
 * of earlier versions go by age.
 */
export class Strips {
  readonly #strips = new Recent<Kept>(ROOM);

  /**
   * The cells of a rectangle as JSON; `read` is asked for what is not known of them, with whole strips. Undefined where
   * the rectangle, or a strip that it touches, is too large to be kept.
   */
  async json(workbook: Workbook, sheet: Sheet, area: Rectangle, read: ReadGrid): Promise<string | undefined> {
    const { first, count } = stripsOf(area);
    if (count > MOST_STRIPS || count * STRIP_ROWS * (area.right - area.left + 1) > MOST_CELLS)
      return undefined;
    const keys = keysOf(workbook, sheet, area);
    const kept = keys.map((key) => this.#strips.get(key));
    const [from, to] = [kept.indexOf(undefined), kept.lastIndexOf(undefined)];
    if (from !== -1 && !kept.includes(TOO_LARGE)) {
      const missing = {
        ...area,
        top: (first + from) * STRIP_ROWS,
        bottom: (first + to + 1) * STRIP_ROWS - 1,
      };
      kept.splice(from, to + 1 - from, ...(await this.#read(keys.slice(from, to + 1), missing, read)));
    }
    const strips = kept.filter(isStrip);
    const above = first * STRIP_ROWS;
    return strips.length === count ? jsonOf(strips, area.top - above, area.bottom - above) : undefined;
  }

  /** Gives back what nobody has asked for since the last call. */
  forgetUnused(): void {
    this.#strips.forgetUnused();
  }

  /** Reads neighbouring strips, and keeps them. */
  async #read(keys: readonly string[], area: Rectangle, read: ReadGrid): Promise<Kept[]> {
    const together = togetherKey(keys);
    const rows = this.#strips.get(together) === TOO_LARGE ? undefined : await rowsOf(area, read);
    if (!rows) {
      // Each of several alone may be small enough.
      this.#strips.set(together, TOO_LARGE, 0);
      return keys.map(() => TOO_LARGE);
    }
    return keys.map((key, index) => {
      const strip = stripOf(rows, index * STRIP_ROWS);
      const size = strip.text.length + ROOM_OF_ENDS;
      const kept = size > ROOM.largest ? TOO_LARGE : strip;
      this.#strips.set(key, kept, kept === strip ? size : 0);
      return kept;
    });
  }
}

/** Undefined where they are too much for one answer, though what was asked for may be less. */
async function rowsOf(area: Rectangle, read: ReadGrid): Promise<readonly string[] | undefined> {
  try {
    return (await read(area)).rows();
  } catch (error) {
    if (error instanceof ApiError || error instanceof GridFull) return undefined;
    throw error;
  }
}

/** The key of neighbouring strips together; of one, its own. */
function togetherKey(keys: readonly string[]): string {
  return keys.length === 1 ? String(keys[0]) : `${keys[0]} ${keys.length}`;
}

function isStrip(kept: Kept | undefined): kept is Strip {
  return kept !== undefined && kept !== TOO_LARGE;
}

function stripsOf({ top, bottom }: Rectangle): { first: number; count: number } {
  const first = Math.floor(top / STRIP_ROWS);
  return { first, count: Math.floor(bottom / STRIP_ROWS) - first + 1 };
}

function keysOf({ revision }: Workbook, { id }: Sheet, area: Rectangle): string[] {
  const { first, count } = stripsOf(area);
  const ofColumns = `${revision} ${id} ${area.left} ${area.right} `;
  const keys: string[] = [];
  for (let strip = first; strip < first + count; strip++) keys.push(ofColumns + strip);
  return keys;
}
