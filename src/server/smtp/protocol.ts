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

/** RFC 5321, 4.5.3.1.8: at least a hundred. A client that has more is told to send the rest in another transaction. */
const MOST_RECIPIENTS = 100;

/** RFC 5321, 4.5.3.1.4 has 512, and every extension adds to it. */
const LONGEST_COMMAND = 4_096;

/** Nobody logs in here, and the rest are jokes or for proxies. */
const LEFT_OUT = ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

/** The protocol on connections that it is given; it does not listen itself. */
export interface Protocol {
  serve(socket: Socket): void;
  /** Those that have not been closed from here. */
  readonly connections: Iterable<Pick<SMTPConnection, 'id' | 'send'>>;
}

/** What the protocol is spoken with. `domain`: ours, as ASCII; `tls`: PEM texts, for STARTTLS. */
export interface ProtocolSettings {
  domain: string;
  tls: { cert: string; key: string } | undefined;
  /** 0 = no bound. */
  smtpConnectionsPerAddress: number;
}

/** `onBroken` hears of connections that fail. */
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
    // What is no address of ours is refused by name; of senders much is in use that the grammar forbids.
    lenientAddressParsing: true,
    // A name that the client's own DNS gives it proves nothing, and would make every connection wait.
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

/** As the method of the library of this name, which would make a connection of its own class. */
function connect(server: SMTPServer, socket: Socket): SMTPConnection {
  const connection = new ExactConnection(server, socket);
  server.connections.add(connection);
  connection.on('error', (error) => server.emit('error', error));
  connection.init();
  return connection;
}

/**
 * A connection of the library whose messages end, and lose the dots of their lines, exactly as RFC 5321, 4.5.2 says. The
 * library leaves the dot of ".a", removes one of "\n..", although only CRLF ends a line, and pauses for each dot that it
 * removes: a message of eight megabytes of dots would keep a connection for minutes.
 *
 * This is the one place that replaces a private method of the library: see docs/decisions/0016-end-of-smtp-messages.md.
 */
class ExactConnection extends SMTPConnection {
  /** A parser has the commands of a connection, and another one those after STARTTLS. */
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

/** A message that is given up is destroyed and never drains. */
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

/** What the bytes before the next one were. Only CRLF ends a line: a bare LF or CR is a byte like any other. */
type Place = 'in a line' | 'after CR' | 'at a line' | 'after its dot' | 'after its dot and CR';

/** The content of some bytes, and where the message has ended within them, what comes after. */
interface Decoded {
  content: Buffer;
  rest: Buffer | undefined;
}

/**
 * Takes the dots away that a client puts before lines that begin with one, and finds the end, the line of one dot
 * (RFC 5321, 4.5.2), however the message is cut into pieces. Linear in the size, whatever the bytes.
 */
export class DotDecoder {
  #place: Place = 'at a line';

  /** The next piece of the message. Not to be called after the end. */
  decode(piece: Buffer): Decoded {
    const content: Buffer[] = [];
    for (let at = 0; at < piece.length; ) {
      if (this.#place === 'in a line') {
        at = this.#passLines(piece, at, content);
      } else if (this.#place === 'after its dot and CR' && piece[at] === LF) {
        return { content: joined(content), rest: piece.subarray(at + 1) };
      } else if (this.#takes(piece[at], content)) at++;
    }
    return { content: joined(content), rest: undefined };
  }

  /** Passes over lines up to the next one that begins with a dot; answers the place after that. */
  #passLines(piece: Buffer, from: number, content: Buffer[]): number {
    const found = piece.indexOf(LINE_WITH_DOT, from);
    if (found >= 0) {
      content.push(piece.subarray(from, found + 2));
      this.#place = 'after its dot';
      return found + LINE_WITH_DOT.length;
    }
    const lines = piece.subarray(from);
    content.push(lines);
    if (lines.at(-1) === CR) this.#place = 'after CR';
    else if (lines.at(-1) === LF && lines.at(-2) === CR) this.#place = 'at a line';
    return piece.length;
  }

  /** Whether a byte about a line's beginning is dealt with; if not, it is to be looked at again in its new place. */
  #takes(byte: number | undefined, content: Buffer[]): boolean {
    const place = this.#place;
    this.#place = 'in a line';
    if (place === 'at a line' && byte === DOT) this.#place = 'after its dot';
    else if (place === 'after its dot' && byte === CR) this.#place = 'after its dot and CR';
    else if (place === 'after its dot and CR') {
      content.push(RETURN);
      this.#place = 'after CR';
      return false;
    } else if (place === 'after CR' && byte === LF) {
      content.push(LINE_FEED);
      this.#place = 'at a line';
    } else return false;
    return true;
  }
}

function joined(content: Buffer[]): Buffer {
  const [only = NOTHING] = content;
  return content.length < 2 ? only : Buffer.concat(content);
}
