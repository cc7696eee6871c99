import type { Staging } from '../../blobs/staging.ts';
import { type JsonStream, JsonText } from '../../contract/answers.ts';
import { stagedText } from '../../contract/staged-text.ts';
import { FairGate } from '../../turns/fair-gate.ts';
import { UNBOUNDED } from '../../turns/fair-queue.ts';
import { runsOf } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';

/** Items that are written between two checks of the clock. */
const ITEMS_A_RUN = 100;
/** Characters. A shorter list is one text; a longer one is staged, so a slow reader holds nothing in memory. */
const LONGEST_TEXT = 256 * 1024;
/** Maximum number of lists that are read and written at a time: each is in memory as a whole meanwhile. */
const AT_ONCE = { all: 8, each: 2 };

/** Answers lists without pages, which may have any length. */
export class WholeLists {
  readonly #staging: Staging;
  readonly #gate = new FairGate(AT_ONCE, UNBOUNDED);

  constructor(staging: Staging) {
    this.#staging = staging;
  }

  /**
   * The list that `read` returns, as JSON; another result is returned unchanged. Users take turns, and writing gives
   * way to other requests. Rejects as `read` does, and with TooManyWaiting where there is no room to stage the list.
   */
  answer(read: () => Promise<unknown>): Promise<unknown> {
    return this.#gate.pass(async () => {
      const items = await read();
      return Array.isArray(items) ? this.#jsonOf(items) : items;
    });
  }

  async #jsonOf(items: readonly unknown[]): Promise<JsonText | JsonStream> {
    const texts: string[] = [];
    let length = 0;
    const pieces = piecesOf(items);
    // No `for await`, which would close the generator when it is left.
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      texts.push(next.value);
      length += next.value.length;
      if (length > LONGEST_TEXT) return stagedText(this.#staging, followedBy(texts, pieces));
    }
    return new JsonText(texts.join(''));
  }
}

async function* piecesOf(items: readonly unknown[]): AsyncGenerator<string, undefined> {
  let before = '[';
  for (const run of runsOf(items, ITEMS_A_RUN)) {
    yield before + run.map(textOf).join();
    before = ',';
    await giveWay();
  }
  yield items.length === 0 ? '[]' : ']';
}

function textOf(item: unknown): string {
  return item instanceof JsonText ? item.text : JSON.stringify(item);
}

async function* followedBy(first: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* first;
  yield* rest;
}
