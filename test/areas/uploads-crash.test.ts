/** The server is killed at any moment of an upload; another one goes on from what was acknowledged. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOf } from '../contract/blobs-content.ts';
import { filesBelow } from '../contract/blobs-engines.ts';
import { forEachEngine, freshDatabase, type TestDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY } from '../harness.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';
import { PART, partOf } from './uploads-world.ts';

const PARTS = 6;
const WHOLE = bytesOf((PARTS - 1) * PART + 77);
const NUMBERS = Array.from({ length: PARTS }, (_, n) => n + 1);

forEachEngine((engine) => {
  describe('an upload whose server is killed', () => {
    let storage: TestDatabase;
    let server: ServedProcess;
    const start = async (settings: Record<string, string> = {}) => {
      server = await serveProcess({
        ATRIUM_DATA_DIR: storage.dataDir,
        ATRIUM_DATABASE_URL: storage.databaseUrl ?? '',
        ...settings,
      });
    };
    before(async () => {
      storage = await freshDatabase(engine);
      await start();
    });
    after(async () => {
      await server.kill();
      await storage.remove();
    });

    const request = (method: string, path: string, body?: Uint8Array | string, key: string = randomUUID()) =>
      fetch(`${server.address}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${OWNER_KEY}`,
          'idempotency-key': key,
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
      });
    const dataOf = async (answer: Response, status: number) => {
      const text = await answer.text();
      assert.equal(answer.status, status, text);
      return JSON.parse(text).data;
    };
    const startUpload = async () =>
      dataOf(
        await request('POST', '/v1/files/uploads', JSON.stringify({ filename: 'a', size: WHOLE.length })),
        201,
      );
    const statusOf = async (id: string) => dataOf(await request('GET', `/v1/files/uploads/${id}`), 200);
    const assertStored = async (fileId: string) => {
      const content = await request('GET', `/v1/files/${fileId}/content`);
      assert.ok(WHOLE.equals(Buffer.from(await content.arrayBuffer())), 'other bytes came back');
    };

    /** Sends parts, several at once. Answers the numbers that were acknowledged. */
    const send = async (id: string): Promise<number[]> => {
      const acknowledged: number[] = [];
      await Promise.allSettled(
        // Part 2 comes twice at once: one of the two is put aside.
        [...NUMBERS, 2].map(async (number) => {
          await dataOf(
            await request('PUT', `/v1/files/uploads/${id}/parts/${number}`, partOf(WHOLE, number)),
            200,
          );
          acknowledged.push(number);
        }),
      );
      return acknowledged;
    };

    for (const afterMs of [60, 300]) {
      it(`an upload has every acknowledged part when the server was killed after ${afterMs} ms, and is finished (FILE-42)`, async () => {
        const { session_id: id, document_id: fileId } = await startUpload();
        const [acknowledged] = await Promise.all([send(id), sleep(afterMs).then(() => server.kill())]);
        await start();
        const { missing_parts: missing, state } = await statusOf(id);
        const isMissing = (number: number) =>
          missing.some(([first, last]: [number, number]) => first <= number && number <= last);
        assert.deepEqual([state, acknowledged.filter(isMissing)], ['open', []]);
        for (const number of NUMBERS.filter(isMissing))
          await dataOf(
            await request('PUT', `/v1/files/uploads/${id}/parts/${number}`, partOf(WHOLE, number)),
            200,
          );
        const file = await dataOf(await request('POST', `/v1/files/uploads/${id}/complete`), 201);
        assert.equal(file.id, fileId);
        await assertStored(fileId);
      });
    }

    for (const afterMs of [0, 10]) {
      it(`is completed once when it was killed ${afterMs} ms into completing`, async () => {
        const { session_id: id, document_id: fileId } = await startUpload();
        assert.equal((await send(id)).length, PARTS + 1);
        const key = randomUUID();
        const cut = request('POST', `/v1/files/uploads/${id}/complete`, undefined, key).then(
          (answer) => answer.text(),
          () => undefined,
        );
        await sleep(afterMs);
        await server.kill();
        const first = await cut.catch(() => undefined);
        await start();
        const again = await request('POST', `/v1/files/uploads/${id}/complete`, undefined, key);
        const text = await again.text();
        assert.equal(again.status, 201, text);
        if (first !== undefined) assert.equal(text, first);
        assert.equal(JSON.parse(text).data.id, fileId);
        await assertStored(fileId);
      });
    }

    it('an upload that expires gives its space back when a server starts, and within 60 seconds where one runs (FILE-52)', async () => {
      await server.kill();
      const blobs = () => filesBelow(`${storage.dataDir}/blobs`);
      const added = async () => (await blobs()).filter((name) => !left.includes(name));
      const isBack = async () => (await added()).length === 0;
      const partial = async () => {
        const { session_id: id } = await startUpload();
        await dataOf(await request('PUT', `/v1/files/uploads/${id}/parts/1`, partOf(WHOLE, 1)), 200);
        assert.notDeepEqual(await added(), []);
      };
      await start({ ATRIUM_UPLOAD_TTL: '3' });
      const left = await blobs();
      await partial();
      await server.kill();
      await sleep(3_000);
      const started = Date.now();
      await start({ ATRIUM_UPLOAD_TTL: '3' });
      await eventually(isBack, 'a start gives back what has expired');
      assert.ok(Date.now() - started < 15_000, 'it is not left to a later round');
      const begun = Date.now();
      await partial();
      await eventually(isBack, 'a server that runs gives back what has expired');
      assert.ok(Date.now() - begun < 63_000);
    });

    it('leaves no blob that no file has', async () => {
      await server.kill();
      await start();
      const { data } = (await (await request('GET', '/v1/files?limit=200')).json()) as { data: unknown[] };
      const blobs = () => filesBelow(`${storage.dataDir}/blobs`);
      // The one that tells the store from others belongs to no file.
      const expected = data.length + 1;
      await eventually(async () => (await blobs()).length <= expected, 'what no file has is removed');
      assert.equal((await blobs()).length, expected);
    });
  });
});
