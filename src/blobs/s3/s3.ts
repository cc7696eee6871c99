import { PassThrough, Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  BlobMissing,
  type BlobStore,
  type ByteRange,
  checkedKey,
  type MultipartUpload,
} from '../blob-store.ts';
import { isBeyondEnd, isMissing, onS3, unavailable } from './errors.ts';
import {
  abortUnfinished,
  abortUpload,
  beginUpload,
  completeUpload,
  PartSender,
  putObject,
  type S3Object,
  type S3Upload,
} from './uploads.ts';

/** The location of blobs in an S3-compatible store. */
export interface S3Location {
  bucket: string;
  /** The prefix of every key: "" or a path that ends with "/". */
  prefix: string;
  region: string;
  /** The address of the service; undefined: AWS. */
  endpoint: string | undefined;
}

/** The timeout of check(), in milliseconds. */
const CHECK_TIMEOUT = 5_000;

/**
 * A blob store in a bucket of any S3-compatible service; a blob is the object named by the prefix and the key.
 * Credentials come from the default provider chain of AWS tools. Required permissions on the bucket: s3:GetObject,
 * PutObject, DeleteObject, ListBucket, ListBucketMultipartUploads, AbortMultipartUpload. Sends no request yet: see
 * check().
 */
export function openS3Blobs(location: S3Location): BlobStore {
  const client = clientOf(location);
  const objectOf = (key: string): S3Object => ({
    Bucket: location.bucket,
    Key: location.prefix + checkedKey(key),
  });
  const uploadOf = ({ key, handle }: MultipartUpload): S3Upload => ({ ...objectOf(key), UploadId: handle });
  const sender = new PartSender(client);
  return {
    put: async (key, content) => putObject(client, objectOf(key), content),
    get: async (key, range) => get(client, objectOf(key), range),
    remove: async (key) => remove(client, objectOf(key)),
    begin: async (key) => beginUpload(client, objectOf(key)),
    putPart: async (upload, position, content) => sender.send(uploadOf(upload), position, content),
    complete: async (upload, tags) => completeUpload(client, uploadOf(upload), tags),
    abort: async (upload) => abortUpload(client, uploadOf(upload)),
    free: async () => Number.POSITIVE_INFINITY,
    check: () => check(client, location.bucket),
  };
}

function clientOf({ endpoint, region }: S3Location): S3Client {
  // Every open download holds a connection: with the default of 50, 50 slow readers would block all others.
  const agent = { maxSockets: 1_000 };
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // The signature covers the SHA-256 of every body already; stores other than AWS often refuse the extra CRC-32.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      // Longer than a busy process may need to notice that the connection is established.
      connectionTimeout: 20_000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

async function get(client: S3Client, object: S3Object, range?: ByteRange): Promise<Readable> {
  try {
    if (range === undefined) return await bytesOf(client, object);
    if (range.end > range.start)
      return await bytesOf(client, object, `bytes=${range.start}-${range.end - 1}`);
    // HTTP cannot request an empty range.
    await client.send(new HeadObjectCommand(object));
    return noBytes();
  } catch (error) {
    if (isBeyondEnd(error)) return noBytes();
    throw isMissing(error) ? new BlobMissing('No such blob') : unavailable(error);
  }
}

async function bytesOf(client: S3Client, object: S3Object, Range?: string): Promise<Readable> {
  const { Body } = await client.send(new GetObjectCommand({ ...object, Range }));
  return translatingErrors(Body as Readable, unavailable);
}

/** The same content as a stream that fails with `translate(error)` when the source fails with `error`. */
function translatingErrors(source: Readable, translate: (error: Error) => Error): Readable {
  const bytes = new PassThrough();
  source.on('error', (error) => bytes.destroy(translate(error)));
  // A reader that stops early must not leave the file or the connection open.
  bytes.on('close', () => source.destroy());
  return source.pipe(bytes);
}

/** The stream of an empty range. */
function noBytes(): Readable {
  return Readable.from([], { objectMode: false });
}

/** S3 responds with 204 whether the object existed or not. */
async function remove(client: S3Client, object: S3Object): Promise<void> {
  await abortUnfinished(client, object);
  await onS3(client.send(new DeleteObjectCommand(object)));
}

async function check(client: S3Client, bucket: string): Promise<void> {
  const abortSignal = AbortSignal.timeout(CHECK_TIMEOUT);
  await onS3(client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal }));
}
