import type { RawLocation } from '../../../blobs/staging.ts';
import { parseHeaders } from '../../../formats/messages/parse.ts';
import type { Database } from '../../../storage/database.ts';
import { giveWay, nextTurn } from '../../../turns/next-turn.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import { newestMessages, type PlacedMessage } from '../listing/listing.ts';
import type { MailboxOwner } from '../owner.ts';
import { listRawLocations, listRecords, measureContents, type Needs } from './content-store.ts';
import type { DecodedHeader, FilteredMessage } from './filtered-message.ts';
import { matchRules } from './matching.ts';
import { PREVIEWED_BYTES, PREVIEWED_MESSAGES, type Rule } from './schema.ts';

/** How many messages are looked at in one read, and how many bytes of them are in memory at once. */
const MESSAGES_A_READ = 200;
const BYTES_A_READ = 4 * 1024 * 1024;

/** Messages with what is to be read of each, in bytes. */
interface Sized {
  row: PlacedMessage;
  bytes: number;
}

/** Some messages that were looked at, newest first. */
export interface ScannedMessages {
  scanned: number;
  /** Bytes that were read for it, beside the summaries. */
  bytes: number;
  matching: PlacedMessage[];
}

/**
 * Holds a rule against mail already there, newest first, outside of any long transaction: each portion is a read of its
 * own, and between two of them everything else has its turn. The whole is no snapshot; a message that stays where it is
 * is looked at exactly once, because its place in the order never changes.
 */
export class FolderScan {
  readonly #database: Database;
  readonly #staging: MessageStaging;

  constructor(database: Database, staging: MessageStaging) {
    this.#database = database;
    this.#staging = staging;
  }

  /** The messages of these folders portion by portion; of the whole mailbox when none is named. */
  async *scan(
    owner: MailboxOwner,
    folderIds: readonly string[],
    rule: Rule,
  ): AsyncGenerator<ScannedMessages> {
    const needs = needsOf(rule);
    const text = JSON.stringify(rule);
    for await (const portion of this.#portions(owner, folderIds, needs)) {
      const matching: PlacedMessage[] = [];
      for (const [row, message] of await this.#read(owner, portion, needs)) {
        const [isMatched] = await matchRules(message, [text]);
        if (isMatched) matching.push(row);
        await giveWay();
      }
      yield { scanned: portion.length, bytes: bytesOf(portion), matching };
      await nextTurn();
    }
  }

  async *#portions(owner: MailboxOwner, folderIds: readonly string[], needs: Needs): AsyncGenerator<Sized[]> {
    let last: PlacedMessage | undefined;
    for (;;) {
      const after = last;
      const page = await this.#database.read(async (tx) => {
        const rows = await newestMessages(tx, owner, folderIds, after, MESSAGES_A_READ);
        const numbers = rows.map(({ number }) => number);
        const sizes =
          isNeeded(needs) && rows.length > 0 ? await measureContents(tx, owner, numbers, needs) : new Map();
        return rows.map((row): Sized => ({ row, bytes: sizes.get(row.number) ?? 0 }));
      });
      yield* portionsOf(page);
      last = page.at(-1)?.row;
      if (page.length < MESSAGES_A_READ) return;
    }
  }

  /** The messages of a portion as filters see them. */
  async #read(
    owner: MailboxOwner,
    portion: readonly Sized[],
    needs: Needs,
  ): Promise<[PlacedMessage, FilteredMessage][]> {
    const numbers = portion.map(({ row }) => row.number);
    const [records, locations] = await this.#database.read(async (tx) => [
      needs.record ? await listRecords(tx, owner, numbers) : new Map<number, string>(),
      needs.headers ? await listRawLocations(tx, owner, numbers) : new Map<number, RawLocation>(),
    ]);
    const read: [PlacedMessage, FilteredMessage][] = [];
    for (const { row } of portion) {
      const headers = await this.#headers(locations.get(row.number));
      read.push([row, storedMessage(row.item, records.get(row.number) ?? '', headers)]);
    }
    return read;
  }

  async #headers(location: RawLocation | undefined): Promise<DecodedHeader[]> {
    return location ? parseHeaders(await this.#staging.open(location)) : [];
  }
}

function isNeeded({ record, headers }: Needs): boolean {
  return record || headers;
}

/** A page in portions that fit into memory; a message that is larger than that is a portion of its own. */
function* portionsOf(page: readonly Sized[]): Generator<Sized[]> {
  let portion: Sized[] = [];
  let bytes = 0;
  for (const message of page) {
    if (portion.length > 0 && bytes + message.bytes > BYTES_A_READ) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(message);
    bytes += message.bytes;
  }
  if (portion.length > 0) yield portion;
}

function bytesOf(portion: readonly Sized[]): number {
  return portion.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What of a stored message, beside its summary, decides whether a rule matches it. */
function needsOf({ conditions }: Rule): Needs {
  return {
    record: conditions.some(({ field }) => field === 'to' || field === 'cc' || field === 'body'),
    headers: conditions.some(({ field }) => field.startsWith('header:')),
  };
}

/** What filters see of a message that is stored: the same as when it arrived. `summary` is JSON; "" stands for a record not needed. */
export function storedMessage(
  summary: string,
  record: string,
  headers: readonly DecodedHeader[],
): FilteredMessage {
  const { subject, from } = JSON.parse(summary);
  const { to = [], cc = [], text = '', html = '' } = JSON.parse(`{${record}}`);
  return { from: from === '' ? [] : [from], to, cc, subject, text, html, headers };
}

/** What of the mail already there a rule would match. */
export interface Previewed {
  scanned: number;
  matched: number;
  /** The newest that match. */
  shown: readonly PlacedMessage[];
}

/** Looks at messages until the bounds of a preview are reached, and keeps at most `limit` of those that match. */
export async function preview(portions: AsyncIterable<ScannedMessages>, limit: number): Promise<Previewed> {
  let [scanned, matched, bytes] = [0, 0, 0];
  const shown: PlacedMessage[] = [];
  for await (const portion of portions) {
    scanned += portion.scanned;
    bytes += portion.bytes;
    matched += portion.matching.length;
    shown.push(...portion.matching.slice(0, limit - shown.length));
    if (scanned >= PREVIEWED_MESSAGES || bytes >= PREVIEWED_BYTES) break;
  }
  return { scanned, matched, shown };
}
