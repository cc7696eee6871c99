import type { Readable } from 'node:stream';
import { formatAddress } from './addresses.ts';

/** A recipient who did not get the message, and the last reply about that recipient. */
export interface FailedRecipient {
  address: string;
  /** The last reply, as "550 5.1.1 No such user", or a description of the failure. */
  reply: string;
}

/** An undeliverable message and its failed recipients. */
export interface FailedMessage {
  messageId: string;
  /** The domain of the reporting server. */
  domain: string;
  date: Date;
  sender: string;
  /** The Message-ID of the undelivered message; "" when it has none. */
  original: string;
  /** The unchanged header section of the undelivered message. */
  headers: Uint8Array;
  failed: readonly FailedRecipient[];
}

/** Composes the non-delivery report to the sender (RFC 3464, in the form of RFC 6522). */
export async function composeDeliveryReport(report: FailedMessage): Promise<Readable> {
  // Only sending needs this library.
  const { default: MimeNode } = await import('nodemailer/lib/mime-node');
  const root = new MimeNode('multipart/report; report-type=delivery-status');
  root.setHeader({
    from: { name: 'Mail Delivery System', address: `MAILER-DAEMON@${report.domain}` },
    to: { name: '', address: report.sender },
    subject: 'Undelivered mail returned to sender',
    'message-id': report.messageId,
    date: report.date,
    // RFC 3834 5: prevents automatic replies.
    'auto-submitted': 'auto-replied',
    ...(report.original ? { 'in-reply-to': report.original, references: report.original } : {}),
  });
  root.createChild('text/plain; charset=utf-8').setContent(explanation(report));
  // RFC 6533 3: a global status holds non-ASCII addresses unchanged.
  const isGlobal = /[^\x20-\x7e]/.test(report.failed.map(({ address }) => address).join(''));
  const status = isGlobal ? 'message/global-delivery-status' : 'message/delivery-status';
  root.createChild(status).setContent(deliveryStatus(report, isGlobal));
  root.createChild('text/rfc822-headers').setContent(Buffer.from(report.headers).toString());
  return root.createReadStream();
}

function explanation({ failed }: FailedMessage): string {
  const lines = failed.map(({ address, reply }) => `${formatAddress({ name: '', address })}: ${reply}`);
  const text = ['Your message could not be delivered to:', '', ...lines, '', 'It will not be tried again.'];
  return `${text.join('\r\n')}\r\n`;
}

/** RFC 3464 2.1: the per-message fields, then the fields of each recipient, separated by empty lines. */
function deliveryStatus({ domain, date, failed }: FailedMessage, isGlobal: boolean): string {
  const type = isGlobal ? 'utf-8' : 'rfc822';
  const groups = failed.map(({ address, reply }) => [
    `Final-Recipient: ${type}; ${address}`,
    'Action: failed',
    `Status: ${statusOf(reply)}`,
    `Diagnostic-Code: smtp; ${oneLine(reply)}`,
    `Last-Attempt-Date: ${date.toUTCString().replace('GMT', '+0000')}`,
  ]);
  return [[`Reporting-MTA: dns; ${domain}`], ...groups]
    .map((group) => `${group.join('\r\n')}\r\n`)
    .join('\r\n');
}

/** RFC 3463: the enhanced code in the reply when it reports a failure; else the code of the reply's class. */
function statusOf(reply: string): string {
  const given = /^\d{3}[ -]([45]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1];
  if (given) return given;
  // 4.4.7: delivery time expired.
  return reply.startsWith('5') ? '5.0.0' : '4.4.7';
}

function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ');
}
