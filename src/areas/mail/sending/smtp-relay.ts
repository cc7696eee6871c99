import { Readable } from 'node:stream';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { SmtpRelay } from '../../../start/config.ts';

/** A message for the relay. */
interface Letter {
  /** The same at every attempt: the envelope id of RFC 3461, for relays that know it. */
  id: string;
  /** The address of the envelope. */
  sender: string;
  recipients: readonly string[];
  open(): Promise<Readable | Uint8Array>;
}

/** What became of one recipient; `reply` is what the relay said, or what happened instead. */
export type RelayOutcome =
  | { address: string; result: 'taken' }
  | { address: string; result: 'deferred' | 'refused'; reply: string };

/** The server that takes mail for everywhere. */
export interface Relay {
  /** One attempt. Answers what became of each recipient, and never rejects. */
  send(letter: Letter): Promise<RelayOutcome[]>;
  /** Ends its connections; attempts that are under way are deferred. */
  close(): void;
}

/** Keeps what waits for a relay until one is set again. */
export const noRelay: Relay = {
  send: async ({ recipients }) => deferred(recipients, 'No relay is set (ATRIUM_SMTP_RELAY)'),
  close: () => undefined,
};

/** All of them are to be tried again. */
function deferred(recipients: readonly string[], reply: string): RelayOutcome[] {
  return recipients.map((address) => ({ address, result: 'deferred', reply }));
}

type Library = typeof import('nodemailer');
type Transport = ReturnType<typeof createTransport>;

/** Connections at once. */
export const RELAY_CONNECTIONS = 5;

/** Connections are kept for so long: shorter than any relay waits, so that none is found dead. */
const IDLE_MS = 5_000;

/** A relay that is spoken to by SMTP. Connects when there is something to send. */
export class SmtpRelayClient implements Relay {
  readonly #settings: SmtpRelay;
  readonly #domain: string;
  #transport: Transport | undefined;
  #sending = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  /** `domain` is what it introduces itself by. */
  constructor(settings: SmtpRelay, domain: string) {
    this.#settings = settings;
    this.#domain = domainToASCII(domain);
  }

  async send(letter: Letter): Promise<RelayOutcome[]> {
    this.#sending++;
    try {
      return await this.#transmit(letter);
    } catch (error) {
      return outcomes(letter.recipients, [], error as RelayError);
    } finally {
      this.#sending--;
      this.#rest();
    }
  }

  close(): void {
    this.#closed = true;
    this.#disconnect();
  }

  async #transmit({ id, sender, recipients, open }: Letter): Promise<RelayOutcome[]> {
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
      return outcomes(recipients, rejectedErrors, undefined);
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
    // What was read once cannot be sent again: the next attempt opens it anew.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

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
): RelayOutcome[] {
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

/** RFC 5322, 3.2.3, and RFC 6531, 3.3: letters of other scripts too. */
const DOT_ATOM = /^[^\s.@]+(\.[^\s.@]+)*$/;

/**
 * An address as the envelope has it. The domain is in its ASCII form, unless the local part needs SMTPUTF8 anyway (RFC
 * 6531, 3.7.1); a local part that is no dot-atom is quoted.
 */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const isAscii = /^[\x21-\x7e]*$/.test(local);
  const written = DOT_ATOM.test(local) ? local : `"${local}"`;
  return `${written}@${isAscii ? domainToASCII(domain) : domainToUnicode(domain)}`;
}
