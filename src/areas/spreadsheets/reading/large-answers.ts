import { Readable } from 'node:stream';
import { JsonStream } from '../../../contract/answers.ts';
import { encoded } from '../../../contract/staged-text.ts';
import { Cache } from '../../../platform/cache.ts';
import type { Rectangle } from '../cells/a1.ts';
import type { Sheet, Workbook } from '../workbook/workbook.ts';

/** Characters. A longer text is held and sent in pieces. */
export const MOST_AT_ONCE = 1_000_000;
/** Limits, in characters, for a single answer that waits in memory for its client, and for all of them together. */
const MOST_EACH = 8_000_000;
const MOST_TOGETHER = 64_000_000;

/** Holds answers that are too long for a single text until they have been sent. */
export class HeldAnswers {
  #room = MOST_TOGETHER;

  /**
   * Collects the pieces of a text: a short text is returned whole, a long one as a stream of pieces. Returns undefined,
   * and stops reading the pieces, if the text exceeds what may be held at the moment. Rejects if the pieces reject.
   */
  async hold(pieces: AsyncIterable<string>): Promise<string | JsonStream | undefined> {
    const held: string[] = [];
    let length = 0;
    let isHeld = false;
    const release = () => {
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
      isHeld = length > MOST_AT_ONCE;
      return isHeld ? heldText(held, release) : held.join('');
    } finally {
      if (!isHeld) release();
    }
  }
}

/** A stream that sends pieces from memory. */
function heldText(pieces: readonly string[], release: () => void): JsonStream {
  return new JsonStream({
    size: pieces.reduce((size, piece) => size + Buffer.byteLength(piece), 0),
    open: async () => Readable.from(encoded(pieces), { objectMode: false }),
    discard: async () => release(),
  });
}

/** Resources that an answer occupies until it is sent. */
interface Holding {
  discard(): Promise<void>;
}

/**
 * Runs `work` in a transaction. If the transaction is retryWhenEvicted, or fails after `work` has made its result, the resources
 * of the unused result are released. `holdingOf` returns the resources of a result.
 */
export async function makeInTransaction<Given extends unknown[], Made>(
  run: (work: (...given: Given) => Promise<Made>) => Promise<Made>,
  holdingOf: (made: Made) => Holding | undefined,
  work: (...given: Given) => Promise<Made>,
): Promise<Made> {
  let holding: Holding | undefined;
  const release = async () => {
    await holding?.discard();
    holding = undefined;
  };
  try {
    return await run(async (...given) => {
      await release();
      const made = await work(...given);
      holding = holdingOf(made);
      return made;
    });
  } catch (error) {
    await release();
    throw error;
  }
}

/** In characters of two bytes, so at most 16 MB; no entry takes more than a sixteenth. */
const ROOM = { room: 8_000_000, largest: 500_000 };

/**
 * Cache of the values of ranges that were read recently, as JSON. The key contains the revision, which no other version
 * has. A reader that may read the revision may therefore get the cached text. Texts of old versions are evicted by age.
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

/** What is read of a range: what was written, what formulas come to, that as shown by number formats, or the formats. */
export type Aspect = 'inputs' | 'values' | 'shown' | 'formats';

/** Cache key of an aspect of a range of one version. */
export function rangeKey(
  { revision }: Pick<Workbook, 'revision'>,
  sheet: Pick<Sheet, 'id'>,
  { top, left, bottom, right }: Rectangle,
  aspect: Aspect,
): string {
  return `${revision} ${sheet.id} ${top} ${left} ${bottom} ${right} ${aspect}`;
}
