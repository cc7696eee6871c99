import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server';
import type { CalendarService } from '../../areas/calendar/service.ts';
import type { DirectoryService } from '../../areas/directory/service.ts';
import type { MailService } from '../../areas/mail/service.ts';
import type { Database } from '../../storage/database.ts';
import { onBehalfOf } from '../../turns/current-user.ts';
import { networkOf } from '../network.ts';
import { type Envelope, receiveMessage } from './receive-message.ts';
import { type FoundRecipient, Recipients } from './recipients.ts';
import { asRefusal, noSuchMailbox, Refusal } from './replies.ts';

/** This many unknown recipients count as mistakes; each further one delays the reply longer. */
const FREE_REFUSALS = 10;

/** Milliseconds that each further refusal adds to the delay, and the maximum delay. */
const STEP_MS = 50;
const LATEST_MS = 1_000;

/** A connection ends after this many refusals. */
const MOST_REFUSALS = 100;

/**
 * The server forgets the refusals of a network after this many milliseconds without a new one, and remembers at most
 * this many networks.
 */
const FORGOTTEN_AFTER = 10 * 60_000;
const MOST_NETWORKS = 10_000;

/** Slows clients that probe for existing addresses. Clients that name existing recipients are never delayed. */
export class Probing {
  readonly #bySession = new Map<string, number>();
  readonly #byNetwork = new Map<string, { count: number; at: number }>();

  /** Must be awaited before a recipient is refused. Throws the refusal that ends the connection. */
  async refused(sessionId: string, remoteAddress: string): Promise<void> {
    const ofSession = (this.#bySession.get(sessionId) ?? 0) + 1;
    this.#bySession.set(sessionId, ofSession);
    const over = this.#count(networkOf(remoteAddress)) - FREE_REFUSALS;
    if (over > 0) await sleep(Math.min(over * STEP_MS, LATEST_MS), undefined, { ref: false });
    if (ofSession >= MOST_REFUSALS) throw new Refusal(421, 'Too many unknown recipients');
  }

  /** Drops the counter of a session whose connection has closed. */
  forget(sessionId: string): void {
    this.#bySession.delete(sessionId);
  }

  #count(network: string): number {
    const now = Date.now();
    const known = this.#byNetwork.get(network);
    const count = known && now - known.at < FORGOTTEN_AFTER ? known.count + 1 : 1;
    // The map is in order of the latest refusal, so its first key is the oldest.
    this.#byNetwork.delete(network);
    this.#byNetwork.set(network, { count, at: now });
    const [oldest] = this.#byNetwork.keys();
    if (oldest !== undefined && this.#byNetwork.size > MOST_NETWORKS) this.#byNetwork.delete(oldest);
    return count;
  }
}

/** The dependencies of SMTP sessions. */
export interface SessionDependencies {
  database: Database;
  directory: DirectoryService;
  mail: MailService;
  calendar: CalendarService;
  /** The mail domain of this server, as ASCII. */
  domain: string;
  log: Logger;
}

/** The parameters of MAIL FROM from the extensions in the EHLO reply: SIZE, 8BITMIME and SMTPUTF8. */
const MAIL_PARAMETERS = ['SIZE', 'BODY', 'SMTPUTF8'];

type Reply = (error?: Error | null) => void;

/** Handles the commands that the protocol library has parsed. */
export class Sessions {
  readonly #dependencies: SessionDependencies;
  readonly #users: Recipients;
  readonly #recipients = new WeakMap<SMTPServerAddress, FoundRecipient>();
  readonly #probing = new Probing();
  readonly #receiving = new Map<string, Promise<void>>();
  readonly #lastMail = new WeakMap<SMTPServerSession, number>();

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
    this.#users = new Recipients(dependencies.database, dependencies.directory);
  }

