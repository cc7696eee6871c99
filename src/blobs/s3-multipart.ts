import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { onS3 } from './s3-errors.ts';

/** Where an object is. */
export interface S3Object {
  Bucket: string;
  Key: string;
}

/** "Maximum number of parts per upload: 10,000" (Amazon S3 User Guide, multipart upload limits). */
const MAX_PARTS = 10_000;

/**
 * An object that is sent in parts and appears when it is completed. One part at a time is on its way while the
 * caller reads the next. Own code instead of @aws-sdk/lib-storage, which aborts while parts are still on their
 * way: such a part may arrive after the abort, and then stays in the bucket unseen.
 */
export class MultipartUpload {
  readonly #client: S3Client;
  readonly #upload: S3Object & { UploadId: string | undefined };
  readonly #parts: CompletedPart[] = [];
  #sending: Promise<void> = Promise.resolve();

  private constructor(client: S3Client, upload: S3Object & { UploadId: string | undefined }) {
    this.#client = client;
    this.#upload = upload;
  }

  /** Rejects with BlobsUnavailable, as all the methods do. */
  static async begin(client: S3Client, object: S3Object): Promise<MultipartUpload> {
    const { UploadId } = await onS3(client.send(new CreateMultipartUploadCommand(object)));
    return new MultipartUpload(client, { ...object, UploadId });
  }

  /**
   * Resolves when the part before has arrived and this one is on its way.
   * Rejects with a RangeError when the object would have more parts than S3 allows.
   */
  async add(bytes: Uint8Array): Promise<void> {
    await this.#sending;
    if (this.#parts.length === MAX_PARTS) throw new RangeError(`An S3 object has at most ${MAX_PARTS} parts`);
    const part: CompletedPart = { PartNumber: this.#parts.length + 1 };
    this.#parts.push(part);
    this.#sending = this.#send(part, bytes);
    // Whoever awaits it next meets its failure; until then it must not count as unhandled.
    this.#sending.catch(() => {});
  }

  /** Makes the object of the parts. */
  async complete(): Promise<void> {
    await this.#sending;
    const all = { ...this.#upload, MultipartUpload: { Parts: this.#parts } };
    await onS3(this.#client.send(new CompleteMultipartUploadCommand(all)));
  }

  /** Frees what was sent. */
  async abort(): Promise<void> {
    await this.#sending.catch(() => {});
    await onS3(this.#client.send(new AbortMultipartUploadCommand(this.#upload)));
  }

  async #send(part: CompletedPart, Body: Uint8Array): Promise<void> {
    const { PartNumber } = part;
    const arrived = await onS3(
      this.#client.send(new UploadPartCommand({ ...this.#upload, PartNumber, Body })),
    );
    part.ETag = arrived.ETag;
  }
}
