import { Cache } from '../../../platform/cache.ts';
import type { Rectangle } from '../cells/a1.ts';
import type { Sheet, Workbook } from '../workbook/workbook.ts';

/** At most 16 MB of memory, in characters of two bytes, and nothing takes more than a fair part of it. */
const ROOM = { room: 8_000_000, largest: 500_000 };

/**
 * The values of ranges that were read lately, as ready JSON. They are kept under the revision that they were read at,
 * which no other version has, so whoever has read the revision may be shown them; those of earlier versions go by age.
 */
export class RangeTexts {
  readonly #texts = new Cache<string>(ROOM);

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  set(key: string, text: string): void {
    this.#texts.set(key, text, text.length);
  }
}

/** What tells a range of one version, as values or as what was written, from every other. */
export function rangeKey(
  { revision }: Pick<Workbook, 'revision'>,
  sheet: Pick<Sheet, 'id'>,
  { top, left, bottom, right }: Rectangle,
  isCalculated: boolean,
): string {
  return `${revision} ${sheet.id} ${top} ${left} ${bottom} ${right} ${isCalculated}`;
}
