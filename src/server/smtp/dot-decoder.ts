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
export interface Decoded {
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
