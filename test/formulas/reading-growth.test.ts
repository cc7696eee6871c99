/** Formulas are read in a time that grows with their length, whatever is repeated in them, up to the longest that there may be. */
import { describe, it } from 'node:test';
import { followSteps } from '../../src/areas/spreadsheets/structure/references.ts';
import { formulaFromFile } from '../../src/formats/workbooks/formulas/formula-reader.ts';
import { withIntersections } from '../../src/formats/workbooks/formulas/intersections.ts';
import { formulaForFile } from '../../src/formats/workbooks/formulas/to-file.ts';
import { MAX_FORMULA } from '../../src/formulas/limits.ts';
import { tokensOf, tokensOfFile } from '../../src/formulas/syntax/formula-library.ts';
import { parseFormula } from '../../src/formulas/syntax/parse.ts';
import { assertLinear } from '../growth.ts';

const CHARACTERS = [...`'"[]{(.1aA:!#@$ ,+-%`];
const PAIRS = CHARACTERS.flatMap((first) => CHARACTERS.map((second) => first + second));
/** Of three characters, those that begin or end a name, a number or a text. */
const TRIPLES = PAIRS.filter((pair) => /['"[.1]/.test(pair)).flatMap((pair) =>
  [...`'"[]1a.`].map((last) => pair + last),
);
const LONGER = [
  'A1:',
  'A1#',
  'a:',
  '1:1 ',
  'A1:B2:',
  '@A1:',
  'SUM(',
  '_xlfn.SINGLE(1):',
  'LAMBDA(a,',
  "'a'!A1,",
];

const insertion = { kind: 'insert', axis: 'rows', sheet: { id: 's', name: 'S' }, at: 0, count: 1 } as const;

const READERS: Record<string, { read: (formula: string) => unknown; units: readonly string[] }> = {
  'to tokens': {
    read: (formula) => [
      tokensOf(formula, { withLocation: true }),
      tokensOfFile(formula, { withLocation: true }),
    ],
    units: [...CHARACTERS, ...PAIRS, ...TRIPLES],
  },
  'as the machine that computes reads them': { read: parsed, units: [...CHARACTERS, ...PAIRS, ...LONGER] },
  'as references follow': {
    read: (formula) => followSteps(formula, 's', [insertion]),
    units: [...CHARACTERS, ...PAIRS, ...LONGER],
  },
  'for files': { read: formulaForFile, units: [...CHARACTERS, ...PAIRS, ...LONGER] },
  'from files': {
    read: (formula) => withIntersections(formulaFromFile(formula.slice(1))),
    units: [...CHARACTERS, ...PAIRS, ...LONGER],
  },
};

/** What is quadratic takes longer for the longest formula. */
const SUSPICIOUS_MS = 25;

describe('formulas are read in linear time', () => {
  for (const [name, { read, units }] of Object.entries(READERS)) {
    it(`formulas are read ${name} in linear time`, { timeout: 900_000 }, async () => {
      for (const unit of units) {
        const make = (size: number) => `=${unit.repeat(size / unit.length)}`.slice(0, size);
        if (isQuick(read, make(MAX_FORMULA)) || isQuick(read, make(MAX_FORMULA))) continue;
        await assertLinear(`${name}: ${JSON.stringify(unit)}`, make, read, { size: MAX_FORMULA / 2 });
      }
    });
  }
});

function isQuick(read: (formula: string) => unknown, formula: string): boolean {
  const start = process.cpuUsage();
  read(formula);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 < SUSPICIOUS_MS;
}

/** A refusal is an answer too. */
function parsed(formula: string): unknown {
  try {
    return parseFormula(formula);
  } catch {
    return undefined;
  }
}
