import { Readable } from 'node:stream';
import { JsonStream } from '../../../contract/answers.ts';
import { encoded } from '../../../contract/staged-text.ts';
import { Cache } from '../../../platform/cache.ts';
import type { Rectangle } from '../cells/a1.ts';
import type { Sheet, Workbook } from '../workbook/workbook.ts';

/** Characters of a text that is made, kept and sent as one. */
export const MOST_AT_ONCE = 1_000_000;
/** Characters of an answer that waits in memory until its reader has taken it, and of all of them together. */
const MOST_EACH = 8_000_000;
const MOST_TOGETHER = 64_000_000;

/** Holds answers that are too long to be one text until they have been read. */
export class HeldAnswers {
  #room = MOST_TOGETHER;

  /**
   * A text that comes in pieces: whole where it is short, else to be sent in pieces. Nothing, and no more of it is asked
   * for, where it is more than may be held now. Rejects as the pieces do.
   */
  async hold(pieces: AsyncIterable<string>): Promise<string | JsonStream | undefined> {
    const held: string[] = [];
    let length = 0;
    let isKept = false;
    const giveBack = () => {
      this.#room += length;
      length = 0;
    };
    try {
      for await (const piece of pieces) {
        if (length + piece.length > MOST_EACH || piece.length > this.#room) return undefined;
        held.push(piece);
        length += piece.length;
        this.#room -= piece.length;
      }
      isKept = length > MOST_AT_ONCE;
      return isKept ? heldText(held, giveBack) : held.join('');
    } finally {
      if (!isKept) giveBack();
    }
  }
}

/** A text that is there as it is sent. */
function heldText(pieces: readonly string[], giveBack: () => void): JsonStream {
  return new JsonStream({
    size: pieces.reduce((size, piece) => size + Buffer.byteLength(piece), 0),
    open: async () => Readable.from(encoded(pieces), { objectMode: false }),
    discard: async () => giveBack(),
  });
}

/** What an answer holds until it is sent. */
interface Holding {
  discard(): Promise<void>;
}

/**
 * Has `run` do a work in a transaction. Where that begins anew, or fails after the work has made its answer, what the
 * answer holds is given back: nobody will read it. `holdingOf`: what of an answer holds something.
 */
export async function makeInTransaction<Given extends unknown[], Made>(
  run: (work: (...given: Given) => Promise<Made>) => Promise<Made>,
  holdingOf: (made: Made) => Holding | undefined,
  work: (...given: Given) => Promise<Made>,
): Promise<Made> {
  let holding: Holding | undefined;
  const giveBack = async () => {
    await holding?.discard();
    holding = undefined;
  };
  try {
    return await run(async (...given) => {
      await giveBack();
      const made = await work(...given);
      holding = holdingOf(made);
      return made;
    });
  } catch (error) {
    await giveBack();
    throw error;
  }
}

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
