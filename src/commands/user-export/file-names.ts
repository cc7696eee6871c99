import { extname } from 'node:path';
import { fold } from '../../text/fold.ts';

/** What some system gives a meaning to, or cannot have in a name. */
const FORBIDDEN = /[\p{Cc}/\\:*?"<>|]/gu;
/** Devices of Windows, whatever follows the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** Bytes of a name; file systems take 255, and a number may be added. */
const MOST_BYTES = 200;
const MOST_ENDING_BYTES = 30;

/** The names of one directory: every one safe on every usual file system, none twice, in whatever case. */
export class FileNames {
  readonly #taken = new Set<string>();
  /** How often each name was wanted, so that a thousand alike cost no more than others. */
  readonly #wanted = new Map<string, number>();

  /** A name that is still free and as near as can be to what is wanted, with the ending unless it has that already. */
  take(wanted: string, ending = ''): string {
    const whole = fold(wanted).endsWith(fold(ending)) ? wanted : `${wanted}${ending}`;
    const { stem, ending: last } = parts(safe(whole));
    const alike = fold(`${stem}${last}`);
    for (let number = (this.#wanted.get(alike) ?? 0) + 1; ; number++) {
      const name = number === 1 ? `${stem}${last}` : `${stem} (${number})${last}`;
      if (this.#taken.has(fold(name))) continue;
      this.#taken.add(fold(name));
      this.#wanted.set(alike, number);
      return name;
    }
  }
}

function safe(wanted: string): string {
  const plain = wanted
    .toWellFormed()
    .normalize('NFC')
    .replace(FORBIDDEN, '_')
    // Windows drops them, and "." and ".." lead elsewhere.
    .replace(/[. ]+$/, '');
  return plain === '' ? '_' : plain.replace(RESERVED, '_$&');
}

function parts(name: string): { stem: string; ending: string } {
  const found = extname(name);
  const ending = Buffer.byteLength(found) <= MOST_ENDING_BYTES ? found : '';
  const stem = ending === '' ? name : name.slice(0, -ending.length);
  return { stem: shortened(stem, MOST_BYTES - Buffer.byteLength(ending)), ending };
}

function shortened(text: string, mostBytes: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) return text.slice(0, length).trimEnd();
    length += character.length;
  }
  return text;
}
