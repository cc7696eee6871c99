import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BlobMissing, type PartPosition, type StoredBlob } from '../blob-store.ts';
import { exactly, inParts } from '../parts.ts';
import { isMissing, isUploadGone, onS3, unavailable } from './errors.ts';

/** A semaphore whose holders take different weights. Waiting callers are served in order of arrival. */
export class WeightedSemaphore {
  readonly #capacity: number;
  #available: number;
  readonly #waiting: { weight: number; start: () => void }[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#available = capacity;
  }

  /** Resolves with the function that releases it. A weight above the capacity takes all of it. */
  async acquire(weight: number): Promise<() => void> {
    const taken = Math.min(weight, this.#capacity);
    await new Promise<void>((start) => {
      this.#waiting.push({ weight: taken, start });
      this.#startNext();
    });
    return () => {
      this.#available += taken;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next && next.weight <= this.#available; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#available -= next.weight;
      next.start();
    }
  }
}

/** The location of an object. */
export interface S3Object {
  Bucket: string;
  Key: string;
}

/** A multipart upload: the future object, and the upload id of the store. */
export type S3Upload = S3Object & { UploadId: string };

/** Bytes. All parts but the last have equal size, as some stores require; 10,000 parts are 78 GiB. */
const PART_SIZE = 8 * 1024 * 1024;

/** "Maximum number of parts per upload: 10,000" (Amazon S3 User Guide, multipart upload limits). */
const MAX_PARTS = 10_000;

/** Bytes of all parts held in memory at once; further parts wait. */
const MEMORY_FOR_PARTS = 256 * 1024 * 1024;

export async function beginUpload(client: S3Client, object: S3Object): Promise<string> {
  const { UploadId } = await onS3(client.send(new CreateMultipartUploadCommand(object)));
  if (UploadId === undefined) throw unavailable(new Error('no UploadId'));
  return UploadId;
}

/**
 * Sends parts. A part is held in memory until the store has it: the signature covers its SHA-256, known only at its
 * end, and an incomplete part of a disconnected client must not reach the store.
 */
export class PartSender {
  readonly #client: S3Client;
  readonly #memory = new WeightedSemaphore(MEMORY_FOR_PARTS);

  constructor(client: S3Client) {
    this.#client = client;
  }

  /** Rejects with BlobMissing, BlobsUnavailable, a RangeError, or the source's own error. */
  async send(
    upload: S3Upload,
    { number, size }: PartPosition,
    content: AsyncIterable<Uint8Array>,
  ): Promise<string> {
    const release = await this.#memory.acquire(size);
    try {
      const bytes = await readPart(content, size);
      return await this.#send({ ...upload, PartNumber: number }, bytes);
    } finally {
      release();
    }
  }

  async #send(part: S3Upload & { PartNumber: number }, bytes: Buffer): Promise<string> {
    try {
      return await sendPart(this.#client, part, bytes);
    } catch (error) {
      throw isUploadGone(error) ? new BlobMissing('No such upload') : unavailable(error);
    }
  }
}

async function readPart(content: AsyncIterable<Uint8Array>, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let offset = 0;
  for await (const chunk of exactly(content, size)) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Returns the tag of the part. Rejects as the client does. */
async function sendPart(
  client: S3Client,
  part: S3Upload & { PartNumber: number },
  Body: Uint8Array,
): Promise<string> {
  const { ETag = '' } = await client.send(new UploadPartCommand({ ...part, Body }));
  return ETag;
}

export async function completeUpload(
  client: S3Client,
  upload: S3Upload,
  tags: readonly string[],
): Promise<void> {
  try {
    await sendCompletion(client, upload, tags);
  } catch (error) {
    if (!isUploadGone(error)) throw unavailable(error);
    await refuseMissing(client, upload);
  }
}

/** `tags`: those of all parts, in order. Rejects as the client does. */
async function sendCompletion(client: S3Client, upload: S3Upload, tags: readonly string[]): Promise<void> {
  const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
}

/** If the store no longer has the upload, it was completed before or aborted: checks for the object. */
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
 * Aborts uploads of this object left by dead processes. Lists by the whole key: a bucket may contain uploads of others,
 * and some stores list only those of one object.
 */
export async function abortUnfinished(client: S3Client, { Bucket, Key }: S3Object): Promise<void> {
  const { Uploads = [] } = await onS3(client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key })));
  for (const { Key: found, UploadId } of Uploads)
    if (found === Key && UploadId !== undefined) await abortUpload(client, { Bucket, Key, UploadId });
}

