import { createHash, type Hash, hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../../blobs/blob-store.ts';
import type { RawLocation, StagedBytes, Staging } from '../../../blobs/staging.ts';
import type { ParsedMessage } from '../../../formats/messages/message.ts';
import { parseMessage, parseMessageStream } from '../../../formats/messages/parse.ts';
import type { Matching } from '../filters/match-rules.ts';

/** A completely received message that waits for its transaction. */
export interface StagedMessage extends StagedBytes {
  parsed: ParsedMessage;
  /** SHA-256 of the raw bytes, base64url; computed on first use if the bytes are in memory. */
  digest: () => string;
  /** The matching filters of the recipients' mailboxes, if they were evaluated before the transaction. */
  matching?: Matching | undefined;
}

/** Receives raw messages before their transaction opens: stores the bytes, then parses them. */
export class MessageStaging {
  readonly #staging: Staging;

  constructor(staging: Staging) {
    this.#staging = staging;
  }

  /**
   * Reads a raw message to its end, as `stage` of Staging. Rejects with the errors of the source, the database or the blob
   * store.
   */
  async stage(source: AsyncIterable<Uint8Array>, workspaceId?: string): Promise<StagedMessage> {
    const staged = await this.#staging.stage(source, workspaceId);
    try {
      const { parsed, digest } = await this.#read(staged.location);
      return { ...staged, parsed, digest };
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  /** The bytes of a stored message, or a range of them. */
  open(location: RawLocation, range?: ByteRange): Promise<Readable | Uint8Array> {
    return this.#staging.open(location, range);
  }

  /** Stores content that is no message, before the transaction that takes it over. Rejects as stage. */
  stageContent(source: AsyncIterable<Uint8Array>, workspaceId?: string): Promise<StagedBytes> {
    return this.#staging.stageBlob(source, workspaceId);
  }

  async #read(location: RawLocation): Promise<Pick<StagedMessage, 'parsed' | 'digest'>> {
    const content = await this.#staging.open(location);
    if (content instanceof Uint8Array)
      return { parsed: await parseMessage(content), digest: digestOf(content) };
    const sha256 = createHash('sha256');
    const parsed = await parseMessageStream(hashChunks(content, sha256));
    const digest = sha256.digest('base64url');
    return { parsed, digest: () => digest };
  }
}

function digestOf(content: Uint8Array): () => string {
  let digest: string | undefined;
  return () => {
    digest ??= hash('sha256', content, 'base64url');
    return digest;
  };
}

/** Yields the content unchanged and adds each chunk to the digest. */
async function* hashChunks(content: AsyncIterable<Uint8Array>, digest: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    digest.update(chunk);
    yield chunk;
  }
}
