/** Writes that wait for the same lock share transactions, and each is answered as if it were alone. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type JointRequest, JointWrites } from '../../src/once/joint-writes.ts';
import { StorageUnavailable } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { onBehalfOf } from '../../src/turns/current-user.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { lockNamed } from '../lock-named.ts';

interface Numbered extends JointRequest {
  readonly number: number;
}

const request = (number: number, more: Partial<Numbered> = {}): Numbered => ({
  number,
  key: `key ${number}`,
  size: 20,
  ...more,
});

/** Asks nothing before the requests are chosen. */
const nothing = async () => undefined;

test('who came late is not refused with who has waited too long for the lock', async () => {
  const storage = await freshDatabase('postgres');
  const [holder, database] = [
    openPostgres(storage.databaseUrl ?? ''),
    openPostgres(storage.databaseUrl ?? '', { statementTimeoutMs: 3_000 }),
  ];
  const joint = new JointWrites<Numbered, number, void>(
    database,
    nothing,
    async (_tx, requests) => new Map(requests.map((one) => [one, one.number])),
  );
  const { promise: isRefused, resolve: release } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const holding = holder.write(async (tx) => {
    await tx.lock(lockNamed('lock'));
    await tx.settled();
    held();
    await isRefused;
  });
  await isHeld;
  const early = joint.do(lockNamed('lock'), request(1)).finally(release);
  // Longer than anybody is waited for before the lock is asked for.
  await wait(100);
  const late = joint.do(lockNamed('lock'), request(2));
  await assert.rejects(early, StorageUnavailable);
  assert.equal(await late, 2);
  await holding;
  for (const one of [database, holder]) await one.close();
  await storage.remove();
});

forEachEngine((engine) => {
  describe('joint writes', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    /** Answers each request with its number, and notes which were done together. */
    const jointWrites = (portions: number[][]) =>
      new JointWrites<Numbered, number, void>(app.services.database, nothing, async (_tx, requests) => {
        portions.push(requests.map(({ number }) => number));
        return new Map(requests.map((one) => [one, one.number]));
      });
    const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

    test('those that are there at once are one transaction, in their order, and each has its own answer', async () => {
      const portions: number[][] = [];
      const joint = jointWrites(portions);
      const answers = await Promise.all(
        numbers(30).map((number) => joint.do(lockNamed('lock'), request(number))),
      );
      assert.deepEqual(answers, numbers(30));
      assert.deepEqual(portions, [numbers(30)]);
    });

    test('while each turn of the event loop brings one more, they are one transaction', async (t) => {
      // On a slow machine the longest gathering may be over after a turn or two.
      t.mock.method(performance, 'now', () => 0);
      const portions: number[][] = [];
      const joint = jointWrites(portions);
      const answers: Promise<number>[] = [];
      const { promise: areAllSent, resolve: sent } = Promise.withResolvers<void>();
      const send = (number: number) => {
        if (number < 9) setImmediate(send, number + 1);
        else sent();
        answers.push(joint.do(lockNamed('lock'), request(number)));
      };
      send(0);
      await areAllSent;
      assert.deepEqual(await Promise.all(answers), numbers(10));
      assert.deepEqual(portions, [numbers(10)]);
    });

    test('a transaction takes so many and so large ones, and one that is larger alone', async () => {
      const portions: number[][] = [];
      const joint = jointWrites(portions);
      await Promise.all(numbers(250).map((number) => joint.do(lockNamed('many'), request(number))));
      assert.deepEqual(
        portions.splice(0).map(({ length }) => length),
        [100, 100, 50],
      );
      const sizes = [50_000, 50_000, 1_000_000, 10, 10];
      await Promise.all(sizes.map((size, number) => joint.do(lockNamed('large'), request(number, { size }))));
      assert.deepEqual(portions, [[0], [1], [2], [3, 4]]);
    });

    test('users come in turn: one who has sent one large request waits for one of another who has sent many', async () => {
      const portions: number[][] = [];
      const joint = jointWrites(portions);
      const send = (whom: string, number: number) =>
        onBehalfOf(whom, () => joint.do(lockNamed('shared'), request(number, { size: 50_000 })));
      await Promise.all([...numbers(9).map((number) => send('busy', number)), send('other', 9)]);
      assert.deepEqual(portions, [
        [0],
        [9],
        ...numbers(9)
          .slice(1)
          .map((number) => [number]),
      ]);
    });

    test('of those with the same key the second comes after the first', async () => {
      const portions: number[][] = [];
      const joint = jointWrites(portions);
      const same = [0, 1, 2].map((number) => request(number, { key: number === 1 ? 'key 2' : 'key 1' }));
      await Promise.all(same.map((one) => joint.do(lockNamed('lock'), one)));
      assert.deepEqual(portions, [[0, 1], [2]]);
    });

    test('of those with other locks none waits', async () => {
      const portions: number[][] = [];
      const joint = jointWrites(portions);
      await Promise.all(numbers(3).map((number) => joint.do(lockNamed(`lock ${number}`), request(number))));
      assert.deepEqual(portions.flat().sort(), numbers(3));
      assert.equal(portions.length, 3);
    });

    test('one that is refused rejects alone; what fails rejects all of its transaction and no other', async () => {
      const joint = new JointWrites<Numbered, number, void>(
        app.services.database,
        nothing,
        async (_tx, requests) => {
          if (requests.some(({ number }) => number === 100)) throw new Error('failed');
          return new Map(requests.map((one) => [one, one.number === 3 ? new Error('refused') : one.number]));
        },
      );
      const outcomes = await Promise.allSettled(
        numbers(150).map((n) => joint.do(lockNamed('lock'), request(n))),
      );
      const reasons = outcomes.map((one) => (one.status === 'rejected' ? one.reason.message : 'fine'));
      assert.deepEqual(
        reasons,
        numbers(150).map((number) => (number >= 100 ? 'failed' : number === 3 ? 'refused' : 'fine')),
      );
      assert.equal(await joint.do(lockNamed('lock'), request(7)), 7, 'and the next one is done');
    });
  });
});
