import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { numberOfText } from '../../src/formulas/number-text.ts';
import { dayOfWeek, fromSerial, LAST_SERIAL, toSerial } from '../../src/formulas/serial-date.ts';

const YEAR = 2026;

const NUMBERS: readonly [text: string, number: number | undefined][] = [
  ['12', 12],
  [' 12 ', 12],
  ['-1.5e3', -1500],
  ['.5', 0.5],
  ['5.', 5],
  ['$1,200', 1200],
  ['€100', 100],
  ['100 €', 100],
  ['€100€', undefined],
  ['2024-01-10', 45_301],
  [' 2024-01-10 ', undefined],
  ['-$5', -5],
  ['$-5', -5],
  ['(7)', -7],
  ['($1,234.50)', -1234.5],
  ['12%', 0.12],
  ['%12', 0.12],
  ['1 1/2', 1.5],
  ['-0 3/4', -0.75],
  ['1,23', undefined],
  ['1,234,567', 1_234_567],
  ['', undefined],
  ['abc', undefined],
  ['(-5)', undefined],
  ['--5', undefined],
  ['1e999', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  ['TRUE', undefined],
];

const DATES: readonly [text: string, serial: number | undefined][] = [
  ['1/2/2020', 43832],
  ['1-2-2020', 43832],
  ['01/02/20', 43832],
  ['2020-01-02', 43832],
  ['2020/1/2', 43832],
  ['2-Jan-2020', 43832],
  ['2 January 2020', 43832],
  ['January 2, 2020', 43832],
  ['Jan 2 2020', 43832],
  ['Jan 2020', 43831],
  ['1/2020', 43831],
  ['1/2', toSerial(YEAR, 1, 2)],
  ['2-Jan', toSerial(YEAR, 1, 2)],
  ['Jan 2', toSerial(YEAR, 1, 2)],
  ['Jan-45', toSerial(1945, 1, 1)],
  ['2/29', toSerial(2029, 2, 1)],
  ['29-Feb-1900', 60],
  ['1-Mar-1900', 61],
  ['1/1/30', toSerial(1930, 1, 1)],
  ['12/31/9999', LAST_SERIAL],
  ['2/30/2020', undefined],
  ['13/1/2020', undefined],
  ['1/1/1899', undefined],
  ['1-2/2020', undefined],
  ['14:30', 14.5 / 24],
  ['2:30 PM', 14.5 / 24],
  ['12 AM', 0],
  ['12:00:30 am', 30 / 86400],
  ['25:00', 25 / 24],
  ['4:37.5', 277.5 / 86400],
  ['3 a', 0.125],
  ['3:00am', 0.125],
  ['3a', undefined],
  ['13 PM', undefined],
  ['1:60', undefined],
  ['2024-02-29 06:00', 45351.25],
  ['6:00 AM 2/29/2024', 45351.25],
  ['July 4, 2020 12:00', 44016.5],
];

describe('numbers written as text', () => {
  for (const [text, number] of [...NUMBERS, ...DATES]) {
    it(`${JSON.stringify(text)} is read as ${number}`, () => assert.equal(numberOfText(text, YEAR), number));
  }

  it('reads back every number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        assert.equal(numberOfText(String(number), YEAR), number + 0);
      }),
    );
  });

  it('answers soon whatever it is given', () => {
    for (const text of [
      ' '.repeat(1e5),
      '1,'.repeat(1e5),
      '1 '.repeat(1e5),
      '('.repeat(1e5),
      'a '.repeat(1e5),
    ]) {
      assert.equal(numberOfText(`${text}x`, YEAR), undefined);
    }
  });
});

describe('serial numbers of days', () => {
  it('begin before 1 January 1900 and have its leap day', () => {
    assert.deepEqual([0, 1, 59, 60, 61].map(fromSerial), [
      { year: 1900, month: 1, day: 0 },
      { year: 1900, month: 1, day: 1 },
      { year: 1900, month: 2, day: 28 },
      { year: 1900, month: 2, day: 29 },
      { year: 1900, month: 3, day: 1 },
    ]);
  });

  it('are of one day each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST_SERIAL }), (serial) => {
        const { year, month, day } = fromSerial(serial);
        assert.equal(toSerial(year, month, day), serial);
      }),
    );
  });

  it('fall on the days of the week', () => assert.equal(dayOfWeek(toSerial(2026, 7, 5)), 0));
});
