import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { type S3, startS3, unfinishedUploads } from '../s3.ts';

/** One kind of store, empty, and ways to look into it from outside. */
export interface Engine {
  name: string;
  settings: { blobs: string | undefined; dataDir: string };
  env: Record<string, string>;
  /** The names of everything that takes space, whole or not. */
  everything(): Promise<string[]>;
  /** Every request to the store so far: its method, path and query. */
  requests: readonly string[];
  close(): Promise<void>;
}

export async function diskEngine(): Promise<Engine> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-blobs-'));
  return {
    name: 'disk',
    settings: { blobs: undefined, dataDir },
    env: {},
    everything: () => filesBelow(dataDir),
    requests: [],
    close: () => rm(dataDir, { recursive: true }),
  };
}

/** The names of all files below a directory. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
}

export async function s3Engine(): Promise<Engine> {
  const s3 = await startS3();
  // The SDK looks for credentials in the environment of its process.
  Object.assign(process.env, s3.env);
  const client = new S3Client({ endpoint: s3.endpoint, region: 'eu-test-1', forcePathStyle: true });
  return {
    name: 'S3',
    settings: { blobs: s3.blobs, dataDir: '/nonexistent' },
    env: s3.env,
    everything: async () => [...(await objects(client, s3)), ...unfinishedUploads(s3)],
    requests: s3.requests,
    close: () => s3.stop(),
  };
}

async function objects(client: S3Client, s3: S3): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: s3.bucket }));
  return Contents.map((object) => object.Key ?? '');
}
