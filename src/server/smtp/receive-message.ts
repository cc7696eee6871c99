import { isIPv6 } from 'node:net';
import type { SMTPServerDataStream } from 'smtp-server';
import type { CalendarService } from '../../areas/calendar/service.ts';
import type { DirectoryService } from '../../areas/directory/service.ts';
import { HeavyFilters, type MailService, type StagedMessage } from '../../areas/mail/service.ts';
import { type Database, StorageUnavailable, type WriteTransaction } from '../../storage/database.ts';
import { type FoundRecipient, stillStands } from './recipients.ts';
import { noSuchMailbox, Refusal } from './replies.ts';

/** What the SMTP session states about a message before its content. */
export interface Envelope {
  /** The name that the client gave in EHLO or HELO. */
  helo: string;
  remoteAddress: string;
  /** The protocol, such as "ESMTPS" (RFC 3848). */
  transmissionType: string;
  /** Whether the client asked for SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  /** "" for a bounce. */
  sender: string;
  recipients: readonly string[];
  /** Identifies the transaction in the logs of both servers. */
  id: string;
}

/**
 * The trace fields that the final delivery adds before a message (RFC 5321, 4.4). `domain`: the mail domain of this
 * server; `now`: milliseconds.
 */
function traceHeaders(envelope: Envelope, domain: string, now: number): string {
  const { helo, remoteAddress, sender, recipients, id } = envelope;
  const [only] = recipients;
  // Naming one of several recipients would reveal it to all of them (RFC 5321, 7.2).
  const purpose = recipients.length === 1 && only !== undefined ? `\r\n for <${only}>` : '';
  return [
    `Return-Path: <${sender}>\r\n`,
    `Received: from ${hostName(helo)} (${addressLiteral(remoteAddress)})\r\n`,
    ` by ${domain} (Atrium) with ${protocol(envelope)} id ${id}${purpose};\r\n`,
    ` ${new Date(now).toUTCString().replace('GMT', '+0000')}\r\n`,
  ].join('');
}

/** RFC 6531, 4.3: with SMTPUTF8 the protocol has its own name. */
function protocol({ transmissionType, isUtf8 }: Envelope): string {
  return isUtf8 ? transmissionType.replace('ESMTP', 'UTF8SMTP') : transmissionType;
}

/** Keeps only the characters of a domain or an address literal: others could end the clause or open a comment. */
function hostName(helo: string): string {
  return helo.replace(/[^\p{L}\p{N}\p{M}.:_[\]-]/gu, '?');
}

/** RFC 5321, 4.1.3. */
function addressLiteral(address: string): string {
  return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`;
}

/** The dependencies of a delivery. */
interface Delivering {
  database: Database;
  directory: DirectoryService;
  mail: MailService;
  calendar: CalendarService;
  /** The mail domain, as ASCII. */
  domain: string;
}

/**
 * Receives a message and delivers it to every recipient in one transaction; takes the answer to an invitation that it
 * brings. Resolves when the message is durable;
 * when it rejects, nothing is stored. The rest of an abandoned message is read and discarded, because the reply
 * follows its end.
 */
export async function receiveMessage(
  { database, directory, mail, calendar, domain }: Delivering,
  envelope: Envelope,
  recipients: readonly FoundRecipient[],
  content: SMTPServerDataStream,
): Promise<void> {
  const deliveredAt = Date.now();
  const trace = Buffer.from(traceHeaders(envelope, domain, deliveredAt));
  const source = withTrace(trace, content);
  try {
    const message = await mail.receive(source, recipients[0]?.workspaceId);
    await orDiscard(message, async () => {
      const reply = await calendar.readReply(recipients, envelope.sender, message);
      const deliver = (filtered: StagedMessage) =>
        database.write(async (tx) => {
          const { sender, remoteAddress: remote } = envelope;
          const confirm = () => refuseDeparted(tx, directory, recipients);
          if (reply) await calendar.lockForReply(tx, reply);
          await mail.deliver(tx, recipients, filtered, { sender, deliveredAt, remote, confirm });
          if (reply) await calendar.takeReply(tx, reply);
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

/**
 * Whether the client closed the connection within the message: nobody waits for a reply then, and the server has not
 * failed.
 */
function hasVanished(content: SMTPServerDataStream): boolean {
  return content.destroyed && !content.readableEnded;
}

/** Throws when the client sends more than the announced size: no client may fill the disk before its refusal. */
async function* withTrace(trace: Buffer, content: SMTPServerDataStream): AsyncGenerator<Uint8Array> {
  yield trace;
  // The rest is discarded, not destroyed: the reply belongs after the end of the message.
  for await (const piece of content.iterator({ destroyOnReturn: false })) {
    if (content.sizeExceeded) throw new Refusal(552, 'The message is too large');
    yield piece;
  }
}

/**
 * Refuses a message whose recipients have changed: an address that had a user when the client named it may have none
 * when the message has arrived. If other recipients remain, the client must retry: then it gets a reply for each
 * recipient. Rejects with WorkspaceAway where a workspace has left meanwhile.
 */
async function refuseDeparted(
  tx: WriteTransaction,
  directory: DirectoryService,
  recipients: readonly FoundRecipient[],
): Promise<void> {
  const workspaces = new Set(recipients.map(({ workspaceId }) => workspaceId));
  const doubtful = recipients.filter((recipient) => !stillStands(tx, recipient));
  // Concurrent queries share one round trip to the database.
  const [, found] = await Promise.all([
    Promise.all(Array.from(workspaces, (id) => tx.join(id))),
    Promise.all(doubtful.map((one) => directory.findRecipient(tx, one.address, one))),
  ]);
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
    // After a failure of the storage, the commit may still have succeeded: only a later sweep can decide.
    if (!(error instanceof StorageUnavailable)) await message.discard();
    throw error;
  }
}
