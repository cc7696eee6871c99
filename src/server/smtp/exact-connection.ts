import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { DotDecoder } from './dot-decoder.ts';

/**
 * A connection of the library whose messages end, and lose the dots of their lines, exactly as RFC 5321, 4.5.2 says. The
 * library leaves the dot of ".a", removes one of "\n..", although only CRLF ends a line, and pauses for each dot that it
 * removes: a message of eight megabytes of dots would keep a connection for minutes.
 *
 * This is the one place that replaces a private method of the library: see docs/decisions/0016-end-of-smtp-messages.md.
 */
export class ExactConnection extends SMTPConnection {
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
