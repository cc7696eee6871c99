import { jsonMembers } from '../../../contract/json.ts';
import { requireParameter } from '../../../contract/required-values.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { MailboxOwner } from '../owner.ts';
import { Include, MOST_RECIPIENTS_SHOWN, PREVIEW_LENGTH, type SUMMARY_PARTS } from './schema.ts';
import { findBeginnings, findWholeRecord, measureRecords } from './summary-parts-store.ts';

/** What summaries of a list have beside the rest where it is asked for. */
export type SummaryPart = (typeof SUMMARY_PARTS)[number];

/** Bytes of stored records that one statement reads: a long text is read whole even for its beginning. */
const BYTES_A_STATEMENT = 256 * 1024;

/** Characters of JSON that a preview is looked for in: there may be many blanks before the first words. */
const SEARCHED_LENGTH = 4_000;

/**
 * The members that the summaries of messages get, by number, as JSON without braces. They come from the stored records,
 * so mail of every age has them; the records are read some at a time, with turns of others in between.
 */
export async function summaryParts(
  tx: ReadTransaction,
  owner: MailboxOwner,
  numbers: readonly number[],
  include: readonly SummaryPart[],
): Promise<ReadonlyMap<number, string>> {
  requireParameter(Include, include, 'include');
  const parts = new Map<number, string>();
  if (include.length === 0 || numbers.length === 0) return parts;
  for (const some of portionsOf(await measureRecords(tx, owner, numbers))) {
    for (const { number, beginning } of await findBeginnings(tx, owner, some)) {
      const shown = partsIn(beginning) ?? partsIn(await findWholeRecord(tx, owner, number));
      if (shown) parts.set(number, jsonMembers(wantedOf(shown, include)));
    }
    await giveWay();
  }
  return parts;
}

function* portionsOf(sizes: readonly { number: number; size: number }[]): Generator<number[]> {
  let portion: number[] = [];
  let bytes = 0;
  for (const { number, size } of sizes) {
    if (portion.length > 0 && bytes + size > BYTES_A_STATEMENT) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(number);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

interface Parts {
  to: string[];
  cc: string[];
  preview: string;
}

function wantedOf({ to, cc, preview }: Parts, include: readonly SummaryPart[]): object {
  const [shownTo, shownCc] = [to.slice(0, MOST_RECIPIENTS_SHOWN), cc.slice(0, MOST_RECIPIENTS_SHOWN)];
  const rest = to.length + cc.length - shownTo.length - shownCc.length;
  return {
    ...(include.includes('preview') && { preview }),
    ...(include.includes('recipients') && { to: shownTo, cc: shownCc, more_recipients: rest }),
  };
}

const TEXT = ',"text":"';

/** Reads the beginning of a stored record; undefined where it ends before the text begins. */
function partsIn(record: string): Parts | undefined {
  // Quotes within values are escaped, so the name of the member is found as it stands.
  const at = record.indexOf(TEXT);
  if (at === -1) return undefined;
  const { to, cc } = JSON.parse(`{${record.slice(0, at)}}`) as Pick<Parts, 'to' | 'cc'>;
  const start = at + TEXT.length;
  return { to, cc, preview: previewOf(beginningOfString(record.slice(start, start + SEARCHED_LENGTH))) };
}

/** The text of a JSON string that begins here, up to its end or to where its JSON is cut. */
export function beginningOfString(json: string): string {
  let end = 0;
  while (end < json.length && json[end] !== '"') {
    const length = json[end] !== '\\' ? 1 : json[end + 1] === 'u' ? 6 : 2;
    if (end + length > json.length) break;
    end += length;
  }
  return JSON.parse(`"${json.slice(0, end)}"`) as string;
}

/** Blanks, and what senders fill the first line of a preview with so that it shows nothing else. */
const FILLING = /(?:[\s\u00ad\u200b-\u200d\u2060]|\u034f){2,}|\s/gu;

/** How a text begins, on one line. */
export function previewOf(text: string): string {
  const line = text.replace(FILLING, ' ').trim();
  // A pair of surrogates may have been cut in two at the end.
  return [...line]
    .slice(0, PREVIEW_LENGTH)
    .join('')
    .toWellFormed()
    .replace(/\ufffd$/u, '');
}
