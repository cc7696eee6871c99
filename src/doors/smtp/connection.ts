import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { DotDecoder } from './dot-decoder.ts';
import { MessageContent } from './message-content.ts';
import { networkOf } from './network.ts';

/** From this share of all connections on, those that bring no mail make room. */
const NEARLY_FULL = 0.8;

/** So long a connection may bring no mail while the door is nearly full, in milliseconds. */
const PATIENCE_WHEN_FULL = 10_000;

/** What keeps one host from taking all connections. */
export interface ConnectionBounds {
  /** 0 = no bound. */
  perAddress: number;
  /** Whether the session of this id is receiving a message. */
  isBusy(id: string): boolean;
}

/** Serves the protocol on a connection. */
export function serveConnection(protocol: SMTPServer, socket: Socket, bounds: ConnectionBounds): void {
  const connection = new Connection(protocol, socket, bounds);
  protocol.connections.add(connection);
  connection.on('error', (error) => protocol.emit('error', error));
  connection.init();
}

/** A connection of the library that greets at once, and whose messages end and are unstuffed by the letter. */
class Connection extends SMTPConnection {
  readonly #bounds: ConnectionBounds;
  #isHeld = false;
  /** When it last got on with a message: commands that do nothing hold no place. */
  #lastUse = Date.now();

  constructor(protocol: SMTPServer, socket: Socket, bounds: ConnectionBounds) {
    super(protocol, socket);
    this.#bounds = bounds;
  }

  /** The library lets every client wait for 100 ms, to catch those that do not wait at all. */
  override init(): void {
    this._setListeners(() => {
      const { maxClients = Number.POSITIVE_INFINITY } = this._server.options;
      const { size } = this._server.connections;
      if (size > maxClients * NEARLY_FULL) this.#endIdle();
      if (this.#exceedsAddress()) {
        this.send(421, `${this.name} has too many connections from your address, close one first`, false);
      } else if (size <= maxClients) this.connectionReady();
      else this.send(421, `${this.name} has too many connections, try again in a moment`, false);
    });
  }

  #exceedsAddress(): boolean {
    const { perAddress } = this.#bounds;
    if (perAddress === 0) return false;
    const network = networkOf(this.remoteAddress);
    let count = 0;
    for (const { remoteAddress } of this._server.connections)
      if (networkOf(remoteAddress) === network) count++;
    return count > perAddress;
  }

  #endIdle(): void {
    const before = Date.now() - PATIENCE_WHEN_FULL;
    for (const other of this._server.connections) {
      if (!(other instanceof Connection) || other.#lastUse > before || this.#bounds.isBusy(other.id))
        continue;
      other.send(421, `${this.name} has many connections, and this one brings no mail`, false);
    }
  }

  /** Replies to pipelined commands leave together (RFC 2920, 3.2): each packet costs as much as the work it tells of. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (!this.#isHeld) this.#holdForThisTurn(this._socket);
    if (code === 354 || this.#bounds.isBusy(this.id)) this.#lastUse = Date.now();
    super.send(code, data, context);
  }

  #holdForThisTurn(socket: Socket): void {
    this.#isHeld = true;
    socket.cork();
    setImmediate(() => {
      this.#isHeld = false;
      socket.uncork();
    });
  }

  override _createParser(): SMTPStream {
    const parser = new CommandsAndMessages(this._server.options);
    parser.oncommand = (command, callback) => this._onCommand(command, callback);
    parser.on('error', (error) => this.send(421, `Error: ${error.message}`));
    return parser;
  }
}

/**
 * The library leaves the dot of ".a", takes one of "\n..", and pauses for each that it takes: eight megabytes of dots
 * would keep it for minutes.
 */
class CommandsAndMessages extends SMTPStream {
  #decoder = new DotDecoder();

  override startDataMode(maxBytes?: number | string | null): SMTPServerDataStream {
    this.#decoder = new DotDecoder();
    this._dataMode = true;
    this._maxBytes = Number(maxBytes) || Number.POSITIVE_INFINITY;
    this.dataBytes = 0;
    // It has of a stream what the library uses.
    this._dataStream = new MessageContent() as unknown as SMTPServerDataStream;
    return this._dataStream;
  }

  override _feedDataStream(chunk: Buffer, done: () => void): void {
    const { content, rest } = this.#decoder.decode(chunk);
    this._countDataBytes(content.length);
    const message = this._dataStream;
    if (rest) this._endDataMode(content, rest, done);
    else if (!message?.writable || content.length === 0 || message.write(content)) done();
    else whenReadOn(message, done);
  }
}

/** A message that is given up is destroyed and never drains. */
function whenReadOn(message: NodeJS.EventEmitter, done: () => void): void {
  const goOn = () => {
    message.removeListener('drain', goOn);
    message.removeListener('close', goOn);
    done();
  };
  message.once('drain', goOn);
  message.once('close', goOn);
}
