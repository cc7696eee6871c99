import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';
import { openDiskBlobs } from './disk.ts';
import { parseBlobsSetting } from './setting.ts';

/** What decides where blobs are. */
export interface BlobSettings {
  /** ATRIUM_BLOBS; undefined is files in the data directory. */
  blobs: string | undefined;
  dataDir: string;
}

/**
 * The blob store that the settings name. Rejects with InvalidBlobsSetting, and with BlobsUnavailable when the
 * directory cannot be used; whether an S3 store answers is asked by check().
 */
export async function openBlobs({ blobs, dataDir }: BlobSettings): Promise<BlobStore> {
  if (blobs === undefined) return openDiskBlobs(join(dataDir, 'blobs'));
  const location = parseBlobsSetting(blobs);
  // The AWS SDK takes long to load: whoever keeps blobs on disk does not pay for it.
  const { openS3Blobs } = await import('./s3.ts');
  return openS3Blobs(location);
}
