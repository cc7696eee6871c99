import type { Socket } from 'node:net';
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { networkOf } from '../network.ts';

/** From this share of all connections on, those that bring no mail make room. */
const NEARLY_FULL = 0.8;

/** So long a connection may bring no mail while the door is nearly full, in milliseconds. */
const PATIENCE_WHEN_FULL = 10_000;

/** So long a client that is refused may take to read why, in milliseconds. */
const TIME_TO_LEAVE = 5_000;

/** What keeps one host from taking all connections. */
export interface ConnectionBounds {
  /** What the server calls itself. */
  name: string;
  most: number;
  /** 0 = no bound. */
  perAddress: number;
  /** When a session last got on with a message; undefined where it has brought none. */
  lastMailAt(session: SMTPConnection['session']): number | undefined;
}

/** Of a connection, what is looked at and used. */
type Connection = Pick<SMTPConnection, 'session' | 'remoteAddress' | 'send'>;

/** Decides which connections are served: before the protocol knows of them, so that none takes the place of another. */
export class Admission {
  readonly #bounds: ConnectionBounds;
  readonly #connections: ReadonlySet<Connection>;
  readonly #begun = new WeakMap<Connection, number>();

  constructor(connections: ReadonlySet<Connection>, bounds: ConnectionBounds) {
    this.#connections = connections;
    this.#bounds = bounds;
  }

  /** Whether one more may come from there. One that may not is told why, and ended. */
  admits(socket: Socket): boolean {
    const { name, most } = this.#bounds;
    if (this.#connections.size + 1 > most * NEARLY_FULL) this.#endIdle();
    if (this.#exceedsAddress(socket.remoteAddress ?? ''))
      refuse(socket, `${name} has too many connections from your address, close one first`);
    else if (this.#connections.size + 1 > most)
      refuse(socket, `${name} has too many connections, try again in a moment`);
    else return true;
    return false;
  }

  /** To be told of each connection that is served. */
  begun(connection: Connection): void {
    this.#begun.set(connection, Date.now());
  }

  #exceedsAddress(address: string): boolean {
    const { perAddress } = this.#bounds;
    if (perAddress === 0) return false;
    const network = networkOf(address);
    let count = 1;
    for (const { remoteAddress } of this.#connections) if (networkOf(remoteAddress) === network) count++;
    return count > perAddress;
  }

  #endIdle(): void {
    const before = Date.now() - PATIENCE_WHEN_FULL;
    for (const connection of this.#connections) {
      const lastUse = this.#bounds.lastMailAt(connection.session) ?? this.#begun.get(connection) ?? 0;
      if (lastUse <= before)
        connection.send(421, `${this.#bounds.name} has many connections, and this one brings no mail`, false);
    }
  }
}

function refuse(socket: Socket, reason: string): void {
  socket.end(`421 ${reason}\r\n`);
  // What it sends is discarded: unread, it would keep the end of the connection from being seen.
  socket.resume();
  setTimeout(() => socket.destroy(), TIME_TO_LEAVE).unref();
}
