import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { makeSpreadsheet, put, rangePath } from '../areas/spreadsheets-world.ts';
import type { TestApp } from '../harness.ts';
import { assertQuick, BOUND_MS, begin, type Person, timeOf, withUsers } from './isolation-world.ts';

/** What others may have to wait for eighty spreadsheets of eight users. */
const BOUND_OF_MANY_MS = 4_000;

const HEAVY: Record<string, (row: number) => string> = {
  'formulas that take seconds each': () =>
    '=SUM(MAP(SEQUENCE(3000,1000),LAMBDA(x,SUM(SEQUENCE(300,1000)*x))))',
  'many formulas that take a moment each': (row) => `=SUM(SEQUENCE(${1_000 + row},100)*2)`,
  'formulas that are searched from each place': (row) => `=${1_000 + row}+${'.1'.repeat(4_090)}`,
  'formulas that take long to compile': (row) => `=${1_000 + row}${'+A1*1'.repeat(1_630)}`,
  'lambdas that call each other': () =>
    '=LET(f,LAMBDA(g,n,IF(n=0,SUM(SEQUENCE(3000,1000)),g(g,n-1)+g(g,n-1))),f(f,400))',
};

/** A spreadsheet with so many rows of a formula; answers its id. */
async function sheetOf(app: TestApp, { key }: Person, formulas: string[]): Promise<string> {
  const id = await makeSpreadsheet(app, 'Formulas', key);
  data(
    await put(
      app,
      id,
      'A1',
      formulas.map((formula) => [formula]),
      { key },
    ),
  );
  return id;
}

const firstValue = (app: TestApp, { key }: Person, id: string) =>
  app.get(rangePath(id, 'A1', '?render=value'), { key });

describe('users with heavy spreadsheets', () => {
  for (const [what, formula] of Object.entries(HEAVY)) {
    const formulas = Array.from({ length: 120 }, (_, row) => formula(row));
    for (const [users, requests, boundMs] of [
      [2, 1, BOUND_MS],
      // Each of them may have a turn before others, and each turn that is lost is begun anew beside it.
      [8, 10, BOUND_OF_MANY_MS],
    ] as const) {
      it(`${users} with ${requests} of ${what} delay others by at most ${boundMs} ms`, async () => {
        const measure = async (app: TestApp, hostile: Person[], other: Person) => {
          const reads: (() => Promise<unknown>)[] = [];
          for (const user of hostile) {
            for (let i = 0; i < requests; i++) {
              const id = await sheetOf(app, user, formulas);
              reads.push(() => firstValue(app, user, id));
            }
          }
          await begin(reads);
          await assertQuick(async () => {
            const id = await sheetOf(app, other, ['=2+2']);
            return timeOf(async () => assert.deepEqual(data(await firstValue(app, other, id)).values, [[4]]));
          }, boundMs);
        };
        await withUsers(users, measure, 0);
      });
    }
  }

  it('a version whose calculation was stopped is refused without a second one, until somebody writes (SHEET-33)', async () => {
    await withUsers(0, async (app, _hostile, user) => {
      const heavy = HEAVY['formulas that take seconds each'] ?? (() => '');
      const id = await sheetOf(
        app,
        user,
        Array.from({ length: 200 }, (_, row) => heavy(row)),
      );
      const refused = async () => {
        const { json } = await firstValue(app, user, id);
        assert.equal(json.error.code, 'calculation_stopped');
      };
      const first = await timeOf(refused);
      const again = await timeOf(() => Promise.all([refused(), refused(), refused()]));
      assert.ok(again < first / 4, `took ${again} ms after ${first} ms`);
      const written = Array.from({ length: 200 }, () => ['=1+1']);
      data(await put(app, id, 'A1', written, { key: user.key }));
      assert.deepEqual(data(await firstValue(app, user, id)).values, [[2]]);
    });
  });
});
