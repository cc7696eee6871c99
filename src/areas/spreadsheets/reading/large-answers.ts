import { Readable } from 'node:stream';
import { JsonStream } from '../../../contract/answers.ts';
import { encoded } from '../../../contract/staged-text.ts';

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
