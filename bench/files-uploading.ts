/**
 * Uploading: one file of 256 MiB in parts, 4 at once, and 200 files of 1 MiB, 16 at once, each beside the same bytes
 * written and synced by a plain script in the same run; and completing 10 GiB beside completing 1 MiB, in sparse files.
 * To reach: 0.6 of the plain script, and a ratio near 1.
 */
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uploads } from '../src/areas/drive/uploads/uploads.ts';
import { openServices, type Services } from '../src/start/composition.ts';
import { readConfig } from '../src/start/config.ts';
import { ensureFirstWorkspace } from '../src/start/first-workspace.ts';
import { FILES, LARGE_FILE, MIB, uploadFiles, uploadInParts } from './files/uploading.ts';
import { writeFiles, writeInParts } from './files/writing.ts';
import { inTurns, type Pair } from './mail/measuring.ts';
import { OWNER_KEY, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const ROUNDS = 5;
const COMPLETED = 9;

export async function bench(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  try {
    const completing = await measureCompleting(dataDir);
    return [...(await measureUploads(dataDir)), ...completing];
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function measureUploads(dataDir: string): Promise<Figure[]> {
  const server = await startAtrium(dataDir);
  try {
    await uploadFiles(server);
    const large = await rates(
      () => uploadInParts(server),
      () => writeInParts(dataDir),
      LARGE_FILE,
    );
    const small = await rates(
      () => uploadFiles(server),
      () => writeFiles(dataDir),
      FILES * MIB,
    );
    const unit = 'MB/s beside plain';
    return [
      { name: '256 MiB in parts, 4 at once', unit, ...large },
      { name: `${FILES} files of 1 MiB, 16 at once`, unit, ...small },
    ];
  } finally {
    await server.stop();
  }
}

/** In MB/s. */
function rates(upload: () => Promise<void>, write: () => Promise<void>, bytes: number): Promise<Pair> {
  const value = async () => bytes / 1e6 / (await seconds(upload));
  const ceiling = async () => bytes / 1e6 / (await seconds(write));
  return inTurns({ value, ceiling }, ROUNDS);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

async function measureCompleting(dataDir: string): Promise<Figure[]> {
  const config = readConfig({ ATRIUM_DATA_DIR: dataDir, ATRIUM_OWNER_KEY: OWNER_KEY });
  const services = await openServices(config);
  try {
    await ensureFirstWorkspace(services, config);
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let i = 0; i < COMPLETED; i++) {
      times.small.push(await completing(services, dataDir, MIB));
      times.large.push(await completing(services, dataDir, 10 * 1024 * MIB));
    }
    return [
      {
        name: 'completing 10 GiB, beside 1 MiB',
        value: median(times.large),
        unit: 'ms',
        ceiling: median(times.small),
      },
    ];
  } finally {
    await services.close();
  }
}

/** Milliseconds that completing takes. The parts are noted, not sent: the bytes of the file are a hole. */
async function completing(services: Services, dataDir: string, size: number): Promise<number> {
  const { database, blobs, staging, directory } = services;
  const roomy = { ...blobs, free: async () => size };
  const uploads = new Uploads(
    { database, blobs: roomy, staging, rights: services.files.rights },
    services.uploads.limits,
  );
  const owner = await database.read((tx) => directory.findUser(tx, 'owner@localhost'));
  if (!owner) throw new Error('no owner');
  const { session_id: id } = await database.write((tx) =>
    uploads.start(tx, owner, { filename: 'film', size }),
  );
  await noteParts(services, dataDir, id, size);
  const begin = performance.now();
  const assembled = await uploads.assemble(owner, id);
  await database.write((tx) => uploads.complete(tx, owner, assembled));
  const taken = performance.now() - begin;
  await uploads.settled();
  return taken;
}

async function noteParts(
  { database, blobs }: Services,
  dataDir: string,
  id: string,
  size: number,
): Promise<void> {
  const session = await database.read((tx) =>
    tx.selectFrom('upload_sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
  const blob_handle = await blobs.begin(session.blob_key);
  await truncate(join(dataDir, 'blobs', 'parts', session.blob_key), size);
  await database.write(async (tx) => {
    await tx.updateTable('upload_sessions').set({ blob_handle }).where('id', '=', id).execute();
    for (let number = 1; number <= session.part_count; number++) {
      const part = { session_id: id, number, place: '', tag: '', is_current: 1 };
      await tx
        .insertInto('upload_parts')
        .values({ workspace_id: session.workspace_id, ...part })
        .execute();
    }
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
