import { roleOf } from './body-choice.ts';
import type { Part } from './part.ts';
import type { PartSink } from './part-scanner.ts';
import type { TransferDecoder } from './transfer-decoder.ts';
import { transferDecoder } from './transfer-encodings.ts';

/** Picks one attachment out of a message, counting as the parsed message does, and decodes its bytes. */
export class AttachmentSink implements PartSink {
  state: 'before' | 'inside' | 'past' = 'before';
  #skip: number;
  #decoder: TransferDecoder | null = null;
  #decoded: Uint8Array[] = [];

  constructor(position: number) {
    this.#skip = position;
  }

  open(part: Part): void {
    if (roleOf(part) !== 'attachment' || this.state !== 'before') return;
    if (this.#skip-- > 0) return;
    this.state = 'inside';
    this.#decoder = transferDecoder(part.encoding);
  }

  data(_part: Part, bytes: Uint8Array): void {
    if (this.#decoder) this.#decoded.push(this.#decoder.update(bytes));
  }

  close(): void {
    if (!this.#decoder) return;
    this.#decoded.push(this.#decoder.finish());
    this.#decoder = null;
    this.state = 'past';
  }

  /** What was decoded since the last call. */
  take(): Uint8Array[] {
    const decoded = this.#decoded.filter((bytes) => bytes.length > 0);
    this.#decoded = [];
    return decoded;
  }
}
