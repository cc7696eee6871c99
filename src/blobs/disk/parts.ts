import { constants } from 'node:fs';
import { access, type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BlobMissing, type MultipartUpload, type PartPosition } from '../blob-store.ts';
import { exactly } from '../parts.ts';
import { syncDirectory } from './directories.ts';
import { isMissing, onDisk, unavailable } from './errors.ts';
import { blobPath, partsIn, partsPath } from './layout.ts';
import { writeContent } from './writing.ts';

/**
 * Makes the file that parts are written into at their offsets. What was not written yet takes no space, where the file
 * system knows sparse files. The key says all: handle and tags are empty.
 */
export async function beginBlocks(root: string, key: string): Promise<string> {
  const path = partsPath(root, key);
  const file = await onDisk(open(path, constants.O_CREAT | constants.O_WRONLY, 0o600));
  await onDisk(file.close());
  await onDisk(syncDirectory(partsIn(root)));
  return '';
}

export async function putPart(
  root: string,
  direct: number,
  { key }: MultipartUpload,
  { start, size }: PartPosition,
  content: AsyncIterable<Uint8Array>,
): Promise<string> {
  const opening = (flags: number) => openParts(partsPath(root, key), flags);
  const { file } = await writeContent(opening, { direct, start }, exactly(content, size));
  await file.datasync().finally(() => file.close());
  return '';
}

async function openParts(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, constants.O_WRONLY | flags);
  } catch (error) {
    throw isMissing(error) ? new BlobMissing('No such upload', { cause: error }) : unavailable(error);
  }
}

/** Every part was synced before its yes, so that only the name is new. */
export async function completeParts(root: string, { key }: MultipartUpload): Promise<void> {
  const [source, target] = [partsPath(root, key), blobPath(root, key)];
  try {
    await rename(source, target);
  } catch (error) {
    if (!isMissing(error)) throw unavailable(error);
    await refuseMissing(target);
  }
  await onDisk(syncDirectory(dirname(target)));
}

/** What is not among the parts any more was completed before, or never was. */
async function refuseMissing(target: string): Promise<void> {
  try {
    await access(target);
  } catch (error) {
    throw isMissing(error) ? new BlobMissing('No such upload', { cause: error }) : unavailable(error);
  }
}

export async function abortParts(root: string, { key }: MultipartUpload): Promise<void> {
  const path = partsPath(root, key);
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw unavailable(error);
  }
}
