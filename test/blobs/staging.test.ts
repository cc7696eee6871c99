/** What goes to S3 before the note of it is durable: nothing that a process which ends now would leave there. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { arriving, bytesOf } from '../contract/blobs-content.ts';
import { startApp, type TestApp } from '../harness.ts';
import { env, type S3, startS3 } from '../s3.ts';

const MiB = 1024 * 1024;
/** Many more than it takes to send something to a store that is here. */
const TURNS = 300;

let s3: S3;
let app: TestApp;
before(async () => {
  s3 = await startS3();
  Object.assign(process.env, env);
  app = await startApp('sqlite', { ATRIUM_BLOBS: s3.blobs });
});
after(async () => {
  await app.stop();
  await s3.stop();
});

for (const size of [1 * MiB, 20 * MiB]) {
  it(`waits with the first request for ${size} bytes until they are noted`, async () => {
    const { database, staging } = app.services;
    s3.requests.length = 0;
    const held = Promise.withResolvers<void>();
    const holding = database.write(() => held.promise);
    const staged = staging.stageBlob(arriving(bytesOf(size)));
    for (let turn = 0; turn < TURNS && s3.requests.length === 0; turn++) await nextTurn();
    const before = [...s3.requests];
    held.resolve();
    await Promise.all([holding, staged]);
    assert.deepEqual(before, []);
    assert.ok(s3.requests.length > 0);
  });
}
