/** That trials by mutation tell what is killed from what survives, and that what is explained is still there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { EXPLAINED } from './explained.ts';
import { judge } from './judgement.ts';
import { type Mutant, makeMutants } from './mutants.ts';
import type { Result } from './results.ts';
import { SUBJECTS } from './subjects.ts';
import { Trials } from './trials.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('subjects of mutation', () => {
  const files = Object.values(SUBJECTS).flatMap((subject) => Object.keys(subject));

  test('name files and tests that are there, each file once', () => {
    assert.equal(new Set(files).size, files.length);
    const tests = Object.values(SUBJECTS).flatMap((subject) => Object.values(subject).flat());
    for (const file of [...files, ...tests]) assert.ok(existsSync(join(ROOT, file)), file);
  });

  test('have explanations of lines that are there, each once', () => {
    const named = EXPLAINED.map(({ why, ...mutant }) => JSON.stringify(mutant));
    assert.equal(new Set(named).size, named.length);
    for (const { file, line, original } of EXPLAINED) {
      assert.ok(files.includes(file), file);
      const source = readFileSync(join(ROOT, file), 'utf8');
      assert.ok(source.split('\n').some((one) => one.trim() === line) && source.includes(original), line);
    }
  });
});

describe('a judgement', () => {
  const [explained] = EXPLAINED;
  assert.ok(explained);
  const { file } = explained;
  const mutant: Mutant = { ...explained, id: '1', lineNumber: 1, column: 1 };
  const killed = (count: number): Result[] =>
    Array.from({ length: count }, (_, i) => ({ ...mutant, line: `${i}`, fate: i ? 'killed' : 'endless' }));
  const all = EXPLAINED.filter((one) => one.file === file).map(
    (one): Result => ({ ...mutant, ...one, fate: 'survived' }),
  );

  test('takes nine of ten killed, where the others are explained', () => {
    const { isGoodEnough, percent, ...counts } = judge([file], [...killed(9 * all.length), ...all]);
    assert.deepEqual([isGoodEnough, percent], [true, 90]);
    assert.deepEqual(counts, {
      mutants: 10 * all.length,
      killed: 9 * all.length,
      endless: 1,
      explained: all.length,
      unexplained: [],
      needless: [],
    });
    assert.equal(judge([file], [...killed(9 * all.length - 1), ...all]).isGoodEnough, false);
  });

  test('refuses a survivor that is not explained, and an explanation without one', () => {
    const other: Result = { ...mutant, replacement: 'other', fate: 'survived' };
    const unexplained = judge([file], [...killed(1_000), ...all, other]);
    assert.deepEqual([unexplained.isGoodEnough, unexplained.unexplained], [false, [other]]);
    const needless = judge([file], [...killed(1_000), ...all.slice(1)]);
    assert.deepEqual([needless.isGoodEnough, needless.needless.length], [false, 1]);
  });
});

test('a mutant dies where a test notices it, and survives where none does', async (t) => {
  const { mutants, sources } = await makeMutants(['src/areas/calendar/recurrence/intervals.ts']);
  const idOf = (original: string, replacement: string) => {
    const found = mutants.find((one) => one.original === original && one.replacement === replacement);
    return found?.id ?? assert.fail(`${original} → ${replacement} is no mutant`);
  };
  const trials = new Trials(sources);
  t.after(() => trials.end());
  const tests = ['test/areas/calendar-free-slots.test.ts'];
  await trials.rehearse(new Set(tests));
  const dead = await trials.try(idOf('start >= end', 'start < end'), tests);
  assert.equal(dead.fate, 'killed');
  assert.match(dead.by ?? '', /^test\/areas\/calendar-free-slots\.test\.ts: /);
  const alive = await trials.try(idOf('intervals[middle]?.end', 'intervals[middle].end'), tests);
  assert.deepEqual(alive, { fate: 'survived' });
});
