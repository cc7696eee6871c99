import { Readable } from 'node:stream';
import { runsOf } from '../turns/gathered-in-turns.ts';
import { Turns } from '../turns/turns.ts';
import { JsonStream, JsonText } from './answers.ts';

/** Items that are written between two looks at the clock. */
const ITEMS_A_RUN = 100;
/** Characters. A list of fewer is one text; of more, the text would hold the event loop while it is made and sent. */
const LONGEST_TEXT = 256 * 1024;

/** A list that is not paged, which may have any length, as JSON; others have their turn while it is written. */
export async function wholeList(items: readonly unknown[]): Promise<JsonText | JsonStream> {
  const turns = new Turns();
  const texts: string[] = [];
  let length = 0;
  for (const run of runsOf(items, ITEMS_A_RUN)) {
    const text = run.map(textOf).join();
    texts.push(texts.length === 0 ? text : `,${text}`);
    length += text.length;
    await turns.next();
  }
  texts.push(']');
  return length <= LONGEST_TEXT ? new JsonText(`[${texts.join('')}`) : streamOf(['[', ...texts], turns);
}

function textOf(item: unknown): string {
  return item instanceof JsonText ? item.text : JSON.stringify(item);
}

async function streamOf(texts: readonly string[], turns: Turns): Promise<JsonStream> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const text of texts) {
    const chunk = Buffer.from(text);
    chunks.push(chunk);
    size += chunk.length;
    await turns.next();
  }
  const open = async () => Readable.from(chunks, { objectMode: false });
  return new JsonStream({ size, open, discard: async () => undefined });
}
