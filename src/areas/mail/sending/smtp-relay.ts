import { Readable } from 'node:stream';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { SmtpRelay } from '../../../start/config.ts';

/** A message for the relay. */
interface RelayMessage {
  /** The envelope id of RFC 3461, 4.4: the same at every attempt. */
  id: string;
  /** The sender of the envelope. */
  sender: string;
  recipients: readonly string[];
  open(): Promise<Readable | Uint8Array>;
}

/** The result for one recipient. `reply`: the reply of the relay, or the error if there was none. */
export type RecipientResult =
  | { address: string; result: 'taken' }
  | { address: string; result: 'deferred' | 'refused'; reply: string };

/** The server that forwards mail to all other servers. */
export interface Relay {
  /** Makes one attempt. Returns the result for each recipient; never rejects. */
  send(message: RelayMessage): Promise<RecipientResult[]>;
  /** Closes the connections; attempts under way are deferred. */
  close(): void;
}

/** Used when no relay is set: defers waiting messages until one is set again. */
export const noRelay: Relay = {
  send: async ({ recipients }) => deferred(recipients, 'No relay is set (ATRIUM_SMTP_RELAY)'),
  close: () => undefined,
};

function deferred(recipients: readonly string[], reply: string): RecipientResult[] {
  return recipients.map((address) => ({ address, result: 'deferred', reply }));
}

type Library = typeof import('nodemailer');
type Transport = ReturnType<typeof createTransport>;

/** The maximum number of concurrent connections. */
export const RELAY_CONNECTIONS = 5;

/** Idle connections are closed after this time: before any relay would close them, so that none is found dead. */
const IDLE_MS = 5_000;

/** A client of an SMTP relay. Connects when there is a message to send. */
export class SmtpRelayClient implements Relay {
  readonly #settings: SmtpRelay;
  readonly #domain: string;
  #transport: Transport | undefined;
  #sending = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  /** `domain`: the name in its EHLO command. */
  constructor(settings: SmtpRelay, domain: string) {
    this.#settings = settings;
    this.#domain = domainToASCII(domain);
  }

  async send(message: RelayMessage): Promise<RecipientResult[]> {
    this.#sending++;
    try {
      return await this.#transmit(message);
    } catch (error) {
      return recipientResults(message.recipients, [], error as RelayError);
    } finally {
      this.#sending--;
      this.#rest();
    }
  }

  close(): void {
    this.#closed = true;
    this.#disconnect();
  }

  async #transmit({ id, sender, recipients, open }: RelayMessage): Promise<RecipientResult[]> {
    const library = await import('nodemailer');
    const content = await open();
    try {
      if (this.#closed) return deferred(recipients, 'The server is stopping');
      this.#transport ??= createTransport(library, this.#settings, this.#domain);
      const { rejectedErrors = [] } = await this.#transport.sendMail({
        raw: content instanceof Readable ? content : Buffer.from(content),
        envelope: { from: wireAddress(sender), to: recipients.map(wireAddress) },
        dsn: { id },
      });
      return recipientResults(recipients, rejectedErrors, undefined);
    } finally {
      if (content instanceof Readable) content.destroy();
    }
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#sending === 0) this.#idle = setTimeout(() => this.#disconnect(), IDLE_MS).unref();
  }

  #disconnect(): void {
    clearTimeout(this.#idle);
    this.#transport?.transporter.close?.({ force: true });
    this.#transport = undefined;
  }
}

function createTransport(
  { createTransport }: Library,
  { host, port, secure, auth }: SmtpRelay,
  name: string,
) {
  return createTransport({
    pool: true,
    host,
    port,
    secure,
    name,
    ...(auth ? { auth } : {}),
    maxConnections: RELAY_CONNECTIONS,
    // A stream cannot be read twice: the next attempt opens it again.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** An error of the SMTP client library. */
export interface RelayError extends Error {
  /** The error code of the library, e.g. EENVELOPE. */
  code?: string | undefined;
  /** The command that failed, e.g. "RCPT TO". */
  command?: string | undefined;
  response?: string | undefined;
  responseCode?: number | undefined;
  recipient?: string | undefined;
  rejectedErrors?: RelayError[] | undefined;
}

/**
 * The result for each recipient: `rejected` has errors of single recipients; all others share the result of the
 * message. `failure` is undefined if the relay accepted the message.
 */
export function recipientResults(
  recipients: readonly string[],
  rejected: readonly RelayError[],
  failure: RelayError | undefined,
): RecipientResult[] {
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
 * RFC 5321, 4.2.1: a 5yz reply to the envelope or to the message is permanent. A reply to the connection or to the
 * login concerns the relay itself, and 503 a broken session: both are temporary for the message.
 */
function isFinal({ code, command, responseCode }: RelayError): boolean {
  if (responseCode === undefined) return code === 'EMESSAGE';
  return responseCode >= 500 && responseCode !== 503 && /^(MAIL FROM|RCPT TO|DATA)$/.test(command ?? '');
}

/** RFC 5322, 3.2.3, and RFC 6531, 3.3: extended to letters of other scripts. */
const DOT_ATOM = /^[^\s.@]+(\.[^\s.@]+)*$/;

/**
 * An address in the form of the envelope. The domain is in ASCII form unless the local part needs SMTPUTF8 anyway (RFC
 * 6531, 3.7.1); a local part that is no dot-atom is quoted.
 */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const isAscii = /^[\x21-\x7e]*$/.test(local);
  const written = DOT_ATOM.test(local) ? local : `"${local}"`;
  return `${written}@${isAscii ? domainToASCII(domain) : domainToUnicode(domain)}`;
}
