import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ARRAY_FUNCTIONS } from '../../../src/formulas/functions/arrays/index.ts';
import { DATABASE_FUNCTIONS } from '../../../src/formulas/functions/database.ts';
import { DATETIME_FUNCTIONS } from '../../../src/formulas/functions/datetime/index.ts';
import { INFORMATION_FUNCTIONS } from '../../../src/formulas/functions/information.ts';
import { LOGICAL_FUNCTIONS } from '../../../src/formulas/functions/logical.ts';
import { LOOKUP_FUNCTIONS } from '../../../src/formulas/functions/lookup/index.ts';
import { TEXT_FUNCTIONS } from '../../../src/formulas/functions/text/index.ts';
import { WEB_FUNCTIONS } from '../../../src/formulas/functions/web.ts';
import { evaluate } from './evaluate.ts';

const FUNCTIONS = [
  ...ARRAY_FUNCTIONS,
  ...DATABASE_FUNCTIONS,
  ...DATETIME_FUNCTIONS,
  ...INFORMATION_FUNCTIONS,
  ...LOGICAL_FUNCTIONS,
  ...LOOKUP_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...WEB_FUNCTIONS,
];

/** What somebody may write where something else is wanted; nothing at all among it. */
const ARGUMENTS = [
  '',
  '0',
  '1',
  '-1',
  '2.5',
  '1E+300',
  '-1E+300',
  '40000',
  '""',
  '"abc"',
  '"2020-01-02"',
  '"*"',
  '"~"',
  '"[$"',
  'TRUE',
  'NA()',
  '{1,2;3,4}',
  '{"a",TRUE,#N/A}',
  'A1',
  'Z9',
  'A1:C3',
  'A1:A4000',
  '(A1:B2,C3)',
];

const INPUTS = [
  ['Name', 'Count', 1],
  ['b', 2, true],
  ['c', '=1/0', null],
];

describe('functions whatever they are given', () => {
  for (const { name, parameters, required, repeats } of FUNCTIONS) {
    if (parameters.length === 0) continue;
    it(`${name} comes to a value`, () => {
      const most = parameters.length + (repeats ?? 0);
      const args = fc.array(fc.constantFrom(...ARGUMENTS), {
        minLength: Math.max(required, 1),
        maxLength: most,
      });
      const formulas = fc.sample(args, { seed: 7, numRuns: 25 });
      for (const value of evaluate(
        formulas.map((given) => `${name}(${given.join(',')})`),
        INPUTS,
      )) {
        assert.ok(['number', 'string', 'boolean'].includes(typeof value));
      }
    });
  }
});

describe('texts that are made to be looked at for long', () => {
  // Looked through from each place to the end, any of them would hold the thread of calculations for a minute.
  for (const [formula, shown] of [
    ['TEXT(1,REPT("[",32000))', '#VALUE!'],
    ['INDIRECT(REPT("1",32000))', '#REF!'],
    ['NUMBERVALUE(REPT("1",32000)&"x")', '#VALUE!'],
    ['NUMBERVALUE(REPT("%",32000)&"x")', '#VALUE!'],
  ] as const) {
    it(`${formula} is ${shown}, soon`, () => assert.deepEqual(evaluate([formula], INPUTS), [shown]));
  }
});
