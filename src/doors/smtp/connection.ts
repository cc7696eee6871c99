import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { DotDecoder } from './dot-decoder.ts';
import { MessageContent } from './message-content.ts';

/** Serves the protocol on a connection. */
export function serveConnection(protocol: SMTPServer, socket: Socket): void {
  const connection = new Connection(protocol, socket);
  protocol.connections.add(connection);
  connection.on('error', (error) => protocol.emit('error', error));
  connection.init();
}

/** A connection of the library that greets at once, and whose messages end and are unstuffed by the letter. */
class Connection extends SMTPConnection {
  #isHeld = false;

  /** The library lets every client wait for 100 ms, to catch those that do not wait at all. */
  override init(): void {
    this._setListeners(() => {
      const { maxClients = Number.POSITIVE_INFINITY } = this._server.options;
      if (this._server.connections.size <= maxClients) this.connectionReady();
      else this.send(421, `${this.name} has too many connections, try again in a moment`, false);
    });
  }

  /** Replies to pipelined commands leave together (RFC 2920, 3.2): each packet costs as much as the work it tells of. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (!this.#isHeld) this.#holdForThisTurn(this._socket);
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
