import { join } from 'node:path';

/** Where the parts of a backup are in its directory. */
export function manifestPath(directory: string): string {
  return join(directory, 'manifest.json');
}

export function tablesDirectory(directory: string): string {
  return join(directory, 'tables');
}

export function tablePath(directory: string, table: string): string {
  return join(tablesDirectory(directory), `${table}.jsonl`);
}

export function blobListPath(directory: string): string {
  return join(directory, 'blobs.jsonl');
}

export function blobsDirectory(directory: string): string {
  return join(directory, 'blobs');
}

export function blobPath(directory: string, key: string): string {
  return join(blobsDirectory(directory), key);
}
