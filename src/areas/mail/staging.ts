import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { RawLocation, StagedBytes, Staging } from '../../blobs/staging.ts';
import type { ParsedMessage } from '../../formats/messages/message.ts';
import { parseMessage, parseMessageStream } from '../../formats/messages/parse.ts';

/** A message that has arrived whole and waits for its transaction. */
export interface StagedMessage extends StagedBytes {
  parsed: ParsedMessage;
  /** SHA-256 of the raw bytes, base64url. */
  digest: string;
}

/** Takes raw messages in before their transaction opens: bytes first, then what they say. */
export class MessageStaging {
  readonly #staging: Staging;

  constructor(staging: Staging) {
    this.#staging = staging;
  }

  /** Reads a raw message to its end. Rejects with what the source, the database or the blob store reject with. */
  async stage(source: AsyncIterable<Uint8Array>): Promise<StagedMessage> {
    const digest = createHash('sha256');
    const staged = await this.#staging.stage(hashed(source, digest));
    try {
      const parsed = await this.#parse(staged.location);
      return { ...staged, parsed, digest: digest.digest('base64url') };
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  /** The bytes of a stored message. */
  open(location: RawLocation): Promise<Readable | Uint8Array> {
    return this.#staging.open(location);
  }

  async #parse(location: RawLocation): Promise<ParsedMessage> {
    const content = await this.#staging.open(location);
    return content instanceof Uint8Array ? parseMessage(content) : parseMessageStream(content);
  }
}

/** The same content, added to the digest as it passes. */
async function* hashed(content: AsyncIterable<Uint8Array>, digest: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    digest.update(chunk);
    yield chunk;
  }
}
