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

/** The parts of a workbook in their archive. Limits the inflated bytes of all parts that are read. */
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

  /** Throws UnreadableWorkbook when the bytes are no complete archive. */
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

  /** The inflated bytes read of all parts. */
  get inflated(): number {
    return this.#inflated;
  }

  /** The names of all parts, in lower case. */
  get parts(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The bytes of a part; nothing for a missing part. Throws UnreadableWorkbook when they are damaged or too many. */
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

/** Part names are case-insensitive (OPC 6.2.2.3); some writers start them with a slash. */
function keyOf(part: string): string {
  return part.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

/**
 * The library throws plain Errors about the archive. Other errors, thrown by a consumer into the stream, pass
 * unchanged.
 */
function asUnreadable(cause: unknown): unknown {
  if (cause instanceof UnreadableWorkbook || !(cause instanceof Error)) return cause;
  return new UnreadableWorkbook(`its archive is damaged (${cause.message})`, { cause });
}

/** A relationship from one part to another. */
export interface Relationship {
  /** The last segment of the type, such as "worksheet": its prefix differs between the editions of the standard. */
  readonly kind: string;
  /** The name of the part. An external target matches no part of the archive. */
  readonly target: string;
  /** The external target as written. */
  readonly external?: string;
}

/** The relationships of a part by id; "" is the package itself. */
export async function readRelationships(archive: Archive, part: string): Promise<Map<string, Relationship>> {
  const { dir, base } = posix.parse(part);
  const path = posix.join(dir, '_rels', `${base}.rels`);
  const relationships = new Map<string, Relationship>();
  await readWholeXml(path, archive.read(path), {
    open(name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
      if (name !== 'Relationship') return;
      const kind = type.slice(type.lastIndexOf('/') + 1);
      const path = posix.resolve('/', dir, target).slice(1);
      relationships.set(id, { kind, target: path, ...(mode === 'External' && { external: target }) });
    },
  });
  return relationships;
}
