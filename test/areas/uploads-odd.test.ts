import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { letTimePass, putClock } from '../clock.ts';
import { bytesOf } from '../contract/blobs-content.ts';
import { diskEngine, s3Engine } from '../contract/blobs-engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, type RequestOptions, type TestApp } from '../harness.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { data } from './accounts.ts';
import { makePerson } from './files-world.ts';
import {
  complete,
  contentOf,
  digestOf,
  keepsNothingBeside,
  MiB,
  PART,
  putPart,
  start,
  startUploadApp,
  status,
  type UploadApp,
} from './uploads-world.ts';

const GiB = 1024 * MiB;
const LIMIT = 100 * GiB;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

for (const [name, engine, startBlobs] of [
  ['sqlite, blobs on disk', 'sqlite', diskEngine],
  ['postgres, blobs on S3', 'postgres', s3Engine],
] as const) {
  describe(`odd uploads: ${name}`, () => {
    /** For tests that change what a server is set to while it runs. */
    const ofOneNode = engine === 'postgres' && OF_ONE_NODE;
    let storage: UploadApp;
    let app: TestApp;
    before(async () => {
      storage = await startUploadApp(engine, startBlobs, { ATRIUM_MAX_FILE_SIZE: String(LIMIT) });
      app = storage.app;
    });
    after(() => storage.stop());

    const single = (query: string, body: Uint8Array | string, options: RequestOptions = {}) =>
      app.request('POST', `/v1/files?${query}`, { body, ...options });

    /** Sends a request as it is written, whole or not. */
    const sendRaw = (head: string[], body: string, key: string = randomUUID()): Socket => {
      const socket = connect(Number(new URL(app.address).port), '127.0.0.1');
      const auth = ['Host: x', `Authorization: Bearer ${OWNER_KEY}`, `Idempotency-Key: ${key}`];
      socket.write(`${[head[0], ...auth, ...head.slice(1)].join('\r\n')}\r\n\r\n${body}`);
      return socket;
    };

    /** Sends a request as it is written, and answers what comes back until it is whole or the connection ends. */
    const raw = async (head: string[], body: string, key?: string): Promise<string> => {
      const socket = sendRaw(head, body, key);
      let answer = '';
      let isOver = false;
      socket.on('data', (chunk) => (answer += chunk)).once('close', () => (isOver = true));
      await eventually(() => isOver || /\r\n\r\n\{.*\}$/s.test(answer), 'an answer');
      socket.destroy();
      return answer;
    };

    /** How many places are claimed for parts of an upload, or taken by them. */
    const placesOf = async (id: string) =>
      (
        await app.services.database.read((tx) =>
          tx.selectFrom('upload_parts').select('place').where('session_id', '=', id).execute(),
        )
      ).length;

    for (const [size, partSize, partCount] of [
      [1, PART, 1],
      [PART, PART, 1],
      [PART + 1, PART, 2],
      [10_000 * PART, PART, 10_000],
      [10_000 * PART + 1, 2 * PART, 5_001],
      [LIMIT, 2 * PART, 6_400],
    ] as const) {
      it(`an upload of ${size} bytes has ${partCount} parts (FILE-35)`, async (t) => {
        if (size > (await app.services.blobs.free())) return t.skip('the disk has no room for that');
        const session = await start(app, size);
        assert.equal(session.part_size, partSize);
        assert.equal((await status(app, session.session_id)).part_count, partCount);
      });
    }

    it('a file over the limit is refused, and one for which there is no room (FILE-33)', {
      skip: ofOneNode,
    }, async () => {
      const large = await app.post('/v1/files/uploads', { filename: 'a', size: LIMIT + 1 });
      assert.deepEqual([large.status, large.json.error.code], [413, 'file_too_large']);
      const { free } = app.services.blobs;
      app.services.blobs.free = async () => 9;
      const full = await app.post('/v1/files/uploads', { filename: 'a', size: 10 });
      const fullSingle = await single('filename=a', bytesOf(10));
      app.services.blobs.free = free;
      for (const { status: code, json } of [full, fullSingle])
        assert.deepEqual([code, json.error.code], [507, 'quota_exceeded']);
    });

    it('every number that no part has is refused (FILE-38, FILE-39)', async () => {
      const { session_id: id } = await start(app, PART + 5);
      for (const number of ['0', '-1', '3', '10001', '1000000000', '1.5', 'one', '01', '+1', '%201']) {
        const { status: code, json } = await putPart(app, id, number, bytesOf(5));
        assert.deepEqual([code, json.error.code], [400, 'invalid_part_number'], number);
        assert.ok('actual' in json.error.details && Array.isArray(json.error.details.expected), number);
      }
      const headers = { 'content-digest': 'nothing' };
      const both = await putPart(app, id, '0', bytesOf(5), { headers });
      assert.equal(both.json.error.details.errors[0].parameter, 'Content-Digest');
      const third = await putPart(app, id, 3, bytesOf(5));
      assert.deepEqual(third.json.error.details, { expected: [1, 2], actual: 3 });
    });

    it('a part of another length is refused, and nothing of it is kept (FILE-36, FILE-39)', async () => {
      const left = await storage.blobs();
      const { session_id: id } = await start(app, PART + 5);
      for (const [number, size, expected] of [
        [1, PART - 1, PART],
        [1, PART + 1, PART],
        [1, 0, PART],
        [2, 4, 5],
        [2, PART, 5],
      ] as const) {
        const { status: code, json } = await putPart(app, id, number, bytesOf(size));
        assert.deepEqual([code, json.error.code], [400, 'invalid_part_size'], `${number} of ${size}`);
        assert.deepEqual(json.error.details, { expected, actual: size });
      }
      assert.equal((await status(app, id)).received_bytes, 0);
      await keepsNothingBeside(left, storage.blobs);
    });

    it('a part requires a length, and may have any media type and no encoding (FILE-38, FILE-39)', async () => {
      const { session_id: id } = await start(app, 3);
      const chunked = await raw(
        [`PUT /v1/files/uploads/${id}/parts/1 HTTP/1.1`, 'Transfer-Encoding: chunked'],
        '3\r\nabc\r\n0\r\n\r\n',
      );
      assert.match(chunked, /^HTTP\/1.1 411 .*"code":"length_required"/s);
      const none = await raw([`PUT /v1/files/uploads/${id}/parts/1 HTTP/1.1`], '');
      assert.match(none, /^HTTP\/1.1 411 /);
      for (const type of ['text/html', 'application/json', 'image/png', 'no type', 'a/b; c'])
        data(await putPart(app, id, 1, 'abc', { headers: { 'content-type': type } }));
      assert.match(
        await raw([`PUT /v1/files/uploads/${id}/parts/1 HTTP/1.1`, 'Content-Length: 3'], 'abc'),
        /^HTTP\/1.1 200 /,
      );
      const packed = await putPart(app, id, 1, 'abc', { headers: { 'content-encoding': 'gzip' } });
      assert.equal(packed.status, 415);
    });

    it('keeps nothing of a part that breaks off', async () => {
      const left = await storage.blobs();
      const { session_id: id } = await start(app, PART);
      const socket = sendRaw(
        [`PUT /v1/files/uploads/${id}/parts/1 HTTP/1.1`, `Content-Length: ${PART}`],
        'x'.repeat(MiB),
      );
      await eventually(async () => (await placesOf(id)) === 1, 'the part is on its way');
      socket.destroy();
      await eventually(async () => (await placesOf(id)) === 0, 'the part is given up');
      assert.deepEqual((await status(app, id)).missing_parts, [[1, 1]]);
      data(await putPart(app, id, 1, bytesOf(PART)));
      const file = data(await complete(app, id), 201);
      assert.ok(bytesOf(PART).equals(await contentOf(app, file.id, OWNER_KEY)));
      const added = (await storage.blobs()).filter((blob) => !left.includes(blob));
      assert.equal(added.length, 1, 'the part went to its place');
    });

    it('belongs to its user', async () => {
      const other = await makePerson(app);
      const { session_id: id } = await start(app, 3);
      const path = `/v1/files/uploads/${id}`;
      const options = { key: other.key };
      for (const answer of [
        await app.get(path, options),
        await putPart(app, id, 1, 'abc', options),
        await complete(app, id, options),
        await app.delete(path, options),
      ]) {
        assert.deepEqual([answer.status, answer.json.error.code], [404, 'not_found']);
        assert.deepEqual(answer.json.error.details, { resource: 'upload', id });
      }
    });

    for (const [filename, isFine] of [
      ['🎬 film.mp4', true],
      ['x'.repeat(255), true],
      ['🎬'.repeat(255), true],
      ['..', true],
      ['a"b;c', true],
      ['x'.repeat(256), false],
      ['🎬'.repeat(256), false],
      ['', false],
      ['a/b', false],
      ['a\\b', false],
      ['a\u0000b', false],
      ['a\u007fb', false],
      ['a\nb', false],
      ['a\u0085b', false],
      ['e\u0301'.repeat(127), true],
      ['e\u0301'.repeat(128), false],
    ] as const) {
      it(`an upload ${isFine ? 'takes' : 'refuses'} the filename ${JSON.stringify(filename).slice(0, 20)} (FILE-4, FILE-5, FILE-12)`, async () => {
        const started = await app.post('/v1/files/uploads', { filename, size: 1 });
        const sent = await single(`filename=${encodeURIComponent(filename)}`, 'x');
        for (const { status: code, text } of [started, sent]) assert.equal(code, isFine ? 201 : 400, text);
        if (isFine) assert.deepEqual([sent.json.data.filename, sent.json.data.title], [filename, filename]);
      });
    }

    it('a file comes in one request, with its digest checked (FILE-15, FILE-28, FILE-53)', async () => {
      const folder = data(await app.post('/v1/file-folders', { name: 'Letters' }), 201);
      const bytes = bytesOf(3 * MiB);
      const key = randomUUID();
      const query = `filename=film.mp4&folder_id=${folder.id}`;
      const sent = await single(query, bytes, { idempotencyKey: key });
      const file = data(sent, 201);
      assert.deepEqual(
        [file.filename, file.size_bytes, file.mime_type, file.folder_id],
        ['film.mp4', bytes.length, 'application/octet-stream', folder.id],
      );
      assert.ok(bytes.equals(await contentOf(app, file.id, OWNER_KEY)));
      const left = await storage.blobs();
      const again = await single(query, bytes, { idempotencyKey: key });
      assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [sent.text, 'true']);
      assert.equal((await single(query, bytesOf(3 * MiB, 1), { idempotencyKey: key })).status, 422);
      const wrong = await single('filename=a', 'abc', { headers: { 'content-digest': digestOf(bytes) } });
      assert.equal(wrong.json.error.code, 'digest_mismatch');
      const nowhere = await single('filename=a&folder_id=dir_none', 'abc');
      assert.deepEqual([nowhere.status, nowhere.json.error.code], [404, 'not_found']);
      assert.equal((await app.delete(`/v1/file-folders/${folder.id}`)).status, 204);
      const trashed = await single(query, 'abc');
      assert.deepEqual([trashed.status, trashed.json.error.code], [409, 'folder_trashed']);
      await keepsNothingBeside(left, storage.blobs);
      const empty = data(await single('filename=empty.txt', ''), 201);
      assert.deepEqual([empty.size_bytes, empty.mime_type], [0, 'application/x-empty']);
      await keepsNothingBeside(left, storage.blobs);
      const text = data(await single('filename=notes.md', '# Notes'), 201);
      assert.equal(text.mime_type, 'text/markdown');
      const lastCounts = `${digestOf(bytes)}, ${digestOf(Buffer.from('abc'))}`;
      data(await single('filename=a', 'abc', { headers: { 'content-digest': lastCounts } }), 201);
    });

    it('takes a chunked file in one request, up to the limit', { skip: ofOneNode }, async () => {
      const head = ['POST /v1/files?filename=a.txt HTTP/1.1', 'Transfer-Encoding: chunked'];
      const { maxFileSize } = app.services.uploads.limits;
      assert.match(await raw(head, '3\r\nabc\r\n0\r\n\r\n'), /^HTTP\/1.1 201 .*"size_bytes":3/s);
      app.services.uploads.limits.maxFileSize = 2;
      const left = await storage.blobs();
      assert.match(await raw(head, '3\r\nabc\r\n0\r\n\r\n'), /^HTTP\/1.1 413 .*"code":"file_too_large"/s);
      const announced = await single('filename=a', 'abc');
      // "Media type and size (415, 413) → Idempotency-Key": the size is told first.
      const headers = { 'content-type': 'text/plain' };
      const keyless = await app.request('POST', '/v1/files?filename=a', {
        body: 'abc',
        headers,
        idempotencyKey: null,
      });
      app.services.uploads.limits.maxFileSize = maxFileSize;
      assert.deepEqual([announced.status, announced.json.error.code], [413, 'file_too_large']);
      assert.deepEqual([keyless.status, keyless.json.error.code], [413, 'file_too_large']);
      await keepsNothingBeside(left, storage.blobs);
    });

    it('refuses a large body for an unknown folder, and says so again', async () => {
      const left = await storage.blobs();
      const headers = { 'idempotency-key': randomUUID() };
      for (const replayed of [null, 'true']) {
        const refused = await single('filename=a&folder_id=dir_none', bytesOf(4 * MiB), { headers });
        assert.deepEqual([refused.status, refused.json.error.code], [404, 'not_found']);
        assert.equal(refused.headers.get('idempotency-replayed'), replayed);
      }
      await keepsNothingBeside(left, storage.blobs);
    });

    it('a single-request upload is cut off after 100 seconds, and nothing of it is kept (FILE-54)', {
      skip: ofOneNode,
    }, async () => {
      const { singleRequest } = app.services.uploads.limits;
      const { afterMs } = singleRequest;
      assert.equal(afterMs, 100_000);
      const left = await storage.blobs();
      singleRequest.afterMs = 300;
      const head = ['POST /v1/files?filename=a.txt HTTP/1.1', 'Content-Length: 1000'];
      const answer = await raw(head, 'only some');
      singleRequest.afterMs = afterMs;
      assert.match(answer, /^HTTP\/1.1 408 .*"code":"upload_timeout"/s);
      await keepsNothingBeside(left, storage.blobs);
      const listed = data(await app.get('/v1/files?q=only'));
      assert.deepEqual(listed, []);
    });

    it('cuts the repeat of a single request off as well, which is read for what it is', {
      skip: ofOneNode,
    }, async () => {
      const { singleRequest } = app.services.uploads.limits;
      const { afterMs } = singleRequest;
      const key = randomUUID();
      data(await single('filename=again.txt', 'abc', { headers: { 'idempotency-key': key } }), 201);
      singleRequest.afterMs = 300;
      const head = ['POST /v1/files?filename=again.txt HTTP/1.1', 'Content-Length: 1000'];
      const answer = await raw(head, 'only some', key);
      singleRequest.afterMs = afterMs;
      assert.match(answer, /^HTTP\/1.1 408 .*"code":"upload_timeout"/s);
      const again = await single('filename=again.txt', 'abc', { headers: { 'idempotency-key': key } });
      assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true']);
    });

    it('goes on where whoever claimed the place of a part died before the blob was begun', async () => {
      const bytes = bytesOf(100);
      const { session_id: id, document_id: fileId } = await start(app, bytes.length);
      await app.services.database.write(async (tx) => {
        const session = await tx
          .selectFrom('upload_sessions')
          .select('workspace_id')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const claim = { ...session, session_id: id, number: 1, place: '', tag: null, is_current: 0 };
        await tx.insertInto('upload_parts').values(claim).execute();
      });
      data(await putPart(app, id, 1, bytes));
      data(await complete(app, id), 201);
      assert.ok(bytes.equals(await contentOf(app, fileId, OWNER_KEY)), 'other bytes came back');
    });

    if (engine === 'postgres') {
      it('goes on though the clock of a node is weeks ahead', async (t) => {
        const { session_id: id } = await start(app, 3);
        putClock(t, 2 * app.services.uploads.limits.ttlMs);
        await app.services.uploads.sweep();
        data(await putPart(app, id, 1, 'abc'));
        data(await complete(app, id), 201);
      });
    }

    it('leaves nothing open where an earlier try to complete it has got as far as the blob', async (t) => {
      const { database, blobs } = app.services;
      const { session_id: id } = await start(app, 3);
      data(await putPart(app, id, 1, 'abc'));
      const {
        blob_key: key,
        blob_handle: handle,
        tag,
      } = await database.read((tx) =>
        tx
          .selectFrom('upload_sessions')
          .innerJoin('upload_parts', 'session_id', 'id')
          .select(['blob_key', 'blob_handle', 'tag'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow(),
      );
      data(await putPart(app, id, 1, 'abd'));
      await blobs.complete({ key, handle: handle ?? '' }, [tag ?? '']);
      const get = t.mock.method(blobs, 'get');
      data(await complete(app, id), 201);
      const opened = await Promise.all(get.mock.calls.flatMap(({ result }) => result ?? []));
      assert.ok(opened.length > 0);
      assert.ok(opened.every(({ destroyed }) => destroyed));
    });

    it('an upload expires in time, gives its space back, and is told of for 30 days more (FILE-43, FILE-44, FILE-51, FILE-52)', async () => {
      const left = await storage.blobs();
      const before = Date.now();
      const { session_id: id } = await start(app, 3);
      const { ttlMs } = app.services.uploads.limits;
      assert.equal(ttlMs, app.config.uploadTtlSeconds * 1_000);
      const lifetime = Date.parse((await status(app, id)).expires_at) - before;
      assert.ok(Math.abs(lifetime - ttlMs) < 60_000, `${lifetime} ms`);
      data(await putPart(app, id, 1, 'abc'));
      data(await putPart(app, id, 1, 'abd'));
      await letTimePass(app.services, ttlMs);
      for (const refused of [await putPart(app, id, 1, 'abc'), await complete(app, id)])
        assert.deepEqual([refused.status, refused.json.error.code], [410, 'upload_expired']);
      const { state, received_bytes: bytes, missing_parts: missing } = await status(app, id);
      assert.deepEqual([state, bytes, missing], ['expired', 0, [[1, 1]]]);
      assert.equal((await app.delete(`/v1/files/uploads/${id}`)).status, 204);
      await app.services.uploads.sweep();
      await keepsNothingBeside(left, storage.blobs);
      assert.equal((await status(app, id)).state, 'expired');
      await letTimePass(app.services, 30 * DAY_MS - MINUTE_MS);
      await app.services.uploads.sweep();
      assert.equal((await status(app, id)).state, 'expired');
      await letTimePass(app.services, 2 * MINUTE_MS);
      await app.services.uploads.sweep();
      assert.equal((await app.get(`/v1/files/uploads/${id}`)).status, 404);
    });
  });
}
