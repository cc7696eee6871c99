/** The server is killed while documents are written: what was acknowledged is there, and nothing is there twice. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachEngine } from '../engines.ts';
import { type KilledServer, killedServer } from './served-process.ts';

const WRITES = 40;

forEachEngine((engine) => {
  describe('a document whose server is killed', () => {
    let server: KilledServer;
    before(async () => {
      server = await killedServer(engine);
      await server.start();
    });
    after(() => server.remove());

    const request = (method: string, path: string, body?: string, key: string = randomUUID()) =>
      server.request(method, path, {
        ...(body !== undefined && { body }),
        idempotencyKey: key,
        ...(method === 'PUT' && { type: 'text/markdown' }),
      });

    for (const [name, length] of [
      ['small', 10],
      ['large', 200_000],
    ] as const) {
      it(`has every acknowledged ${name} revision once, and goes on`, async () => {
        const created = await request('POST', '/v1/documents', '{"type":"document","title":"T"}');
        const { id } = JSON.parse(created.text).data;
        const path = `/v1/documents/${id}`;
        const writes = Array.from({ length: WRITES }, (_, i) => ({
          key: randomUUID(),
          body: `${i} ${'x'.repeat(length)}`,
          text: '',
        }));
        const sent = writes.map(async (write) => {
          write.text = (await request('PUT', `${path}/content`, write.body, write.key)).text;
        });
        await Promise.all([Promise.allSettled(sent), sleep(40).then(() => server.kill())]);
        await server.start();
        for (const { key, body, text } of writes) {
          const again = await request('PUT', `${path}/content`, body, key);
          assert.equal(again.status, 200, again.text);
          if (text !== '') assert.equal(again.text, text);
          const { revision } = JSON.parse(again.text).data;
          assert.equal((await request('GET', `${path}/revisions/${revision}`)).text, body);
        }
        const revisions = JSON.parse((await request('GET', `${path}/revisions?limit=100`)).text).data;
        assert.deepEqual(
          revisions.map(({ revision }: { revision: number }) => revision),
          Array.from({ length: WRITES + 1 }, (_, i) => WRITES + 1 - i),
        );
      });
    }
  });
});
