import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { verify } from '../../src/start/verification.ts';
import { bytesOf } from '../contract/blobs-content.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import {
  complete,
  contentOf,
  digestOf,
  forEachStorage,
  keepsNothingBeside,
  PART,
  partOf,
  putPart,
  start,
  status,
  type UploadApp,
} from './uploads-world.ts';

runWorksTwice();

const LAST = 54_321;
const WHOLE = bytesOf(2 * PART + LAST);

forEachStorage((startStorage) => {
  describe('an upload in parts', () => {
    let storage: UploadApp;
    let app: TestApp;
    before(async () => {
      storage = await startStorage();
      app = storage.app;
    });
    after(() => storage.stop());

    const put = (
      session: string,
      number: number,
      bytes = partOf(WHOLE, number),
      idempotencyKey = randomUUID(),
    ) => putPart(app, session, number, bytes, { idempotencyKey });
    const putAll = async (session: string) => {
      for (const answer of await Promise.all([1, 2, 3].map((number) => put(session, number)))) data(answer);
    };
    const assertWhole = async (fileId: string, expected = WHOLE) =>
      assert.ok(expected.equals(await contentOf(app, fileId, OWNER_KEY)), 'other bytes came back');

    it('an upload takes parts in any order, and makes the file that was promised (FILE-10, FILE-30, FILE-31, FILE-34, FILE-41, FILE-42, FILE-43, FILE-44, FILE-45, FILE-46, FILE-48)', async () => {
      const session = await start(app, WHOLE.length, { filename: 'film.bin', mime_type: 'video/mp4' });
      assert.deepEqual(Object.keys(session).sort(), ['document_id', 'part_size', 'session_id', 'total_size']);
      assert.deepEqual([session.part_size, session.total_size], [PART, WHOLE.length]);
      const id = session.session_id;
      const third = data(await put(id, 3));
      assert.deepEqual(third, { part_number: 3, size: LAST, received_bytes: LAST });
      assert.equal(data(await put(id, 1)).received_bytes, PART + LAST);
      const { expires_at: expiresAt, ...told } = await status(app, id);
      assert.match(expiresAt, /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/);
      assert.deepEqual(told, {
        ...session,
        filename: 'film.bin',
        state: 'open',
        part_count: 3,
        received_bytes: PART + LAST,
        received_parts: [
          [1, 1],
          [3, 3],
        ],
        missing_parts: [[2, 2]],
      });
      const missing = await complete(app, id);
      assert.deepEqual([missing.status, missing.json.error.code], [409, 'parts_missing']);
      assert.deepEqual(missing.json.error.details, { missing_parts: [[2, 2]] });
      data(await put(id, 2));
      const file = data(await complete(app, id), 201);
      assert.deepEqual(
        [
          file.id,
          file.type,
          file.title,
          file.filename,
          file.mime_type,
          file.size_bytes,
          file.state,
          file.folder_id,
        ],
        [
          session.document_id,
          'file',
          'film.bin',
          'film.bin',
          'application/octet-stream',
          WHOLE.length,
          'active',
          '',
        ],
      );
      assert.deepEqual(data(await app.get(`/v1/files/${file.id}`)), file);
      await assertWhole(file.id);
      const after = await status(app, id);
      assert.deepEqual(
        [after.state, after.received_bytes, after.received_parts, after.missing_parts],
        ['finished', WHOLE.length, [[1, 3]], []],
      );
    });

    it('an upload takes nothing more once it is finished (FILE-49, FILE-50)', async () => {
      const { session_id: id, document_id: fileId } = await start(app, 3);
      const first = randomUUID();
      const answer = await put(id, 1, bytesOf(3), first);
      data(answer);
      const done = randomUUID();
      const finished = await complete(app, id, { idempotencyKey: done });
      data(finished, 201);
      for (const refused of [
        await put(id, 1, bytesOf(3)),
        await complete(app, id),
        await app.delete(`/v1/files/uploads/${id}`),
      ]) {
        assert.deepEqual([refused.status, refused.json.error.code], [409, 'upload_finished']);
        assert.deepEqual(refused.json.error.details, { file_id: fileId });
      }
      const again = await put(id, 1, bytesOf(3), first);
      assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [answer.text, 'true']);
      const doneAgain = await complete(app, id, { idempotencyKey: done });
      assert.deepEqual([doneAgain.status, doneAgain.text], [201, finished.text]);
      const other = await put(id, 1, bytesOf(3, 1), first);
      assert.deepEqual([other.status, other.json.error.code], [422, 'idempotency_key_reused']);
      await assertWhole(fileId, bytesOf(3));
    });

    it('keeps the refusal of a finished upload under its Idempotency-Key', async () => {
      const { session_id: id } = await start(app, 3);
      data(await put(id, 1, bytesOf(3)));
      data(await complete(app, id), 201);
      const key = randomUUID();
      const refused = await put(id, 1, bytesOf(3), key);
      const again = await put(id, 1, bytesOf(3), key);
      assert.deepEqual([again.status, again.text], [409, refused.text]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.equal((await put(id, 1, bytesOf(3, 1), key)).status, 422);
    });

    it('a part that comes again replaces the earlier one, whose space is given back (FILE-41)', async () => {
      const left = await storage.blobs();
      const { session_id: id } = await start(app, WHOLE.length);
      data(await put(id, 2, bytesOf(PART, 5)));
      data(await put(id, 2, bytesOf(PART, 6)));
      data(await put(id, 2, bytesOf(PART, 7)));
      assert.equal(data(await put(id, 2)).received_bytes, PART);
      const before = await storage.blobs();
      data(await put(id, 2));
      await eventually(
        async () => (await storage.blobs()).length <= before.length,
        'the replaced part is removed',
      );
      await putAll(id);
      const file = data(await complete(app, id), 201);
      await assertWhole(file.id);
      const added = async () => (await storage.blobs()).filter((blob) => !left.includes(blob));
      await eventually(async () => (await added()).length === 1, 'what was put aside is removed');
    });

    it('an upload keeps the part that it has when another in its place fails (FILE-40, FILE-41)', async () => {
      const { session_id: id } = await start(app, WHOLE.length);
      await putAll(id);
      const wrong = await putPart(app, id, 1, bytesOf(PART, 9), {
        headers: { 'content-digest': digestOf(partOf(WHOLE, 1)) },
      });
      assert.deepEqual([wrong.status, wrong.json.error.code], [400, 'digest_mismatch']);
      assert.deepEqual(wrong.json.error.details, {
        expected: digestOf(partOf(WHOLE, 1)),
        actual: digestOf(bytesOf(PART, 9)),
      });
      const key = randomUUID();
      data(await put(id, 3, partOf(WHOLE, 3), key));
      assert.equal((await put(id, 3, bytesOf(LAST, 9), key)).status, 422);
      await assertWhole(data(await complete(app, id), 201).id);
    });

    it('the digest of a part is checked (FILE-40)', async () => {
      const { session_id: id } = await start(app, 3);
      const send = (header: string) => putPart(app, id, 1, 'abc', { headers: { 'content-digest': header } });
      assert.equal((await send(digestOf(Buffer.from('abd')))).json.error.code, 'digest_mismatch');
      assert.deepEqual((await status(app, id)).missing_parts, [[1, 1]]);
      for (const header of ['sha-256=abc', 'sha-256=:YQ==:', 'nothing', 'sha-256=:!:'])
        assert.equal((await send(header)).json.error.code, 'validation_failed', header);
      data(await send('unixsum=:AAAA:'));
      data(await send(`md5=:AAAA:, ${digestOf(Buffer.from('abc'))}`));
      await assertWhole(data(await complete(app, id), 201).id, Buffer.from('abc'));
    });

    it('an upload takes sixteen parts at once, and the same part twice at once (FILE-41)', async () => {
      const whole = bytesOf(15 * PART + 1, 3);
      const { session_id: id } = await start(app, whole.length);
      const numbers = [...Array.from({ length: 16 }, (_, n) => n + 1), 4, 16];
      for (const answer of await Promise.all(numbers.map((number) => put(id, number, partOf(whole, number)))))
        data(answer);
      const { received_bytes: bytes, received_parts: parts } = await status(app, id);
      assert.deepEqual([bytes, parts], [whole.length, [[1, 16]]]);
      await assertWhole(data(await complete(app, id), 201).id, whole);
    });

    it('leaves the bytes of one of two different parts that come at once, whole', async () => {
      for (let round = 0; round < 3; round++) {
        const { session_id: id } = await start(app, PART);
        const both = [bytesOf(PART, 1), bytesOf(PART, 2)];
        for (const answer of await Promise.all(both.map((bytes) => put(id, 1, bytes)))) data(answer);
        const { id: fileId } = data(await complete(app, id), 201);
        const stored = await contentOf(app, fileId, OWNER_KEY);
        assert.ok(both.some((bytes) => bytes.equals(stored)));
      }
    });

    it('is completed once by requests that come at once', async () => {
      const { session_id: id, document_id: fileId } = await start(app, WHOLE.length);
      await putAll(id);
      const key = randomUUID();
      const answers = await Promise.all([
        complete(app, id, { idempotencyKey: key }),
        complete(app, id, { idempotencyKey: key }),
        complete(app, id),
        complete(app, id),
      ]);
      const made = answers.filter((answer) => answer.status === 201);
      assert.equal(new Set(made.map(({ text }) => text)).size, 1);
      for (const { status: code, json } of answers.filter((answer) => answer.status !== 201)) {
        assert.deepEqual(
          [code, json.error.code, json.error.details.file_id],
          [409, 'upload_finished', fileId],
        );
      }
      await assertWhole(fileId);
    });

    it('an upload is completed without a copy of its bytes (FILE-47)', async () => {
      const { session_id: id } = await start(app, 2 * PART + 1);
      for (const [number, size] of [PART, PART, 1].entries())
        data(await putPart(app, id, number + 1, bytesOf(size)));
      const [places, requests] = [await storage.places(), storage.requests.length];
      data(await complete(app, id), 201);
      const added = (await storage.places()).filter((place) => !places.includes(place));
      assert.deepEqual(added, [], 'no file but those that held the parts');
      const written = storage.requests.slice(requests).filter((request) => request.startsWith('PUT'));
      assert.deepEqual(written, [], 'nothing is written, nor copied, into the bucket');
    });

    it('is whole when a part is replaced while it is completed', async () => {
      for (let round = 0; round < 5; round++) {
        const { session_id: id } = await start(app, PART);
        const [before, after] = [bytesOf(PART, 1), bytesOf(PART, 2)];
        data(await put(id, 1, before));
        const [replaced, completed] = await Promise.all([put(id, 1, after), complete(app, id)]);
        const file = data(completed, 201);
        const stored = await contentOf(app, file.id, OWNER_KEY);
        assert.ok((replaced.status === 200 ? after : before).equals(stored), `${replaced.text}`);
      }
    });

    it('an upload gives its space back when it is aborted, and stays aborted (FILE-44, FILE-50, FILE-51, FILE-52)', async () => {
      const left = await storage.blobs();
      const { session_id: id } = await start(app, WHOLE.length);
      await putAll(id);
      data(await put(id, 1, bytesOf(PART, 8)));
      const path = `/v1/files/uploads/${id}`;
      assert.equal((await app.delete(path)).status, 204);
      assert.equal((await app.delete(path)).status, 204);
      await keepsNothingBeside(left, storage.blobs);
      const { state, received_bytes: bytes, missing_parts: missing } = await status(app, id);
      assert.deepEqual([state, bytes, missing], ['aborted', 0, [[1, 3]]]);
      for (const refused of [await put(id, 1), await complete(app, id)])
        assert.deepEqual([refused.status, refused.json.error.code], [410, 'upload_aborted']);
    });

    it('is cut off by an abort while parts are on their way', async () => {
      const left = await storage.blobs();
      const { session_id: id } = await start(app, 4 * PART);
      const answers = Promise.all(
        Array.from({ length: 4 }, (_, n) => put(id, n + 1, bytesOf(PART, n))).map((answer) =>
          answer.catch(String),
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal((await app.delete(`/v1/files/uploads/${id}`)).status, 204);
      for (const answer of await answers)
        if (typeof answer !== 'string') assert.ok([200, 410].includes(answer.status), answer.text);
      await keepsNothingBeside(left, storage.blobs);
    });

    it('an upload of an empty file has no parts and is completed at once (FILE-15, FILE-37)', async () => {
      const session = await start(app, 0, { filename: 'empty.txt' });
      assert.deepEqual([session.part_size, session.total_size], [PART, 0]);
      const { part_count: count, missing_parts: missing } = await status(app, session.session_id);
      assert.deepEqual([count, missing], [0, []]);
      const refused = await put(session.session_id, 1, Buffer.alloc(0));
      assert.equal(refused.json.error.code, 'invalid_part_number');
      const file = data(await complete(app, session.session_id), 201);
      assert.deepEqual([file.size_bytes, file.mime_type], [0, 'application/x-empty']);
      assert.equal((await contentOf(app, file.id, OWNER_KEY)).length, 0);
    });

    it('an upload lands in its folder, and is refused while that is in the trash (FILE-28, FILE-31)', async () => {
      const folder = data(await app.post('/v1/file-folders', { name: `Films ${randomUUID()}` }), 201);
      const { session_id: id } = await start(app, 3, { folder_id: folder.id });
      data(await put(id, 1, bytesOf(3)));
      assert.equal((await app.delete(`/v1/file-folders/${folder.id}`)).status, 204);
      const refused = await complete(app, id);
      assert.deepEqual([refused.status, refused.json.error.code], [409, 'folder_trashed']);
      const other = await app.post('/v1/files/uploads', { filename: 'a', size: 1, folder_id: folder.id });
      assert.deepEqual([other.status, other.json.error.code], [409, 'folder_trashed']);
      assert.equal((await status(app, id)).state, 'open');
      data(await app.post(`/v1/file-folders/${folder.id}/restore`));
      assert.equal(data(await complete(app, id), 201).folder_id, folder.id);
    });

    it('the type of an upload is told by its bytes, whatever was declared and recorded (FILE-6, FILE-13, FILE-32, FILE-46)', async () => {
      const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex');
      const { session_id: id } = await start(app, png.length, {
        filename: 'notes.txt',
        mime_type: 'text/plain',
      });
      data(await put(id, 1, png));
      assert.equal(data(await complete(app, id), 201).mime_type, 'image/png');
      const { declared_type: declared } = await app.services.database.read((tx) =>
        tx
          .selectFrom('upload_sessions')
          .select('declared_type')
          .where('id', '=', id)
          .executeTakeFirstOrThrow(),
      );
      assert.equal(declared, 'text/plain');
    });

    it('leaves nothing but files whose bytes are those that came in', async () => {
      const progress = { rows: 0, blobs: 0, bytes: 0 };
      assert.deepEqual(await verify(app.services, progress), []);
      assert.ok(progress.blobs > 5);
    });
  });
});
