import { ApiError } from '../../api/errors.ts';
import { Recent } from '../../api/recent.ts';
import type { Rectangle } from './a1.ts';
import type { TextGrid } from './grid.ts';
import { jsonOf, STRIP_ROWS, type Strip, stripOf } from './strip.ts';
import type { Sheet, Workbook } from './workbook.ts';

/** At most 16 MB of memory, in characters of two bytes, and no strip takes more than a fair part of it. */
const ROOM = { mostRoom: 8_000_000, largest: 500_000 };
/** What a strip takes beside its characters. */
const ROOM_OF_ENDS = 4 * STRIP_ROWS;
/** Of more cells not all are wanted again: they would only take the room of others. */
const MOST_CELLS = 262_144;

/** Reads a rectangle. Rejects with ApiError where that is too much. */
export type ReadGrid = (area: Rectangle) => Promise<Pick<TextGrid, 'rows' | 'json'>>;

/**
 * The rows of ranges that were read lately, strip by strip: ranges that overlap share them. They are kept under the
 * revision that they were read at, which no other version has, so whoever has read the revision may be shown them; those
 * of earlier versions go by age.
 */
export class Strips {
  readonly #strips = new Recent<Strip>(ROOM);

  /** The cells of a rectangle as JSON; `read` is asked for what is not known of them. Rejects as that does. */
  async json(workbook: Workbook, sheet: Sheet, area: Rectangle, read: ReadGrid): Promise<string> {
    const isFew = stripsOf(area).count * STRIP_ROWS * (area.right - area.left + 1) <= MOST_CELLS;
    try {
      if (isFew) return await this.#joined(workbook, sheet, area, read);
    } catch (error) {
      // What is too much may be so only with the rows around it.
      if (!(error instanceof ApiError)) throw error;
    }
    return (await read(area)).json();
  }

  /** Gives back what nobody has asked for since the last call. */
  forgetUnused(): void {
    this.#strips.forgetUnused();
  }

  async #joined(workbook: Workbook, sheet: Sheet, area: Rectangle, read: ReadGrid): Promise<string> {
    const { first, count } = stripsOf(area);
    const keys = Array.from({ length: count }, (_, index) => keyOf(workbook, sheet, area, first + index));
    const known = keys.map((key) => this.#strips.get(key));
    const [from, to] = [known.indexOf(undefined), known.lastIndexOf(undefined)];
    if (from !== -1) {
      const top = (first + from) * STRIP_ROWS;
      const missing = { ...area, top, bottom: (first + to + 1) * STRIP_ROWS - 1 };
      const rows = (await read(missing)).rows();
      known.splice(from, to + 1 - from, ...this.#keep(keys.slice(from, to + 1), rows));
    }
    const above = first * STRIP_ROWS;
    return jsonOf(known as Strip[], area.top - above, area.bottom - above);
  }

  #keep(keys: readonly string[], rows: readonly string[]): Strip[] {
    return keys.map((key, index) => {
      const strip = stripOf(rows, index * STRIP_ROWS);
      this.#strips.set(key, strip, strip.text.length + ROOM_OF_ENDS);
      return strip;
    });
  }
}

function stripsOf({ top, bottom }: Rectangle): { first: number; count: number } {
  const first = Math.floor(top / STRIP_ROWS);
  return { first, count: Math.floor(bottom / STRIP_ROWS) - first + 1 };
}

function keyOf({ revision }: Workbook, { id }: Sheet, { left, right }: Rectangle, strip: number): string {
  return `${revision} ${id} ${strip} ${left} ${right}`;
}
