import { createHash } from 'node:crypto';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import type { Engine } from '../../src/storage/database.ts';
import { diskEngine, s3Engine } from '../contract/blobs-engines.ts';
import { eventually } from '../eventually.ts';
import { type Answer, type RequestOptions, startApp, type TestApp } from '../harness.ts';
import { NODES } from '../nodes/count.ts';
import { data } from './accounts.ts';

export const MiB = 1024 * 1024;
export const PART = 8 * MiB;

/** An application with a blob store of its own that can be looked into. */
export interface UploadApp {
  app: TestApp;
  /** The names of everything that takes space in the blob store, whole or not. */
  blobs(): Promise<string[]>;
  /** The inodes of the files that a store on disk has for blobs. */
  places(): Promise<number[]>;
  /** What a store on S3 was asked for. */
  requests: readonly string[];
  stop(): Promise<void>;
}

/** Declares the same tests for each engine and each kind of blob store: neither knows of the other, so not for each pair. */
export function forEachStorage(declare: (start: () => Promise<UploadApp>) => void): void {
  if (NODES === 1)
    describe('sqlite, blobs on disk', () => declare(() => startUploadApp('sqlite', diskEngine)));
  describe('postgres, blobs on S3', () => declare(() => startUploadApp('postgres', s3Engine)));
}

/** Starts an application; `settings` as for startApp. */
export async function startUploadApp(
  engine: Engine,
  startBlobs: typeof diskEngine,
  settings: Record<string, string> = {},
): Promise<UploadApp> {
  const store = await startBlobs();
  const { blobs } = store.settings;
  const app = await startApp(engine, { ...(blobs && { ATRIUM_BLOBS: blobs }), ...settings });
  const filesOfApp = () => globSync('blobs/**/*', { cwd: app.config.dataDir, withFileTypes: true });
  return {
    app,
    blobs: async () =>
      blobs
        ? store.everything()
        : filesOfApp()
            .filter((entry) => entry.isFile())
            .map(({ name }) => name),
    places: async () =>
      filesOfApp()
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => statSync(join(parentPath, name)).ino),
    requests: store.requests,
    stop: async () => {
      await app.stop();
      await store.close();
    },
  };
}

/** Opens an upload; answers the session. */
export async function start(app: TestApp, size: number, more: object = {}, options: RequestOptions = {}) {
  return data(await app.post('/v1/files/uploads', { filename: 'film.bin', size, ...more }, options), 201);
}

export function putPart(
  app: TestApp,
  session: string,
  number: number | string,
  bytes: Uint8Array | string,
  options: RequestOptions = {},
): Promise<Answer> {
  return app.request('PUT', `/v1/files/uploads/${session}/parts/${number}`, {
    body: bytes,
    ...options,
    headers: { 'content-type': 'application/octet-stream', ...options.headers },
  });
}

export function complete(app: TestApp, session: string, options: RequestOptions = {}): Promise<Answer> {
  return app.request('POST', `/v1/files/uploads/${session}/complete`, options);
}

export async function status(app: TestApp, session: string) {
  return data(await app.get(`/v1/files/uploads/${session}`));
}

/** The bytes of part `number` of a whole. */
export function partOf(whole: Buffer, number: number): Buffer {
  return whole.subarray((number - 1) * PART, number * PART);
}

/** The bytes of a stored file. */
export function contentOf(app: TestApp, fileId: string, key: string): Promise<Buffer> {
  return bytesAt(app, `/v1/files/${fileId}/content`, key);
}

/** An answer that is no text. */
export async function bytesAt(app: TestApp, path: string, key: string): Promise<Buffer> {
  const response = await fetch(`${app.address}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return Buffer.from(await response.arrayBuffer());
}

export function digestOf(bytes: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

/** Waits until the store holds no blob that was not there before. What was there may go: earlier uploads are tidied up late. */
export function keepsNothingBeside(left: readonly string[], blobs: () => Promise<string[]>): Promise<void> {
  return eventually(async () => (await blobs()).every((blob) => left.includes(blob)), 'nothing new is kept');
}
