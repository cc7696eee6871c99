import { isIPv6 } from 'node:net';
import type { SMTPServerDataStream } from 'smtp-server';
import type { DirectoryService } from '../../areas/directory/service.ts';
import { HeavyFilters, type MailService, type StagedMessage } from '../../areas/mail/service.ts';
import { type Database, StorageUnavailable, type WriteTransaction } from '../../storage/database.ts';
import { type FoundRecipient, stillStands } from './recipients.ts';
import { noSuchMailbox, Refusal } from './replies.ts';

/** What is known of a message before its first byte. */
export interface Envelope {
  /** As the client calls itself. */
  helo: string;
  remoteAddress: string;
  /** "ESMTPS" and so on (RFC 3848). */
  transmissionType: string;
  /** Whether the client asked for SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  /** "" for a bounce. */
  sender: string;
  recipients: readonly string[];
  /** Names the transaction in both servers' logs. */
  id: string;
}

/**
 * The trace fields that the final delivery puts before a message (RFC 5321, 4.4). `domain`: ours; `now`: milliseconds.
 */
function traceHeaders(envelope: Envelope, domain: string, now: number): string {
  const { helo, remoteAddress, sender, recipients, id } = envelope;
  const [only] = recipients;
  // To name one of several would tell it to all of them (RFC 5321, 7.2).
  const purpose = recipients.length === 1 && only !== undefined ? `\r\n for <${only}>` : '';
  return [
    `Return-Path: <${sender}>\r\n`,
    `Received: from ${hostName(helo)} (${addressLiteral(remoteAddress)})\r\n`,
    ` by ${domain} (Atrium) with ${protocol(envelope)} id ${id}${purpose};\r\n`,
    ` ${new Date(now).toUTCString().replace('GMT', '+0000')}\r\n`,
  ].join('');
}

/** RFC 6531, 4.3: with SMTPUTF8 the protocol has a name of its own. */
function protocol({ transmissionType, isUtf8 }: Envelope): string {
  return isUtf8 ? transmissionType.replace('ESMTP', 'UTF8SMTP') : transmissionType;
}

/** Only what a domain or an address literal is made of: the rest could end the field's clause or open a comment. */
function hostName(helo: string): string {
  return helo.replace(/[^\p{L}\p{N}\p{M}.:_[\]-]/gu, '?');
}

/** RFC 5321, 4.1.3. */
function addressLiteral(address: string): string {
  return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`;
}

/** What a message is delivered with. */
interface Delivering {
  database: Database;
  directory: DirectoryService;
  mail: MailService;
  /** The mail domain, as ASCII. */
  domain: string;
}

/**
 * Takes a message in and delivers it to every recipient in one transaction. Resolves when it is durable; when it
 * rejects, nothing is stored. Leaves the rest of a message that it gives up to be passed over.
 */
export async function receiveMessage(
  { database, directory, mail, domain }: Delivering,
  envelope: Envelope,
  recipients: readonly FoundRecipient[],
  content: SMTPServerDataStream,
): Promise<void> {
  const deliveredAt = Date.now();
  const trace = Buffer.from(traceHeaders(envelope, domain, deliveredAt));
  const source = withTrace(trace, content);
  try {
    const message = await mail.receive(source);
    await orDiscard(message, async () => {
      const deliver = (filtered: StagedMessage) =>
        database.write(async (tx) => {
          await refuseDeparted(tx, directory, recipients);
          await mail.deliver(tx, recipients, filtered, { sender: envelope.sender, deliveredAt });
        });
      await deliver(message).catch(async (error) => {
        if (!(error instanceof HeavyFilters)) throw error;
        await deliver(await mail.filter(recipients, message));
      });
    });
  } catch (error) {
    throw hasVanished(content) ? new Refusal(451, 'The message did not arrive whole') : error;
  } finally {
    await source.return(undefined);
    content.resume();
  }
}

/** Whether the client went away in the middle: nobody waits for the reply then, and nothing failed here. */
function hasVanished(content: SMTPServerDataStream): boolean {
  return content.destroyed && !content.readableEnded;
}

/** Throws where the client goes on after the size that was announced: nobody is to fill the disk before being refused. */
async function* withTrace(trace: Buffer, content: SMTPServerDataStream): AsyncGenerator<Uint8Array> {
  yield trace;
  // What is left is passed over, not destroyed: the reply is for the end of the message.
  for await (const piece of content.iterator({ destroyOnReturn: false })) {
    if (content.sizeExceeded) throw new Refusal(552, 'The message is too large');
    yield piece;
  }
}

/**
 * Whom an address was found to be when the client named it, it may not be any more when the message has come. Where others
 * remain, the client is to come back for them: then it is told of each recipient apart.
 */
async function refuseDeparted(
  tx: WriteTransaction,
  directory: DirectoryService,
  recipients: readonly FoundRecipient[],
): Promise<void> {
  const doubtful = recipients.filter((recipient) => !stillStands(tx, recipient));
  // Asked together, all are one round trip to the database.
  const found = await Promise.all(doubtful.map(({ address }) => directory.findRecipient(tx, address)));
  const departed = doubtful.filter(({ userId }, i) => found[i]?.userId !== userId);
  const [first] = departed;
  if (first === undefined) return;
  if (departed.length === recipients.length) throw noSuchMailbox(first.address);
  throw new Refusal(451, `<${first.address}> takes no mail any more, try again for the others`);
}

async function orDiscard(message: StagedMessage, deliver: () => Promise<unknown>): Promise<void> {
  try {
    await deliver();
  } catch (error) {
    // Where storage failed, the commit may have been kept all the same: only a later sweep can tell.
    if (!(error instanceof StorageUnavailable)) await message.discard();
    throw error;
  }
}
