import type { Socket } from 'node:net';
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { networkOf } from '../network.ts';

/** Above this share of all connections, connections without mail are closed. */
const NEARLY_FULL = 0.8;

/** Milliseconds that a connection may send no mail while the server is nearly full. */
const PATIENCE_WHEN_FULL = 10_000;

/** Milliseconds that a refused client has to read the reply. */
const TIME_TO_LEAVE = 5_000;

/** The limits that keep one host from occupying all connections. */
export interface ConnectionBounds {
  /** The name of the server in its replies. */
  name: string;
  most: number;
  /** 0 = unlimited. */
  perAddress: number;
  /** The time of a session's latest progress with a message; undefined where it has sent none. */
  lastMailAt(session: SMTPConnection['session']): number | undefined;
}

/** The members of a connection that the admission uses. */
type Connection = Pick<SMTPConnection, 'session' | 'remoteAddress' | 'send'>;

/**
 * Decides which connections are served, before the protocol knows them: a refused connection must not count against
 * others.
 */
export class Admission {
  readonly #bounds: ConnectionBounds;
  readonly #connections: ReadonlySet<Connection>;
  readonly #begun = new WeakMap<Connection, number>();

  constructor(connections: ReadonlySet<Connection>, bounds: ConnectionBounds) {
    this.#connections = connections;
    this.#bounds = bounds;
  }

  /** Whether another connection from this address is served. A refused connection gets the reason and is closed. */
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

  /** Must be called for each connection that is served. */
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
  // Its data is discarded: unread data would hide the end of the connection.
  socket.resume();
  setTimeout(() => socket.destroy(), TIME_TO_LEAVE).unref();
}
