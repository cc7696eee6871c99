import type { Rectangle } from './a1.ts';
import type { Sheet, Workbook } from './workbook.ts';

/** At most 16 MB of memory, in characters of two bytes, and no answer takes more than a fair part of it. */
const MOST_ROOM = 8_000_000;
const LONGEST_TEXT = 500_000;
/** What a text takes beside its characters, with its key: of a text of few cells this is most. */
const ROOM_OF_ENTRY = 100;

/**
 * The values of ranges that were read lately, as ready JSON. They are kept under the revision that they were read at,
 * which no other version has, so whoever has read the revision may be shown them; those of earlier versions go by age.
 */
export class RangeTexts {
  /** By key, the one longest not asked for first. */
  readonly #texts = new Map<string, string>();
  #room = 0;

  get(key: string): string | undefined {
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    return text;
  }

  set(key: string, text: string): void {
    if (text.length > LONGEST_TEXT) return;
    this.#remove(key);
    this.#texts.set(key, text);
    this.#room += roomOf(text);
    for (const oldest of this.#texts.keys()) {
      if (this.#room <= MOST_ROOM) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const text = this.#texts.get(key);
    if (text === undefined) return;
    this.#room -= roomOf(text);
    this.#texts.delete(key);
  }
}

function roomOf(text: string): number {
  return ROOM_OF_ENTRY + text.length;
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
