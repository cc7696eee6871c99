/** A server that is killed while an endpoint has a change and has not answered: it goes on when started again, or another node does. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { openDatabase } from '../../src/storage/open.ts';
import { sendWrite } from '../api/nodes.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';
import { OWNER_KEY } from '../harness.ts';
import { type S3, startS3 } from '../s3.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const GROUPS = 6;
const HELD = 3;

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`webhooks of a server that is killed, on ${engine}`, () => {
    let storage: TestDatabase;
    let receiver: Receiver;
    /** What two nodes have in common. */
    let s3: S3 | undefined;
    const started: ServedProcess[] = [];
    before(async () => {
      storage = await freshDatabase(engine);
      s3 = engine === 'postgres' ? await startS3() : undefined;
      receiver = await startReceiver();
    });
    after(async () => {
      for (const server of started) await server.kill();
      await receiver.stop();
      await s3?.stop();
      await storage.remove();
    });

    async function serve(): Promise<ServedProcess> {
      const server = await serveProcess({
        ATRIUM_DATA_DIR: storage.dataDir,
        ATRIUM_DATABASE_URL: storage.databaseUrl,
        ATRIUM_WEBHOOK_ALLOW: '127.0.0.1',
        ...(s3 && { ATRIUM_BLOBS: s3.blobs, ...s3.env }),
      });
      started.push(server);
      return server;
    }

    /** Ends the lease that the dead process held, as time would. */
    async function endLeases(): Promise<number> {
      const database = await openDatabase(storage);
      const ended = await database.write(async (tx) => {
        const held = await tx
          .selectFrom('webhooks')
          .select('id')
          .where('leased_until', '>', Date.now())
          .execute();
        await tx.updateTable('webhooks').set({ leased_until: 0 }).execute();
        return held.length;
      });
      await database.close();
      return ended;
    }

    it('its changes are all delivered, in order, and at most the one under way twice (CHANGE-59)', {
      timeout: 300_000,
    }, async () => {
      const first = await serve();
      const post = async (path: string, body: object) => {
        const write = { path, body: JSON.stringify(body), idempotencyKey: randomUUID() };
        const answer = await sendWrite(first.address, write);
        assert.equal(answer.status, 201, answer.text);
        return JSON.parse(answer.text).data;
      };
      const folders = await fetch(`${first.address}/v1/folders`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      const inbox = ((await folders.json()) as { data: { id: string }[] }).data[0]?.id;
      const messages: string[] = [];
      for (let i = 0; i < GROUPS; i++) {
        const write = { body: `Subject: ${i}\r\n\r\nbody`, contentType: 'message/rfc822' };
        const path = `/v1/folders/${inbox}/messages`;
        const answer = await sendWrite(first.address, { ...write, path, idempotencyKey: randomUUID() });
        messages.push(JSON.parse(answer.text).data.id);
      }
      await post('/v1/webhooks', { url: receiver.url, types: ['message.changed'] });
      receiver.reply = () => (receiver.received.length < HELD ? 200 : undefined);
      for (const id of messages) {
        const body = JSON.stringify({ message_ids: [id], op: 'add', flags: ['starred'] });
        const path = `/v1/folders/${inbox}/messages/flags`;
        assert.equal(
          (await sendWrite(first.address, { path, body, idempotencyKey: randomUUID() })).status,
          200,
        );
      }
      await receiver.waitFor(HELD);
      // The other node of PostgreSQL is there before, and finds the lease held.
      if (s3) await serve();
      await first.kill();
      receiver.reply = () => 200;
      assert.equal(await endLeases(), 1, 'the dead process held it');
      if (!s3) await serve();
      await receiver.waitFor(GROUPS + 1);
      const delivered = receiver.received.map(({ event }) => event.data.ids.message_ids[0]);
      assert.deepEqual(delivered, [...messages.slice(0, HELD), ...messages.slice(HELD - 1)]);
    });
  });
