/** A server that dies in the middle of a file leaves parts of it on S3, which no listing of objects shows. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { openDatabase } from '../../src/storage/open.ts';
import { letTimePass } from '../clock.ts';
import { bytesOf } from '../contract/blobs-content.ts';
import { freshDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY } from '../harness.ts';
import { startS3, unfinishedUploads } from '../s3.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';
import { MiB } from './uploads-world.ts';

/** More than any request may take. */
const LONG_MS = 7 * 60 * 60 * 1000;

it('what was on its way to S3 when the server was killed is removed', async (t) => {
  const s3 = await startS3();
  t.after(s3.stop);
  const storage = await freshDatabase('sqlite');
  t.after(storage.remove);
  const start = () => serveProcess({ ...s3.env, ATRIUM_DATA_DIR: storage.dataDir, ATRIUM_BLOBS: s3.blobs });

  const first = await start();
  await sendHalf(first);
  await eventually(() => unfinishedUploads(s3).size > 0, 'parts of the file are on S3');
  await first.kill();
  assert.equal(unfinishedUploads(s3).size, 1);

  const database = await openDatabase(storage);
  await letTimePass({ database }, LONG_MS).finally(() => database.close());
  const second = await start();
  await eventually(() => unfinishedUploads(s3).size === 0, 'they are removed').finally(second.kill);
});

/** Sends the beginning of a file that comes in one request. */
async function sendHalf({ address }: ServedProcess): Promise<void> {
  const { hostname, port, host } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /v1/files?filename=film.bin HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${OWNER_KEY}`,
    `Idempotency-Key: ${randomUUID()}`,
    `Content-Length: ${40 * MiB}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(bytesOf(20 * MiB));
}