  /** The handlers that the library calls. */
  handlers(): Pick<SMTPServerOptions, 'onMailFrom' | 'onRcptTo' | 'onData' | 'onClose'> {
    return {
      onMailFrom: (address, _session, reply) => reply(unknownParameter(address, MAIL_PARAMETERS)),
      onRcptTo: (address, session, reply) => void this.#answer(this.#resolve(address, session), reply),
      onClose: ({ id }) => this.#probing.forget(id),
      onData: (content, session, reply) =>
        void this.#answer(this.#receive(content, session), (error) => reply(error, 'OK: delivered')),
    };
  }

  /** Whether the session of this id is receiving a message. */
  isReceiving(sessionId: string): boolean {
    return this.#receiving.has(sessionId);
  }

  /** The time of a session's latest progress with a message; undefined where it has sent none. */
  lastMailAt(session: SMTPServerSession): number | undefined {
    return this.isReceiving(session.id) ? Date.now() : this.#lastMail.get(session);
  }

  /** Resolves when no message is being received. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#receiving.values());
  }

  async #answer(work: Promise<void>, reply: Reply): Promise<void> {
    try {
      await work;
    } catch (error) {
      const refusal = asRefusal(error);
      if (refusal.cause !== undefined)
        this.#dependencies.log.error({ err: refusal.cause }, 'mail refused for now');
      return reply(refusal);
    }
    reply();
  }

  /** "SMTP in: only for addresses and aliases of active users". */
  async #resolve(address: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    const refusal = unknownParameter(address, []);
    if (refusal) throw refusal;
    const mailbox = this.#qualified(unquoted(address.address));
    const recipient = await this.#users.find(mailbox);
    if (!recipient) {
      await this.#probing.refused(session.id, session.remoteAddress);
      throw noSuchMailbox(address.address);
    }
    this.#recipients.set(address, recipient);
  }

  /** RFC 5321, 4.1.1.3: "postmaster" without a domain is the postmaster of this server's domain. */
  #qualified(address: string): string {
    return address.includes('@') ? address : `${address}@${this.#dependencies.domain}`;
  }

  async #receive(content: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const { envelope } = session;
    const recipients = envelope.rcptTo.map((address) => this.#recipients.get(address));
    const receiving = onBehalfOf(networkOf(session.remoteAddress), () =>
      receiveMessage(
        this.#dependencies,
        envelopeOf(session),
        recipients.filter((recipient) => recipient !== undefined),
        content,
      ),
    );
    this.#receiving.set(session.id, receiving);
    try {
      await receiving;
    } finally {
      this.#receiving.delete(session.id);
      this.#lastMail.set(session, Date.now());
    }
  }
}

/** RFC 5321, 4.1.2: `"grace"@example.org` and `"gr\ace"@example.org` are the mailbox `grace@example.org`. */
function unquoted(address: string): string {
  const [, local, rest = ''] = /^"((?:[^"\\]|\\.)*)"(@.*)?$/.exec(address) ?? [];
  return local === undefined ? address : `${local.replace(/\\(.)/g, '$1')}${rest}`;
}

/** RFC 5321, 4.1.1.11: "If an SMTP server does not recognize … one or more of the parameters … it will return code 555." */
function unknownParameter({ args }: SMTPServerAddress, known: readonly string[]): Refusal | undefined {
  const name = Object.keys(args || {}).find((key) => !known.includes(key));
  return name === undefined ? undefined : new Refusal(555, `The parameter ${name} is not known here`);
}

function envelopeOf(session: SMTPServerSession): Envelope {
  const { envelope, hostNameAppearsAs, remoteAddress, transmissionType, id, transaction } = session;
  return {
    helo: hostNameAppearsAs,
    remoteAddress,
    transmissionType,
    isUtf8: envelope.smtpUtf8 === true,
    sender: envelope.mailFrom ? envelope.mailFrom.address : '',
    recipients: envelope.rcptTo.map(({ address }) => address),
    id: `${id}.${transaction}`,
  };
}
