import type { Part } from './part.ts';
import type { TransferDecoder } from './transfer-decoder.ts';
import { transferDecoder } from './transfer-encodings.ts';

export interface LeafContent {
  /** The first decoded bytes, as many as were to be kept. */
  kept: Uint8Array;
  /** How many decoded bytes there were. */
  size: number;
}

/** The body of one entity while it is read: decoded, counted, and kept only up to a limit. */
export class Leaf {
  readonly part: Part;
  #decoder: TransferDecoder;
  #room: number;
  #kept: Uint8Array[] = [];
  #size = 0;

  constructor(part: Part, encoding: string, keep: number) {
    this.part = part;
    this.#decoder = transferDecoder(encoding);
    this.#room = keep;
  }

  add(bytes: Uint8Array): void {
    this.#take(this.#decoder.update(bytes));
  }

  finish(): LeafContent {
    this.#take(this.#decoder.finish());
    const [only] = this.#kept;
    return { kept: only && this.#kept.length === 1 ? only : Buffer.concat(this.#kept), size: this.#size };
  }

  #take(decoded: Uint8Array): void {
    this.#size += decoded.length;
    if (this.#room === 0 || decoded.length === 0) return;
    const piece = decoded.subarray(0, this.#room);
    this.#room -= piece.length;
    this.#kept.push(piece);
  }
}
