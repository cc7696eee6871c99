import { posix } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import {
  INFLATION_ALLOWANCE,
  MAX_ENTRIES,
  MAX_INFLATED,
  MAX_INFLATION,
  UnreadableWorkbook,
} from '../workbook.ts';
import { readWholeXml } from './xml.ts';

/** The parts of a workbook in their archive. What is read of all of them together may not inflate without measure. */
export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #inflated = 0;
  readonly #mayInflateTo: number;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, size: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#mayInflateTo = Math.min(MAX_INFLATED, Math.max(INFLATION_ALLOWANCE, size * MAX_INFLATION));
  }

  /** Throws UnreadableWorkbook when the bytes are no whole archive. */
  static async open(bytes: Uint8Array): Promise<Archive> {
    try {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const zip = await fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: false });
      return new Archive(zip, await entriesOf(zip), bytes.length);
    } catch (cause) {
      throw asUnreadable(cause);
    }
  }

  has(part: string): boolean {
    return this.#entries.has(keyOf(part));
  }

  /** Bytes that were read of all parts. */
  get inflated(): number {
    return this.#inflated;
  }

  /** The names of all parts, in small letters. */
  get parts(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The bytes of a part; none where there is no such part. Throws UnreadableWorkbook when they are damaged, or too many. */
  async *read(part: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(keyOf(part));
    if (!entry) return;
    let checksum = 0;
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
        this.#count(chunk.length);
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
    } catch (cause) {
      throw asUnreadable(cause);
    }
    if (checksum !== entry.crc32) throw new UnreadableWorkbook(`its part ${part} is damaged`);
  }

  #count(bytes: number): void {
    this.#inflated += bytes;
    if (this.#inflated > this.#mayInflateTo) {
      throw new UnreadableWorkbook(`it inflates to more than ${this.#mayInflateTo} bytes`);
    }
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) {
    throw new UnreadableWorkbook(`its archive has more than ${MAX_ENTRIES} entries`);
  }
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(keyOf(entry.fileNameRaw.toString()), entry);
  return entries;
}

/** Names of parts do not tell capitals from small letters (OPC, 6.2.2.3); some writers begin them with a slash. */
function keyOf(part: string): string {
  return part.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

/** The library throws plain errors about the archive only; what is thrown into a reader of it passes as it is. */
function asUnreadable(cause: unknown): unknown {
  if (cause instanceof UnreadableWorkbook || !(cause instanceof Error)) return cause;
  return new UnreadableWorkbook(`its archive is damaged (${cause.message})`, { cause });
}

/** What a part says of another one. */
export interface Relationship {
  /** The last word of the type, such as "worksheet": its beginning differs between the editions of the standard. */
  readonly kind: string;
  /** The name of the part; what is outside of the file names none that there is. */
  readonly target: string;
}

/** The relationships of a part by their ids; "" is the file as a whole. */
export async function readRelationships(archive: Archive, part: string): Promise<Map<string, Relationship>> {
  const { dir, base } = posix.parse(part);
  const path = posix.join(dir, '_rels', `${base}.rels`);
  const relationships = new Map<string, Relationship>();
  await readWholeXml(path, archive.read(path), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship') return;
      const kind = type.slice(type.lastIndexOf('/') + 1);
      relationships.set(id, { kind, target: posix.resolve('/', dir, target).slice(1) });
    },
  });
  return relationships;
}
