import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { makeSpreadsheet, put, rangePath } from '../areas/spreadsheets-world.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

/** What one user may have to wait for others. */
const BOUND_MS = 1_000;
const ATTEMPTS = 3;

/** The machine may be busy with something else: the best of a few attempts counts. */
async function assertQuick(work: () => Promise<number>): Promise<void> {
  const waits: number[] = [];
  while (waits.length < ATTEMPTS && !waits.some((wait) => wait < BOUND_MS)) waits.push(await work());
  assert.ok(Math.min(...waits) < BOUND_MS, `took ${waits.map(Math.round).join(', ')} ms`);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Keys of users that nothing else belongs to. */
async function keysOf(app: TestApp, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await makeUser(app);
    const permissions = [
      'docs.documents.read',
      'docs.documents.write',
      'sheets.values.read',
      'sheets.values.write',
      'files.read',
      'files.write',
      'mail.messages.write',
      'mail.messages.read',
    ] as const;
    keys.push((await makeKey(app, permissions, { user_id: id })).key);
  }
  return keys;
}

/** Many requests that nobody waits for; they end with the application. */
function sendAndForget(requests: readonly (() => Promise<unknown>)[]): void {
  for (const request of requests) void request().catch(() => undefined);
}

const HEAVY: Record<string, (row: number) => string> = {
  'formulas that take seconds each': () =>
    '=SUM(MAP(SEQUENCE(3000,1000),LAMBDA(x,SUM(SEQUENCE(300,1000)*x))))',
  'many formulas that take a moment each': (row) => `=SUM(SEQUENCE(${1_000 + row},100)*2)`,
  'lambdas that call each other': () =>
    '=LET(f,LAMBDA(g,n,IF(n=0,SUM(SEQUENCE(3000,1000)),g(g,n-1)+g(g,n-1))),f(f,400))',
};

describe('users with heavy spreadsheets', () => {
  for (const [what, formula] of Object.entries(HEAVY)) {
    for (const [users, requests] of [
      [2, 1],
      [4, 2],
      [8, 10],
    ] as const) {
      it(`${users} with ${requests} of ${what} leave the values of others their second`, async () => {
        const app = await startApp(ANY_ENGINE);
        try {
          const hostile = await keysOf(app, users);
          const [other = ''] = await keysOf(app, 1);
          const values = Array.from({ length: 200 }, (_, row) => [formula(row)]);
          const sheets: { id: string; key: string }[] = [];
          for (const key of hostile) {
            for (let i = 0; i < requests; i++) {
              const id = await makeSpreadsheet(app, 'Heavy', key);
              assert.equal((await put(app, id, 'A1:A200', values, { key })).status, 200);
              sheets.push({ id, key });
            }
          }
          sendAndForget(
            sheets.map(
              ({ id, key }) =>
                () =>
                  app.get(rangePath(id, 'A1', '?render=value'), { key }),
            ),
          );
          await pause(200);
          await assertQuick(async () => {
            const id = await makeSpreadsheet(app, 'Light', other);
            data(await put(app, id, 'A1', [['=2+2']], { key: other }));
            return timeOf(async () => {
              const answer = await app.get(rangePath(id, 'A1', '?render=value'), { key: other });
              assert.deepEqual(data(answer).values, [[4]]);
            });
          });
        } finally {
          await app.stop();
        }
      });
    }
  }

  it('get no second calculation of a version that was stopped, until they write', async () => {
    const app = await startApp(ANY_ENGINE);
    try {
      const id = await makeSpreadsheet(app);
      const heavy = HEAVY['formulas that take seconds each'] ?? (() => '');
      await put(
        app,
        id,
        'A1:A200',
        Array.from({ length: 200 }, (_, row) => [heavy(row)]),
      );
      const read = () => app.get(rangePath(id, 'A1', '?render=value'));
      const first = await read();
      assert.equal(first.json.error.code, 'calculation_stopped');
      const again = await timeOf(async () => {
        const answers = await Promise.all([read(), read(), read()]);
        for (const { json } of answers) assert.equal(json.error.code, 'calculation_stopped');
      });
      assert.ok(again < 3_000, `took ${again} ms`);
      await put(
        app,
        id,
        'A1:A200',
        Array.from({ length: 200 }, () => ['=1+1']),
      );
      assert.deepEqual(data(await read()).values, [[2]]);
    } finally {
      await app.stop();
    }
  });
});
