import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BlobMissing, type PartPlace } from './blob-store.ts';
import { MemoryBudget } from './memory-budget.ts';
import { exactly } from './parts.ts';
import { isMissing, isUploadGone, onS3, unavailable } from './s3-errors.ts';
import type { S3Object } from './s3-multipart.ts';

/** A multipart upload: the object that it becomes, and the store's id for it. */
export type S3Upload = S3Object & { UploadId: string };

/** Bytes of all the parts that are held in memory at once; who comes later waits. */
const HELD_AT_ONCE = 256 * 1024 * 1024;

export async function beginUpload(client: S3Client, object: S3Object): Promise<string> {
  const { UploadId } = await onS3(client.send(new CreateMultipartUploadCommand(object)));
  if (UploadId === undefined) throw unavailable(new Error('no UploadId'));
  return UploadId;
}

/**
 * Sends parts. A part is held in memory until the store has it: the signature covers its SHA-256, which is known at the
 * end only, and a part whose client goes away must not reach the store by half.
 */
export class PartSender {
  readonly #client: S3Client;
  readonly #held = new MemoryBudget(HELD_AT_ONCE);

  constructor(client: S3Client) {
    this.#client = client;
  }

  /** Rejects with BlobMissing, BlobsUnavailable, a RangeError, or the source's own error. */
  async send(
    upload: S3Upload,
    { number, size }: PartPlace,
    content: AsyncIterable<Uint8Array>,
  ): Promise<string> {
    const giveBack = await this.#held.take(size);
    try {
      const bytes = await readPart(content, size);
      return await this.#send({ ...upload, PartNumber: number }, bytes);
    } finally {
      giveBack();
    }
  }

  async #send(part: S3Upload & { PartNumber: number }, Body: Buffer): Promise<string> {
    try {
      const { ETag = '' } = await this.#client.send(new UploadPartCommand({ ...part, Body }));
      return ETag;
    } catch (error) {
      throw isUploadGone(error) ? new BlobMissing('No such upload') : unavailable(error);
    }
  }
}

async function readPart(content: AsyncIterable<Uint8Array>, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for await (const chunk of exactly(content, size)) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

export async function completeUpload(
  client: S3Client,
  upload: S3Upload,
  tags: readonly string[],
): Promise<void> {
  const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
  try {
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  } catch (error) {
    if (!isUploadGone(error)) throw unavailable(error);
    await refuseMissing(client, upload);
  }
}

/** An upload that the store does not have was completed before, or was given up. */
async function refuseMissing(client: S3Client, { Bucket, Key }: S3Object): Promise<void> {
  try {
    await client.send(new HeadObjectCommand({ Bucket, Key }));
  } catch (error) {
    throw isMissing(error) ? new BlobMissing('No such upload') : unavailable(error);
  }
}

export async function abortUpload(client: S3Client, upload: S3Upload): Promise<void> {
  try {
    await client.send(new AbortMultipartUploadCommand(upload));
  } catch (error) {
    if (!isUploadGone(error)) throw unavailable(error);
  }
}

/**
 * Aborts the uploads of this object that processes have left which died meanwhile. Asked for by the whole key: a bucket may
 * hold the uploads of others, and some stores list those of one object only.
 */
export async function abortUnfinished(client: S3Client, { Bucket, Key }: S3Object): Promise<void> {
  const { Uploads = [] } = await onS3(client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key })));
  for (const { Key: found, UploadId } of Uploads)
    if (found === Key && UploadId !== undefined) await abortUpload(client, { Bucket, Key, UploadId });
}
