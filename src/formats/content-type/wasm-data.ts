/** Ids of sections, as the core specification of WebAssembly numbers them (5.5). */
const DATA = 11;
const DATA_COUNT = 12;

const I32_CONST = 0x41;

/** Before the first section: the magic number and the version. */
const PREAMBLE_BYTES = 8;

/** Addresses in the memory of a module: the first, and the one after the last. */
export interface AddressRange {
  start: number;
  end: number;
}

/** A module of WebAssembly without the data that its memory begins with, and that data. */
export class WasmData {
  /** The module, whose memory begins empty. */
  readonly code: Buffer;
  readonly #data: Buffer;

  /** @param module whose data is all in active segments of one memory, as that of Emscripten is. */
  constructor(module: Buffer) {
    const sections = [module.subarray(0, PREAMBLE_BYTES)];
    let data = module.subarray(0, 0);
    for (const reader = new Reader(module, PREAMBLE_BYTES); !reader.atEnd; ) {
      const start = reader.position;
      const id = reader.number();
      const content = reader.bytes(reader.number());
      if (id === DATA) data = content;
      else if (id !== DATA_COUNT) sections.push(module.subarray(start, reader.position));
    }
    this.code = Buffer.concat(sections);
    this.#data = data;
  }

  /** Puts what is at addresses of a range into `target`, its start at `offset`. What is 0 there is left as it is. */
  copy(range: AddressRange, target: Uint8Array, offset: number): void {
    const reader = new Reader(this.#data, 0);
    for (let left = reader.number(); left > 0; left--) {
      const address = addressOf(reader);
      const length = reader.number();
      // There are tens of thousands: what is copied by position leaves the collector nothing.
      const from = reader.position + Math.max(0, range.start - address);
      const to = reader.position + Math.min(length, range.end - address);
      reader.position += length;
      if (from < to) this.#data.copy(target, offset + Math.max(0, address - range.start), from, to);
    }
  }
}

/** An active segment is 0, the instruction i32.const and its operand, which is the address, and the instruction end (5.5.14). */
function addressOf(reader: Reader): number {
  if (reader.number() !== 0 || reader.number() !== I32_CONST) throw new TypeError('A segment is not active');
  const address = reader.number();
  reader.position += 1;
  return address;
}

class Reader {
  position: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  get atEnd(): boolean {
    return this.position >= this.#bytes.length;
  }

  /** In LEB128 (5.2.2); none is negative. */
  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.position++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  bytes(length: number): Buffer {
    this.position += length;
    return this.#bytes.subarray(this.position - length, this.position);
  }
}
