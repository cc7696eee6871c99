import type { RawLocation } from '../../../blobs/staging.ts';
import { JsonText } from '../../../contract/answers.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { parseHeaders } from '../../../formats/messages/parse.ts';
import type { Database, ReadTransaction } from '../../../storage/database.ts';
import { giveWay, nextTurn } from '../../../turns/next-turn.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import { getFolder } from '../folders/folders.ts';
import { newestMessages, type PositionedMessage } from '../listing/listing.ts';
import type { MailboxOwner } from '../owner.ts';
import type { DecodedHeader, FilteredMessage } from './filtered-message.ts';
import { matchRules } from './match-rules.ts';
import { listRawLocations, listRecords, measureContents, type Needs } from './scan-store.ts';
import { PREVIEWED_BYTES, PREVIEWED_MESSAGES, PreviewRequest, type Rule, SHOWN } from './schema.ts';

/** How many messages one read transaction lists, and how many bytes of them are in memory at once. */
const MESSAGES_A_READ = 200;
const BYTES_A_READ = 4 * 1024 * 1024;

/** A message with the number of bytes to be read for it. */
interface Sized {
  row: PositionedMessage;
  bytes: number;
}

/** One portion of a scan, newest message first. */
export interface ScannedMessages {
  scanned: number;
  /** Bytes read for the portion, beside the summaries. */
  bytes: number;
  matching: PositionedMessage[];
}

/**
 * Evaluates a rule on stored mail, newest first, without a long transaction: each portion is read in its own
 * transaction, and other requests get a turn in between. The scan is not one snapshot; a message that stays in its
 * folder is examined exactly once, because its position in the order never changes.
 */
export class FolderScan {
  readonly #database: Database;
  readonly #staging: MessageStaging;

  constructor(database: Database, staging: MessageStaging) {
    this.#database = database;
    this.#staging = staging;
  }

  /** Scans these folders portion by portion; the whole mailbox when none is named. */
  async *scan(
    owner: MailboxOwner,
    folderIds: readonly string[],
    rule: Rule,
  ): AsyncGenerator<ScannedMessages> {
    const needs = needsOf(rule);
    const text = JSON.stringify(rule);
    for await (const portion of this.#portions(owner, folderIds, needs)) {
      const matching: PositionedMessage[] = [];
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
    let last: PositionedMessage | undefined;
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
  ): Promise<[PositionedMessage, FilteredMessage][]> {
    const numbers = portion.map(({ row }) => row.number);
    const [records, locations] = await this.#database.read(async (tx) => [
      needs.record ? await listRecords(tx, owner, numbers) : new Map<number, string>(),
      needs.headers ? await listRawLocations(tx, owner, numbers) : new Map<number, RawLocation>(),
    ]);
    const read: [PositionedMessage, FilteredMessage][] = [];
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

/** Splits a page into portions of at most BYTES_A_READ; a larger message is a portion of its own. */
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

/** The data beside the summary that the conditions of a rule examine. */
function needsOf({ conditions }: Rule): Needs {
  return {
    record: conditions.some(({ field }) => field === 'to' || field === 'cc' || field === 'body'),
    headers: conditions.some(({ field }) => field === 'list' || field.startsWith('header:')),
  };
}

/**
 * A stored message as filters see it: the same as on arrival. `summary` is JSON; `record` is "" if it is not needed.
 */
export function storedMessage(
  summary: string,
  record: string,
  headers: readonly DecodedHeader[],
): FilteredMessage {
  const { subject, from, size: bytes, has_attachments: hasAttachments } = JSON.parse(summary);
  const { to = [], cc = [], text = '', html = '' } = JSON.parse(`{${record}}`);
  return { from: from === '' ? [] : [from], to, cc, subject, text, html, headers, bytes, hasAttachments };
}

/** What a scan reads. */
export interface ScanDependencies {
  database: Database;
  staging: MessageStaging;
}

/** Scans the stored mail for messages that a rule would match, before the transaction of the preview. */
export async function findMatching(
  { database, staging }: ScanDependencies,
  owner: MailboxOwner,
  asked: PreviewRequest,
): Promise<PreviewResult> {
  requireValues(PreviewRequest, asked);
  const { rule, folder_id: folderId, limit } = asked;
  const portions = new FolderScan(database, staging).scan(
    owner,
    folderId === undefined ? [] : [folderId],
    rule,
  );
  return preview(portions, Math.min(limit ?? SHOWN.default, SHOWN.cap));
}

/** The preview as JSON. Throws ApiError not_found for an unknown folder. */
export async function getPreview(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string | undefined,
  { scanned, matched, newest }: PreviewResult,
): Promise<JsonText> {
  if (folderId !== undefined) await getFolder(tx, owner, folderId);
  const messages = newest.map(({ item }) => item).join(',');
  return new JsonText(`{"scanned":${scanned},"matched":${matched},"messages":[${messages}]}`);
}

/** The stored messages that a rule would match. */
export interface PreviewResult {
  scanned: number;
  matched: number;
  /** The newest matching messages. */
  newest: readonly PositionedMessage[];
}

/** Counts matches until the bounds of a preview are reached; returns at most `limit` matching messages. */
export async function preview(
  portions: AsyncIterable<ScannedMessages>,
  limit: number,
): Promise<PreviewResult> {
  let [scanned, matched, bytes] = [0, 0, 0];
  const newest: PositionedMessage[] = [];
  for await (const portion of portions) {
    scanned += portion.scanned;
    bytes += portion.bytes;
    matched += portion.matching.length;
    newest.push(...portion.matching.slice(0, limit - newest.length));
    if (scanned >= PREVIEWED_MESSAGES || bytes >= PREVIEWED_BYTES) break;
  }
  return { scanned, matched, newest };
}
