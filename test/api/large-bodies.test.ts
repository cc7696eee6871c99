/** Large bodies have few places at a time: each is given back, whatever becomes of who had it or waited for it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { data } from '../areas/accounts.ts';
import { makePerson, type Person } from '../areas/files-world.ts';
import { startApp, type TestApp } from '../harness.ts';
import { openConnection, type RawConnection, request } from './raw-http.ts';

const LARGE = { name: 'large', bytes: 200_000, places: 16 };
const VERY_LARGE = { name: 'very large', bytes: 1_200_000, places: 3 };

describe('large bodies', () => {
  let app: TestApp;
  let slow: Person;
  let other: Person;
  before(async () => {
    app = await startApp('sqlite');
    [slow, other] = [await makePerson(app), await makePerson(app)];
  });
  after(() => app.stop());

  /** Sends so many requests but for most of their bodies. */
  const begin = (count: number, bytes: number): Promise<RawConnection[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const connection = await openConnection(app.address);
        const headers = {
          authorization: `Bearer ${slow.key}`,
          'idempotency-key': randomUUID(),
          'content-type': 'application/json',
          'content-length': String(bytes),
        };
        return connection.send(request('POST /v1/address-books HTTP/1.1', headers, '{"name":"x'));
      }),
    );
  const leave = (connections: readonly RawConnection[]) => {
    for (const { socket } of connections) socket.destroy();
  };
  const sendWhole = async ({ key }: Person, bytes: number) => {
    const { status, json } = await app.post('/v1/address-books', { name: 'x'.repeat(bytes) }, { key });
    assert.equal(status, 400);
    assert.equal(json.error.code, 'validation_failed');
  };

  for (const { name, bytes, places } of [LARGE, VERY_LARGE]) {
    it(`that are ${name} leave others theirs while one user has all of its places`, async () => {
      const senders = await begin(2 * places, bytes);
      await pause(100);
      await sendWhole(other, bytes);
      data(await app.post('/v1/address-books', { name: 'Small' }, { key: slow.key }), 201);
      leave(senders);
      await sendWhole(slow, bytes);
    });

    it(`that are ${name} are read once those before have left, also those that left while they waited`, async () => {
      const senders = await begin(places, bytes);
      await pause(100);
      const waiting = await begin(places, bytes);
      await pause(100);
      leave(waiting);
      await pause(100);
      leave(senders);
      await sendWhole(slow, bytes);
    });
  }
});
