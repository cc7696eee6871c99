/**
 * Uploading: parts of 8 MiB over HTTP, 4 at once, beside the same bytes written and synced without a server in the same
 * run; and completing 10 GiB beside completing 1 MiB, in sparse files. To reach: a ratio near 1.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uploads } from '../src/areas/files/uploads.ts';
import { readConfig } from '../src/config.ts';
import { ensureOwner } from '../src/founding.ts';
import { openProduct, type Product } from '../src/product.ts';
import { HEADERS, OWNER_KEY, type Server, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MIB = 1024 * 1024;
const PART = 8 * MIB;
const AT_ONCE = 4;
const ROUNDS = 3;
const PARTS_A_ROUND = 12;
const COMPLETED = 9;
const BYTES = Buffer.alloc(PART, 'some bytes, and others ');

export async function bench(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  try {
    const completing = await measureCompleting(dataDir);
    return [...(await measureParts(dataDir)), ...completing];
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/** Both have their turn in every round, so that a disk that changes its pace changes it for both. */
async function measureParts(dataDir: string): Promise<Figure[]> {
  const server = await startAtrium(dataDir);
  const seconds = { server: 0, plain: 0 };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const session = await startUpload(server);
      seconds.server += await timed((part) => putPart(server, session, part));
      const file = await open(join(dataDir, `plain-${round}`), 'w');
      seconds.plain += await timed(async (part) => {
        await file.write(BYTES, 0, PART, (part - 1) * PART);
        await file.datasync();
      });
      await file.close();
    }
  } finally {
    await server.stop();
  }
  const perSecond = (taken: number) => (ROUNDS * PARTS_A_ROUND) / taken;
  const ceiling = perSecond(seconds.plain);
  return [{ name: 'parts of 8 MiB, 4 at once', value: perSecond(seconds.server), unit: '/s', ceiling }];
}

/** Seconds that the parts of one round take. */
async function timed(put: (part: number) => Promise<void>): Promise<number> {
  const begin = performance.now();
  let next = 1;
  const client = async () => {
    while (next <= PARTS_A_ROUND) await put(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return (performance.now() - begin) / 1_000;
}

async function startUpload(server: Server): Promise<string> {
  const response = await fetch(`${server.url}/v1/files/uploads`, {
    method: 'POST',
    headers: { ...HEADERS, 'idempotency-key': randomUUID(), 'content-type': 'application/json' },
    body: JSON.stringify({ filename: 'film', size: PARTS_A_ROUND * PART }),
  });
  return ((await response.json()) as { data: { session_id: string } }).data.session_id;
}

async function putPart(server: Server, session: string, part: number): Promise<void> {
  const response = await fetch(`${server.url}/v1/files/uploads/${session}/parts/${part}`, {
    method: 'PUT',
    headers: { ...HEADERS, 'idempotency-key': randomUUID() },
    body: BYTES,
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function measureCompleting(dataDir: string): Promise<Figure[]> {
  const config = readConfig({ ATRIUM_DATA_DIR: dataDir, ATRIUM_OWNER_KEY: OWNER_KEY });
  const product = await openProduct(config);
  try {
    await ensureOwner(product, config);
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let i = 0; i < COMPLETED; i++) {
      times.small.push(await completing(product, dataDir, MIB));
      times.large.push(await completing(product, dataDir, 10 * 1024 * MIB));
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
    await product.close();
  }
}

/** Milliseconds that completing takes. The parts are noted, not sent: the bytes of the file are a hole. */
async function completing(product: Product, dataDir: string, size: number): Promise<number> {
  const { database, blobs, directory } = product;
  const uploads = new Uploads(database, { ...blobs, free: async () => size }, product.uploads.limits);
  const owner = await database.read((tx) => directory.findUser(tx, 'owner@localhost'));
  if (!owner) throw new Error('no owner');
  const { session_id: id } = await database.write((tx) =>
    uploads.start(tx, owner, { filename: 'film', size }),
  );
  await noteParts(product, dataDir, id, size);
  const begin = performance.now();
  const assembled = await uploads.assemble(owner, id);
  await database.write((tx) => uploads.complete(tx, owner, assembled));
  const taken = performance.now() - begin;
  await uploads.settled();
  return taken;
}

async function noteParts(
  { database, blobs }: Product,
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
