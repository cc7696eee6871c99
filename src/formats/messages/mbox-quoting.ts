const LF = 10;
const GREATER = 62;

/**
 * Undoes what writing to a mailbox file did to lines that look like separators: of each line matching
 * `^>+From ` one ">" goes (mboxrd). In an mboxo file, which does not quote quoted lines, the same is right for
 * ">From "; that ">>From " was written there by a person cannot be told.
 */
export function unquoteFromLines(message: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let done = 0;
  for (let at = message.indexOf('>From '); at >= 0; at = message.indexOf('>From ', at + 1)) {
    const start = quoteStart(message, at);
    if (start < 0) continue;
    pieces.push(message.subarray(done, start));
    done = start + 1;
  }
  return done === 0 ? message : Buffer.concat([...pieces, message.subarray(done)]);
}

/** Where the line starts, if it holds nothing but ">" up to here; else -1. */
function quoteStart(message: Buffer, at: number): number {
  let start = at;
  while (start > 0 && message[start - 1] === GREATER) start--;
  return start === 0 || message[start - 1] === LF ? start : -1;
}

const FROM = Buffer.from('From ');

/** What `unquoteFromLines` undoes: each line matching `^>*From ` gets one more ">" (mboxrd). The pieces, in order. */
export function quoteFromLines(message: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let done = 0;
  for (let at = message.indexOf(FROM); at >= 0; at = message.indexOf(FROM, at + 1)) {
    const start = quoteStart(message, at);
    if (start < 0) continue;
    pieces.push(message.subarray(done, start), Buffer.of(GREATER));
    done = start;
  }
  return [...pieces, message.subarray(done)];
}
