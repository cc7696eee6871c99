import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Config } from '../../start/config.ts';
import type { Protocol } from './protocol.ts';
import { type SessionDependencies, Sessions } from './sessions.ts';

/** How soon after its last reply a connection is ended when stopping. */
const LOOK_EVERY_MS = 20;

/** The door that mail comes in by. */
export interface SmtpDoor {
  /** Such as 127.0.0.1:2525. */
  address: string;
  /** Stops accepting, lets messages that are being received finish, and after `withinMs` ends what is left. */
  stop(withinMs: number): Promise<void>;
}

type SmtpConfig = Pick<Config, 'host' | 'domain' | 'tls' | 'smtpConnectionsPerAddress'> & {
  smtpPort: number;
};

/** Opens the door. Rejects where the address cannot be listened on. */
export async function openSmtpDoor(
  config: SmtpConfig,
  parts: Omit<SessionDependencies, 'domain'>,
): Promise<SmtpDoor> {
  // RFC 5321, 2.3.5: to a client that has not asked for more, a domain is ASCII.
  const door = new Door({ ...config, domain: domainToASCII(config.domain) }, parts);
  await door.listen();
  return door;
}

class Door implements SmtpDoor {
  readonly #config: SmtpConfig;
  readonly #log: SessionDependencies['log'];
  readonly #sessions: Sessions;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #protocol: Promise<Protocol> | undefined;

  constructor(config: SmtpConfig, parts: Omit<SessionDependencies, 'domain'>) {
    this.#config = config;
    this.#log = parts.log;
    this.#sessions = new Sessions({ ...parts, domain: config.domain });
    this.#listener = createServer((socket) => void this.#accept(socket));
  }

  get address(): string {
    const { port } = this.#listener.address() as AddressInfo;
    const { host } = this.#config;
    return `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  async listen(): Promise<void> {
    this.#listener.listen({ host: this.#config.host, port: this.#config.smtpPort });
    await once(this.#listener, 'listening');
  }

  async stop(withinMs: number): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    const protocol = await this.#protocol;
    const look = setInterval(() => this.#endIdle(protocol), LOOK_EVERY_MS);
    const deadline = setTimeout(() => this.#cut(), withinMs);
    this.#endIdle(protocol);
    try {
      await closed;
    } finally {
      clearInterval(look);
      clearTimeout(deadline);
    }
    await this.#sessions.settled();
  }

  async #accept(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Until the protocol listens to it, and when that has let it go, nobody else would.
    socket.on('error', (error) => this.#noteBroken(error));
    try {
      const protocol = await this.#loadProtocol();
      if (!socket.destroyed) protocol.serve(socket);
    } catch (err) {
      this.#log.error({ err }, 'an SMTP connection could not be served');
      socket.destroy();
    }
  }

  /** With the first connection: until mail comes, starting and idling cost nothing of it. */
  #loadProtocol(): Promise<Protocol> {
    this.#protocol ??= this.#startProtocol();
    return this.#protocol;
  }

  async #startProtocol(): Promise<Protocol> {
    const { smtpProtocol } = await import('./protocol.ts');
    return smtpProtocol(this.#sessions, this.#config, (error) => this.#noteBroken(error));
  }

  #noteBroken(err: Error): void {
    this.#log.debug({ err }, 'an SMTP connection broke');
  }

  /** Ends every connection that is not in the middle of a message; one that has its reply, once that is sent. */
  #endIdle(protocol: Protocol | undefined): void {
    for (const connection of protocol?.connections ?? []) {
      if (!this.#sessions.isReceiving(connection.id)) connection.send(421, 'Stopping, try again later');
    }
    for (const socket of this.#sockets) if (socket.writableEnded || !protocol) socket.destroySoon();
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
