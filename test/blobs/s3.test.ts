import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, describe, mock, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { BlobMissing, type BlobStore, BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { openBlobs } from '../../src/blobs/open-blobs.ts';
import { arriving, bytesOf, read } from '../contract/blobs-content.ts';
import { env, type S3, startS3, unfinishedUploads } from '../s3.ts';

const MiB = 1024 * 1024;
const open = (blobs: string) => openBlobs({ blobs, dataDir: '/nonexistent' });

before(() => Object.assign(process.env, env));

describe('blobs on S3', () => {
  let s3: S3;
  let store: BlobStore;

  before(async () => {
    s3 = await startS3();
    store = await open(s3.blobs);
  });
  afterEach(() => {
    s3.fault = undefined;
    s3.requests.length = 0;
  });
  after(() => s3.stop());

  /** The kinds of request that were made, in order. */
  const operations = () =>
    s3.requests.map((request) => request.replace(/uploadId=[^&]+/, 'uploadId').replace(/&?x-id=\w+/, ''));

  test('content of one part takes one request', async () => {
    await store.put('small', arriving(bytesOf(8 * MiB)));
    assert.deepEqual(operations(), ['PUT /atrium-test/small?']);
  });

  test('larger content takes parts of 8 MiB', async () => {
    await store.put('large', arriving(bytesOf(16 * MiB + 1)));
    assert.deepEqual(operations(), [
      'POST /atrium-test/large?uploads=',
      'PUT /atrium-test/large?partNumber=1&uploadId',
      'PUT /atrium-test/large?partNumber=2&uploadId',
      'PUT /atrium-test/large?partNumber=3&uploadId',
      'POST /atrium-test/large?uploadId',
    ]);
  });

  test('keys begin with the prefix', async () => {
    const prefixed = await open(s3.blobs.replace('?', '/some/where?'));
    await prefixed.put('deep', arriving(bytesOf(1)));
    assert.deepEqual(operations(), ['PUT /atrium-test/some/where/deep?']);
    await assert.rejects(store.get('deep'), BlobMissing);
  });

  for (const lost of ['partNumber=1&', 'partNumber=2&', 'partNumber=3&']) {
    test(`an upload is aborted when ${lost} gets lost`, async () => {
      s3.fault = (request) => (request.includes(lost) ? 'drop' : undefined);
      await assert.rejects(store.put('aborted', arriving(bytesOf(20 * MiB))), BlobsUnavailable);
      assert.deepEqual([...unfinishedUploads(s3)], []);
      await assert.rejects(store.get('aborted'), BlobMissing);
    });
  }

  test('a part may get lost while the source is slow', async () => {
    const bytes = bytesOf(20 * MiB);
    async function* slow() {
      yield bytes.subarray(0, 17 * MiB);
      await setTimeout(500);
      yield bytes.subarray(17 * MiB);
    }
    s3.fault = (request) => (request.includes('partNumber=1&') ? 'drop' : undefined);
    await assert.rejects(store.put('slow', slow()), BlobsUnavailable);
    assert.deepEqual([...unfinishedUploads(s3)], []);
  });

  for (const size of [1 * MiB, 20 * MiB]) {
    test(`a put of ${size} bytes whose last answer gets lost leaves nothing`, async () => {
      const last = size > 8 * MiB ? /^POST .*uploadId=/ : /^PUT /;
      s3.fault = (request) => (last.test(request) ? 'drop answer' : undefined);
      await assert.rejects(store.put('unsure', arriving(bytesOf(size))), BlobsUnavailable);
      await assert.rejects(store.get('unsure'), BlobMissing);
    });
  }

  test('a store that asks to slow down is asked again', async () => {
    s3.fault = () => (s3.requests.length === 1 ? 'slow down' : undefined);
    await store.put('slowed', arriving(bytesOf(10)));
    assert.equal(s3.requests.length, 2);
  });

  for (const fault of ['drop', 'slow down'] as const) {
    test(`a store that fails every request (${fault}) is unavailable, and serves again afterwards`, async () => {
      await store.put('kept', arriving(bytesOf(10)));
      s3.fault = () => fault;
      const requests = [
        store.put('refused', arriving(bytesOf(10))),
        store.get('kept'),
        store.get('kept', { start: 0, end: 0 }),
        store.remove('kept'),
        store.check(),
      ];
      await Promise.all(requests.map((request) => assert.rejects(request, BlobsUnavailable)));
      s3.fault = undefined;
      await store.check();
      assert.ok(bytesOf(10).equals(await read(store.get('kept'))));
    });
  }

  test('a store that cannot be reached is unavailable, and the reason is told', async () => {
    const nowhere = await open('s3://bucket?endpoint=http://127.0.0.1:1');
    await assert.rejects(nowhere.check(), { name: 'BlobsUnavailable', message: /ECONNREFUSED/ });
  });

  test('in a missing bucket no blob is missing: the store is', async () => {
    const elsewhere = await open(s3.blobs.replace('atrium-test', 'not-there'));
    await assert.rejects(elsewhere.get('blob'), BlobsUnavailable);
    await assert.rejects(elsewhere.put('blob', arriving(bytesOf(1))), BlobsUnavailable);
    await assert.rejects(elsewhere.check(), BlobsUnavailable);
  });
});

describe('blobs on an S3 store that misbehaves', () => {
  /** Runs the test against a server that answers every request in this way. */
  async function against(answer: RequestListener, use: (store: BlobStore) => Promise<void>): Promise<void> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await use(await open(`s3://bucket?endpoint=http://localhost:${port}`)).finally(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  test('a store that does not answer is unavailable after five seconds', async () => {
    const patience = new AbortController();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const timeout = mock.method(AbortSignal, 'timeout', () => patience.signal);
    await against(
      () => resolve(),
      async (store) => {
        const answer = assert.rejects(store.check(), BlobsUnavailable);
        await asked;
        patience.abort();
        await answer;
      },
    ).finally(() => timeout.mock.restore());
    assert.deepEqual(timeout.mock.calls[0]?.arguments, [5_000]);
  });

  test('a reader is told when the bytes break off', () =>
    against(
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('ten bytes.', () => response.destroy());
      },
      async (store) => assert.rejects(read(store.get('cut')), BlobsUnavailable),
    ));

  test('a reader that goes away closes its connection', async () => {
    const closed = Promise.withResolvers<void>();
    await against(
      (_request, response) => {
        response.on('close', () => closed.resolve());
        response.writeHead(200, { 'content-length': 100 * MiB });
        response.write(bytesOf(MiB));
      },
      async (store) => {
        const stream = await store.get('left');
        await once(stream, 'readable');
        stream.destroy();
        await closed.promise;
      },
    );
  });

  test('the bucket is in the path: a store elsewhere than at AWS seldom has a host name for each', async () => {
    const asked: string[] = [];
    await against(
      (request, response) => {
        asked.push(`${request.headers.host?.replace(/:.*/, '')} ${request.url}`);
        response.end();
      },
      (store) => store.check(),
    );
    assert.deepEqual(asked, ['localhost /bucket/']);
  });

  test('an upload is aborted only when no part is on its way any more', async () => {
    const done: string[] = [];
    await against(
      async (request, response) => {
        await buffer(request);
        if (request.method === 'PUT') await setTimeout(200);
        done.push(request.method ?? '');
        response.end('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
      },
      async (store) => {
        const failure = new Error('the client went away');
        await assert.rejects(store.put('left', arriving(bytesOf(17 * MiB), failure)), failure);
      },
    );
    assert.deepEqual(done, ['POST', 'PUT', 'DELETE']);
  });

  test('an error tells no credentials, even when the store repeats them', () =>
    against(
      (request, response) => {
        const echo = inspect(request.headers).replaceAll('<', '');
        const fields = `<AWSAccessKeyId>atrium-test-id</AWSAccessKeyId><CanonicalRequest>${echo}</CanonicalRequest>`;
        response.writeHead(403, { 'content-type': 'application/xml', 'x-echo': 'atrium-test-id' });
        response.end(`<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message>${fields}</Error>`);
      },
      async (store) => {
        const error = await store.get('secret').catch((refused) => refused);
        assert.ok(error instanceof BlobsUnavailable);
        const told = inspect(error, { depth: 10, showHidden: true });
        assert.match(told, /SignatureDoesNotMatch 403/);
        assert.doesNotMatch(told, /atrium-test-(id|secret)/);
      },
    ));
});
