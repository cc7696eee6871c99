import type { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import { composeDeliveryReport, type FailedRecipient } from '../../../formats/messages/delivery-report.ts';
import { newId } from '../../../platform/ids.ts';
import type { MessageStaging, StagedMessage } from '../arrival/staging.ts';
import type { Outgoing } from './outbox-store.ts';

/** RFC 3464, 2: a report may return headers only. Readers need the first ones; the whole message is in Sent. */
const MAX_HEADERS = 32 * 1024;

/** Composes the report of failed recipients to a sender and stores its bytes. */
export async function stageBounce(
  staging: MessageStaging,
  outgoing: Outgoing,
  failed: readonly FailedRecipient[],
  { domain, now, original }: { domain: string; now: number; original: Readable | Uint8Array },
): Promise<StagedMessage> {
  const ownDomain = domainToASCII(domain);
  const report = await composeDeliveryReport({
    messageId: `<${newId('out')}@${ownDomain}>`,
    domain: ownDomain,
    date: new Date(now),
    sender: outgoing.sender,
    original: outgoing.message_id_header,
    headers: await headersOf(original),
    failed,
  });
  return staging.stage(report);
}

/** The first header fields of a message, none cut, up to MAX_HEADERS bytes. */
async function headersOf(original: Readable | Uint8Array): Promise<Uint8Array> {
  const start = await startOf(original);
  const end = start.indexOf('\r\n\r\n');
  if (end >= 0 && end < MAX_HEADERS) return start.subarray(0, end + 2);
  return start.subarray(0, start.lastIndexOf('\r\n', MAX_HEADERS) + 2);
}

async function startOf(original: Readable | Uint8Array): Promise<Buffer> {
  if (original instanceof Uint8Array) return Buffer.from(original);
  const read: Buffer[] = [];
  let size = 0;
  for await (const chunk of original) {
    read.push(chunk);
    size += chunk.length;
    if (size > MAX_HEADERS) break;
  }
  return Buffer.concat(read);
}