/**
 * Sends content that fits into one part in one request, larger content in parts. Memory holds three parts: one being
 * sent, one that waits until it is known whether it is the last, one being read.
 */
export async function putObject(
  client: S3Client,
  object: S3Object,
  content: AsyncIterable<Uint8Array>,
): Promise<StoredBlob> {
  let size = 0;
  let upload: SequentialUpload | undefined;
  let waiting: Uint8Array | undefined;
  try {
    for await (const part of inParts(content, PART_SIZE)) {
      size += part.length;
      if (waiting !== undefined) {
        upload ??= await SequentialUpload.begin(client, object);
        await upload.add(waiting);
      }
      waiting = part;
    }
    await finish(client, object, upload, waiting ?? new Uint8Array());
  } catch (error) {
    await upload?.abort().catch(() => {});
    throw error;
  }
  return { size };
}

/** If the request that creates the object fails, the object may exist nevertheless: removes it. */
async function finish(
  client: S3Client,
  object: S3Object,
  upload: SequentialUpload | undefined,
  last: Uint8Array,
): Promise<void> {
  await upload?.add(last);
  try {
    if (upload !== undefined) await upload.complete();
    else await onS3(client.send(new PutObjectCommand({ ...object, Body: last })));
  } catch (error) {
    await client.send(new DeleteObjectCommand(object)).catch(() => {});
    throw error;
  }
}

/**
 * Sends the parts of an object one after another: one is being sent while the caller reads the next. Own code, because
 * the library @aws-sdk/lib-storage aborts while parts are still being sent: such a part may arrive after the abort and
 * then stays in the bucket unnoticed.
 */
class SequentialUpload {
  readonly #client: S3Client;
  readonly #upload: S3Upload;
  readonly #tags: string[] = [];
  #sending: Promise<void> = Promise.resolve();

  private constructor(client: S3Client, upload: S3Upload) {
    this.#client = client;
    this.#upload = upload;
  }

  /** Rejects with BlobsUnavailable, as all the methods do. */
  static async begin(client: S3Client, object: S3Object): Promise<SequentialUpload> {
    return new SequentialUpload(client, { ...object, UploadId: await beginUpload(client, object) });
  }

  /**
   * Resolves when the previous part has arrived and this one is being sent.
   * Rejects with a RangeError when the object would have more parts than S3 allows.
   */
  async add(bytes: Uint8Array): Promise<void> {
    await this.#sending;
    if (this.#tags.length === MAX_PARTS) throw new RangeError(`An S3 object has at most ${MAX_PARTS} parts`);
    this.#sending = this.#send(this.#tags.length + 1, bytes);
    // The next await gets the error; until then it must not count as unhandled.
    this.#sending.catch(() => {});
  }

  /** Assembles the object from the parts. */
  async complete(): Promise<void> {
    await this.#sending;
    await onS3(sendCompletion(this.#client, this.#upload, this.#tags));
  }

  /** Removes the parts sent so far. */
  async abort(): Promise<void> {
    await this.#sending.catch(() => {});
    await abortUpload(this.#client, this.#upload);
  }

  async #send(PartNumber: number, bytes: Uint8Array): Promise<void> {
    this.#tags.push(await onS3(sendPart(this.#client, { ...this.#upload, PartNumber }, bytes)));
  }
}
