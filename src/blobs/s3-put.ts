import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { StoredBlob } from './blob-store.ts';
import { inParts } from './parts.ts';
import { onS3 } from './s3-errors.ts';
import { MultipartUpload, type S3Object } from './s3-multipart.ts';

/** Bytes. All parts but the last are equal, as some stores demand; 10,000 of them make 78 GiB. */
const PART_SIZE = 8 * 1024 * 1024;

/**
 * Content that fits into one part is sent as one request, larger content in parts. Memory holds three parts:
 * one on its way, one that waits to be known as last or not, one that is being read.
 */
export async function putObject(
  client: S3Client,
  object: S3Object,
  content: AsyncIterable<Uint8Array>,
): Promise<StoredBlob> {
  let size = 0;
  let upload: MultipartUpload | undefined;
  let waiting: Uint8Array | undefined;
  try {
    for await (const part of inParts(content, PART_SIZE)) {
      size += part.length;
      if (waiting !== undefined) {
        upload ??= await MultipartUpload.begin(client, object);
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

/** When the request that makes the object appear fails, the object may be there all the same: it is taken away. */
async function finish(
  client: S3Client,
  object: S3Object,
  upload: MultipartUpload | undefined,
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
