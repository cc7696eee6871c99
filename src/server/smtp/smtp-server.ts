import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Config } from '../../start/config.ts';
import type { Protocol } from './protocol.ts';
import { type SessionDependencies, Sessions } from './sessions.ts';

/** Interval, while stopping, at which connections that have their last reply are closed. Milliseconds. */
const POLL_INTERVAL_MS = 20;

/** The SMTP server that receives mail. */
export interface SmtpServer {
  /** Such as 127.0.0.1:2525. */
  address: string;
  /**
   * Stops accepting connections, lets incoming messages finish, and closes the remaining connections after
   * `withinMs`.
   */
  stop(withinMs: number): Promise<void>;
}

type SmtpConfig = Pick<Config, 'host' | 'domain' | 'tls' | 'smtpConnectionsPerAddress'> & {
  smtpPort: number;
};

/** Starts the SMTP server. Rejects where it cannot listen on the address. */
export async function startSmtpServer(
  config: SmtpConfig,
  dependencies: Omit<SessionDependencies, 'domain'>,
): Promise<SmtpServer> {
  // RFC 5321, 2.3.5: without SMTPUTF8, a client sees domains in ASCII.
  const server = new ListeningServer({ ...config, domain: domainToASCII(config.domain) }, dependencies);
  await server.listen();
  return server;
}

class ListeningServer implements SmtpServer {
  readonly #config: SmtpConfig;
  readonly #log: SessionDependencies['log'];
  readonly #sessions: Sessions;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #protocol: Promise<Protocol> | undefined;

  constructor(config: SmtpConfig, dependencies: Omit<SessionDependencies, 'domain'>) {
    this.#config = config;
    this.#log = dependencies.log;
    this.#sessions = new Sessions({ ...dependencies, domain: config.domain });
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
    const look = setInterval(() => this.#endIdle(protocol), POLL_INTERVAL_MS);
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
    // Before the protocol adds its listener and after it has removed it, an error without a listener would end the
    // process.
    socket.on('error', (error) => this.#noteBroken(error));
    try {
      const protocol = await this.#loadProtocol();
      if (!socket.destroyed) protocol.serve(socket);
    } catch (err) {
      this.#log.error({ err }, 'an SMTP connection could not be served');
      socket.destroy();
    }
  }

  /** Loaded with the first connection: until mail arrives, it costs neither start-up time nor memory. */
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

  /** Ends every connection that is not receiving a message; a connection with a pending reply ends after this reply. */
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
