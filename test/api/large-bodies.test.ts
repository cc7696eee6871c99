/** Large bodies have few places at a time: each is given back, whatever becomes of who had it or waited for it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LargeBodies } from '../../src/server/http/large-bodies.ts';
import { TooManyWaiting } from '../../src/turns/fair-queue.ts';
import { data } from '../areas/accounts.ts';
import { makePerson, type Person } from '../areas/files-world.ts';
import { startApp, type TestApp } from '../harness.ts';
import { openConnection, type RawConnection, request } from './raw-http.ts';

const LARGE = { name: 'large', bytes: 200_000, places: 16 };
const VERY_LARGE = { name: 'very large', bytes: 1_200_000, places: 3 };

describe('a place for a large body', () => {
  const headers = { 'content-length': String(VERY_LARGE.bytes) };
  const never = () => new Promise<never>(() => undefined);
  const answer = async (body: string) => body;

  it('is waited for so long, and held so long for a body that does not come', async () => {
    const bodies = new LargeBodies({ wait: 100, read: 300 });
    const slow = Array.from({ length: VERY_LARGE.places }, () => bodies.answer(headers, never, answer));
    const isLate = slow.map((one) => assert.rejects(one, { code: 'request_timeout' }));
    await assert.rejects(
      bodies.answer(headers, async () => 'body', answer),
      TooManyWaiting,
    );
    await Promise.all(isLate);
    assert.equal(await bodies.answer(headers, async () => 'body', answer), 'body');
  });
});

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
