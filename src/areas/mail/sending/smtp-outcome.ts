import type { Outcome } from './relay.ts';
import { wireAddress } from './wire-address.ts';

/** What the SMTP client tells of a refusal. */
export interface RelayError extends Error {
  /** Of the client: what failed, as EENVELOPE. */
  code?: string | undefined;
  /** The command that was answered, as "RCPT TO". */
  command?: string | undefined;
  response?: string | undefined;
  responseCode?: number | undefined;
  recipient?: string | undefined;
  rejectedErrors?: RelayError[] | undefined;
}

/**
 * What became of each recipient: those that the relay refused by themselves, and the others, who share the fate of the
 * message. `failure` is undefined where it was taken.
 */
export function outcomes(
  recipients: readonly string[],
  rejected: readonly RelayError[],
  failure: RelayError | undefined,
): Outcome[] {
  const errorOf = new Map(
    [...rejected, ...(failure?.rejectedErrors ?? [])].map((error) => [error.recipient ?? '', error]),
  );
  return recipients.map((address) => {
    const error = errorOf.get(wireAddress(address)) ?? failure;
    if (!error) return { address, result: 'taken' };
    return {
      address,
      result: isFinal(error) ? 'refused' : 'deferred',
      reply: error.response ?? error.message,
    };
  });
}

/**
 * RFC 5321, 4.2.1: 5yz says that the same will be refused again, where it answers the envelope or the message. What the
 * relay says to a connection or to a password is about the relay, and 503 about a session that went wrong.
 */
function isFinal({ code, command, responseCode }: RelayError): boolean {
  if (responseCode === undefined) return code === 'EMESSAGE';
  return responseCode >= 500 && responseCode !== 503 && /^(MAIL FROM|RCPT TO|DATA)$/.test(command ?? '');
}
