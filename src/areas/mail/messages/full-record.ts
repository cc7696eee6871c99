import type { RawLocation } from '../../../blobs/staging.ts';
import { JsonText } from '../../../contract/answers.ts';
import { jsonMembers } from '../../../contract/json.ts';
import { formatAddress, readFormatted } from '../../../formats/messages/addresses.ts';
import type { Address } from '../../../formats/messages/message.ts';
import { type MessageHead, parseHead } from '../../../formats/messages/parse.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import { type ListedAttachment, listAttachments } from './attachments.ts';
import type { StoredRecord } from './message-store.ts';
import { attachmentsOf, recordParts } from './record.ts';

/** Header fields that a full record shows. */
export const MOST_HEADERS = 200;

/** What the bytes of a message tell beside its stored record. Read when it is shown: mail of every age tells it alike. */
export interface ReadBytes {
  head: MessageHead;
  attachments: readonly ListedAttachment[];
}

/**
 * Reads the bytes of a message for its full record, outside of a transaction. `record` is the stored one. Rejects with
 * the errors of the blob store and TooManyWaiting.
 */
export async function readBytes(
  staging: MessageStaging,
  location: RawLocation,
  record: string,
): Promise<ReadBytes> {
  const head = await parseHead(await staging.open(location));
  return { head, attachments: await listAttachments(staging, location, attachmentsOf(record)) };
}

/** The full record of a message. */
export function fullRecord(stored: StoredRecord, { head, attachments }: ReadBytes): JsonText {
  const { members, record, appliedFilters, received } = stored;
  const parts = recordParts(record);
  const addresses = addressesOf(head, parts.bcc);
  const lists = jsonMembers({
    to: addresses.to.map(formatAddress),
    cc: addresses.cc.map(formatAddress),
    bcc: addresses.bcc.map(formatAddress),
    reply_to: addresses.reply_to.map(formatAddress),
    addresses,
    in_reply_to: parts.in_reply_to,
    references: parts.references,
    headers: head.shown.slice(0, MOST_HEADERS),
  });
  const rest = jsonMembers({
    attachments,
    ...(parts.truncated || head.shown.length > MOST_HEADERS ? { truncated: true } : {}),
  });
  const envelope = received === null ? '' : `,"received":${received}`;
  const filters = `"applied_filters":${appliedFilters ?? '[]'}`;
  return new JsonText(`{${members},${lists},${parts.texts},${rest},${filters}${envelope}}`);
}

/** Blind recipients of mail that was sent here stand in the stored record only. */
function addressesOf({ senders, to, cc, bcc, replyTo }: MessageHead, storedBcc: readonly string[]) {
  return {
    from: senders.from.map(picked),
    sender: senders.sender.map(picked),
    to: to.map(picked),
    cc: cc.map(picked),
    bcc: bcc.length > 0 ? bcc.map(picked) : storedBcc.map(readFormatted),
    reply_to: replyTo.map(picked),
  };
}

function picked({ name, address }: Address): Address {
  return { name, address };
}
