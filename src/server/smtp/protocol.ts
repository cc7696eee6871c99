import type { Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { MAX_MESSAGE_BYTES } from '../../formats/messages/message.ts';
import { Admission } from './admission.ts';
import type { Sessions } from './sessions.ts';

/** RFC 5321, 4.5.3.2.7: a server waits for the next command for at least five minutes. */
const SILENCE_MS = 5 * 60_000;

const MOST_CONNECTIONS = 500;

/**
 * RFC 5321, 4.5.3.1.8: at least a hundred. The reply asks a client with more to send the rest in another transaction.
 */
const MOST_RECIPIENTS = 100;

/** RFC 5321, 4.5.3.1.4 requires 512, and every extension adds to it. */
const LONGEST_COMMAND = 4_096;

/** The server has no authentication; the other commands are jokes or for proxies. */
const LEFT_OUT = ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

/** The protocol on given connections; it does not listen on its own. */
export interface Protocol {
  serve(socket: Socket): void;
  /** The connections that the server has not closed. */
  readonly connections: Iterable<Pick<SMTPConnection, 'id' | 'send'>>;
}

/** The settings of the protocol. `domain`: the mail domain of this server, as ASCII; `tls`: PEM texts, for STARTTLS. */
export interface ProtocolSettings {
  domain: string;
  tls: { cert: string; key: string } | undefined;
  /** 0 = unlimited. */
  smtpConnectionsPerAddress: number;
}

/** Creates the protocol. `onBroken` receives the errors of connections. */
export function smtpProtocol(
  sessions: Sessions,
  { domain, tls, smtpConnectionsPerAddress }: ProtocolSettings,
  onBroken: (error: Error) => void,
): Protocol {
  const server = new SMTPServer({
    ...sessions.handlers(),
    ...(tls && { ...tls, minVersion: 'TLSv1.2' }),
    disabledCommands: tls ? LEFT_OUT : [...LEFT_OUT, 'STARTTLS'],
    hideENHANCEDSTATUSCODES: false,
    name: domain,
    banner: 'Atrium',
    heloResponse: '%s at your service',
    size: MAX_MESSAGE_BYTES,
    rejectOversized: true,
    maxRecipients: MOST_RECIPIENTS,
    maxCommandLength: LONGEST_COMMAND,
    socketTimeout: SILENCE_MS,
    // RCPT TO refuses an unknown address by name; many senders in use violate the grammar.
    lenientAddressParsing: true,
    // The reverse DNS of a client proves nothing, and the lookup would delay every connection.
    disableReverseLookup: true,
    logger: false,
  });
  server.on('error', onBroken);
  const admission = new Admission(server.connections, {
    name: domain,
    most: MOST_CONNECTIONS,
    perAddress: smtpConnectionsPerAddress,
    lastMailAt: (session) => sessions.lastMailAt(session),
  });
  const serve = (socket: Socket) => {
    if (admission.admits(socket)) admission.begun(connect(server, socket));
  };
  return { serve, connections: server.connections };
}

/** Replaces the library's method of this name, which would create a connection of its own class. */
function connect(server: SMTPServer, socket: Socket): SMTPConnection {
  const connection = new ExactConnection(server, socket);
  server.connections.add(connection);
  connection.on('error', (error) => server.emit('error', error));
  connection.init();
  return connection;
}

/**
 * A connection of the library that ends messages, and removes the dots of their lines, exactly as RFC 5321, 4.5.2
 * requires. The library leaves the dot of ".a", removes one of "\n..", although only CRLF ends a line, and pauses for
 * each removed dot: a message of eight megabytes of dots would occupy a connection for minutes.
 *
 * Only this class replaces a private method of the library: see docs/decisions/0016-end-of-smtp-messages.md.
 */
class ExactConnection extends SMTPConnection {
  /** A connection has one parser for its commands, and another one after STARTTLS. */
  override _createParser(): SMTPStream {
    const parser = super._createParser();
    let decoder = new DotDecoder();
    parser._feedDataStream = (chunk, done) => {
      const { content, rest } = decoder.decode(chunk);
      parser._countDataBytes(content.length);
      const message = parser._dataStream;
      if (rest) {
        decoder = new DotDecoder();
        parser._endDataMode(content, rest, done);
      } else if (!message?.writable || content.length === 0 || message.write(content)) done();
      else whenWritable(message, done);
    };
    return parser;
  }
}

/** Waits for "drain" or "close": an abandoned message is destroyed and never drains. */
function whenWritable(message: NodeJS.EventEmitter, done: () => void): void {
  const proceed = () => {
    message.removeListener('drain', proceed);
    message.removeListener('close', proceed);
    done();
  };
  message.once('drain', proceed);
  message.once('close', proceed);
}

const LF = 10;
const CR = 13;
const DOT = 46;
const LINE_FEED = Buffer.from('\n');
const RETURN = Buffer.from('\r');
const LINE_WITH_DOT = Buffer.from('\r\n.');
const NOTHING = Buffer.alloc(0);

/** The state before the next byte. Only CRLF ends a line: a bare LF or CR is an ordinary byte. */
type LineState = 'in a line' | 'after CR' | 'at a line' | 'after its dot' | 'after its dot and CR';

/** The decoded content, and the bytes after the end of the message if the end was found. */
interface Decoded {
  content: Buffer;
  rest: Buffer | undefined;
}

/**
 * Removes the dots that a client adds to lines that begin with one, and finds the end, a line of one dot (RFC 5321,
 * 4.5.2), however the message is split into chunks. Linear in the size, for any bytes.
 */
export class DotDecoder {
  #state: LineState = 'at a line';

  /** Decodes the next chunk of the message. Must not be called after the end. */
  decode(piece: Buffer): Decoded {
    const content: Buffer[] = [];
    for (let at = 0; at < piece.length; ) {
      if (this.#state === 'in a line') {
        at = this.#passLines(piece, at, content);
      } else if (this.#state === 'after its dot and CR' && piece[at] === LF) {
        return { content: joined(content), rest: piece.subarray(at + 1) };
      } else if (this.#takes(piece[at], content)) at++;
    }
    return { content: joined(content), rest: undefined };
  }

  /** Skips lines up to the next one that begins with a dot; returns the offset after this dot. */
  #passLines(piece: Buffer, from: number, content: Buffer[]): number {
    const found = piece.indexOf(LINE_WITH_DOT, from);
    if (found >= 0) {
      content.push(piece.subarray(from, found + 2));
      this.#state = 'after its dot';
      return found + LINE_WITH_DOT.length;
    }
    const lines = piece.subarray(from);
    content.push(lines);
    if (lines.at(-1) === CR) this.#state = 'after CR';
    else if (lines.at(-1) === LF && lines.at(-2) === CR) this.#state = 'at a line';
    return piece.length;
  }

  /** Whether a byte at the beginning of a line is consumed; if not, it must be examined again in the new state. */
  #takes(byte: number | undefined, content: Buffer[]): boolean {
    const state = this.#state;
    this.#state = 'in a line';
    if (state === 'at a line' && byte === DOT) this.#state = 'after its dot';
    else if (state === 'after its dot' && byte === CR) this.#state = 'after its dot and CR';
    else if (state === 'after its dot and CR') {
      content.push(RETURN);
      this.#state = 'after CR';
      return false;
    } else if (state === 'after CR' && byte === LF) {
      content.push(LINE_FEED);
      this.#state = 'at a line';
    } else return false;
    return true;
  }
}

function joined(content: Buffer[]): Buffer {
  const [only = NOTHING] = content;
  return content.length < 2 ? only : Buffer.concat(content);
}
