import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { periodOf, smooth } from '../../../src/formulas/numerics/exponential-smoothing.ts';
import { type Cells, checkFormulas, evaluate } from './evaluate.ts';

const SEASON = [10, 40, 25, -5];

const NOISE = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4];

/** Times in A, a straight line in B, a line with a season of four in C, and first days of months in D. */
const SERIES: Cells = Array.from({ length: 24 }, (_, at) => [
  100 + at,
  5 + 2 * at,
  at + (SEASON[at % 4] ?? 0),
  Date.UTC(2024, at, 1) / 86_400_000 + 25_569,
]);

const unspent = () => undefined;

describe('FORECAST.ETS', () => {
  checkFormulas(
    [
      ['ROUND(FORECAST.ETS(126,B1:B24,A1:A24),6)', 57],
      ['ROUND(FORECAST.ETS(126.5,B1:B24,A1:A24),6)', 58],
      ['ROUND(FORECAST.ETS(125,C1:C24,A1:A24),6)', 65],
      ['ROUND(FORECAST.ETS(DATE(2026,2,1),C1:C24,D1:D24),6)', 65],
      ['FORECAST.ETS.SEASONALITY(C1:C24,A1:A24)', 4],
      ['FORECAST.ETS.SEASONALITY(B1:B24,A1:A24)', 1],
      ['ROUND(FORECAST.ETS.CONFINT(125,C1:C24,A1:A24),6)', 0],
      ['FORECAST.ETS.STAT(C1:C24,A1:A24,8)', 1],
      ['ROUND(FORECAST.ETS.STAT(C1:C24,A1:A24,6),6)', 0],
      ['FORECAST.ETS(99,B1:B24,A1:A24)', '#NUM!'],
      ['FORECAST.ETS(126,B1:B24,A1:A23)', '#N/A'],
      ['FORECAST.ETS(126,B1:B24,A1:A24,-1)', '#NUM!'],
      ['FORECAST.ETS(126,B1:B24,A1:A24,20)', '#NUM!'],
      ['FORECAST.ETS(5,{1,2,3},{1,2,3.3})', '#NUM!'],
      ['ROUND(FORECAST.ETS(7,{2,4,8,10,12},{1,2,4,5,6}),6)', 14],
      ['ROUND(FORECAST.ETS(5,{2,1,3,6,8},{1,2,2,3,4},1,1,7),6)', 10],
      ['FORECAST.ETS.STAT(B1:B24,A1:A24,9)', '#NUM!'],
    ],
    SERIES,
  );

  it('widens with the distance and with how sure one wants to be', () => {
    const noisy: Cells = SERIES.map((row, at) => [row[0] as number, (row[1] as number) + (NOISE[at] ?? 0)]);
    const [near, far, surer] = evaluate(
      [
        'FORECAST.ETS.CONFINT(124,B1:B24,A1:A24)',
        'FORECAST.ETS.CONFINT(130,B1:B24,A1:A24)',
        'FORECAST.ETS.CONFINT(124,B1:B24,A1:A24,0.99)',
      ],
      noisy,
    ) as [number, number, number];
    assert.ok(near > 0 && far > near && surer > near, `${near} ${far} ${surer}`);
  });

  it('finds the season of what repeats, and goes on with it', () => {
    const season = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(season, (one) => {
        const series = Array.from({ length: one.length * 4 }, (_, at) => one[at % one.length] ?? 0);
        const period = periodOf(series, unspent);
        assert.equal(one.length % period, 0);
        const { errors } = smooth(series, period, unspent);
        assert.ok(errors.every((error) => Math.abs(error) < 1e-6));
      }),
      { numRuns: 30 },
    );
  });
});
