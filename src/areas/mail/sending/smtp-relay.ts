import { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import type { SmtpRelay } from '../../../start/config.ts';
import { deferred, type Letter, type Outcome, type Relay } from './relay.ts';
import { outcomes, type RelayError } from './smtp-outcome.ts';
import { wireAddress } from './wire-address.ts';

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

  async send(letter: Letter): Promise<Outcome[]> {
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

  async #transmit({ id, sender, recipients, open }: Letter): Promise<Outcome[]> {
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
