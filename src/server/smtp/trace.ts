import { isIPv6 } from 'node:net';

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
export function traceHeaders(envelope: Envelope, domain: string, now: number): string {
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
