/** `npm run plan`: what it says is reckoned, and the page says the same. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { Random } from '../../bench/mail/random.ts';
import { ASSUMPTIONS, assume } from '../../bench/plan/assumptions.ts';
import { FIGURES } from '../../bench/plan/figures.ts';
import { PAGE, PLACE } from '../../bench/plan/page.ts';
import {
  clustersFor,
  demandOf,
  type Limit,
  limitsOf,
  partsOf,
  planOf,
  shareOf,
} from '../../bench/plan/plan.ts';
import { balance, isolate, placed } from '../../bench/plan/shards.ts';
import { totalOf, workspacesOf } from '../../bench/plan/workspaces.ts';

const COMMAND = join(import.meta.dirname, '../../bench/plan/run.ts');
const mailboxes = fc.integer({ min: 1, max: 3_000_000 });
const sum = (values: Iterable<number>) => Array.from(values).reduce((all, one) => all + one, 0);
const run = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [COMMAND, ...args], { maxBuffer: 2 ** 27 })).stdout;

describe('npm run plan', () => {
  it('prints what docs/scaling.md shows, with every assumption and every figure (OPS-84)', async () => {
    const shown = PLACE.exec(readFileSync(PAGE, 'utf8'))?.[0].trim() ?? '';
    assert.equal((await run()).trim(), shown, 'npm run plan -- --plot writes the page anew');
    for (const { option, says } of ASSUMPTIONS)
      assert.ok(shown.includes(`| \`--${option}\` |`) && shown.includes(says));
    for (const { says, origin } of Object.values(FIGURES))
      assert.ok(shown.includes(`| ${says} |`) && shown.includes(origin));
  });

  it('says the same for the same seed, and places workspaces otherwise for another (OPS-84)', async () => {
    const ask = (...more: string[]) => run('--mailboxes', '200000', '--json', ...more);
    const [first, again, other] = await Promise.all([
      ask('--seed', '1'),
      ask('--seed', '1'),
      ask('--seed', '2'),
    ]);
    assert.equal(first, again);
    assert.notEqual(first, other);
    const [plan] = JSON.parse(first);
    assert.equal(plan.mailboxes, 200_000);
    assert.equal(sum(plan.spread.shards), 200_000);
  });

  it('takes each assumption as an option, and refuses what is none (OPS-84)', async () => {
    const [plan] = JSON.parse(await run('--mailboxes', '1000', '--json', '--messages-per-mailbox', '1'));
    const less = demandOf(1_000, assume({ 'messages-per-mailbox': '1' }), FIGURES);
    assert.equal(plan.demand.databaseBytes, less.databaseBytes);
    for (const { option } of ASSUMPTIONS) {
      assert.notDeepEqual(assume({ [option]: '7.25' }), assume(), option);
      assert.throws(() => assume({ [option]: '-1' }), RangeError);
    }
    await assert.rejects(run('--mailboxes', '0'), /--mailboxes is a whole number above 0/);
    await assert.rejects(run('--unknown', '1'), /Unknown option '--unknown'/);
  });
});

describe('what a plan reckons', () => {
  it('grows with the mailboxes in everything, and never shrinks', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e9 }), (one, other) => {
        const [few, many] = [Math.min(one, other), Math.max(one, other)].map((number) => {
          const demand = demandOf(number, assume(), FIGURES);
          const { nodes, workers, shards, servers, connections } = partsOf(demand, assume());
          const limits = limitsOf(number, assume(), FIGURES).map((limit: Limit) => limit.needed);
          const { databaseBytes, blobBytes } = demand;
          return [
            databaseBytes,
            blobBytes,
            nodes,
            workers,
            shards,
            servers,
            connections.direct,
            connections.pooled,
            ...limits,
          ];
        });
        few?.forEach((value, at) => void assert.ok(value <= (many?.[at] ?? 0)));
      }),
    ));

  it('divides into the fewest clusters in which nothing breaks', () => {
    const breaks = (number: number, clusters: number) =>
      limitsOf(number / clusters, assume(), FIGURES).some(
        (limit) => !limit.isOfNoPooler && shareOf(limit) > 1,
      );
    for (const number of [1e5, 1e6, 1e8, 1e9]) {
      const clusters = clustersFor(number, assume(), FIGURES) ?? assert.fail(`none for ${number}`);
      assert.equal(breaks(number, clusters), false);
      if (clusters > 1) assert.equal(breaks(number, clusters - 1), true);
    }
    assert.equal(clustersFor(1e9, assume({ 'worker-terabytes': '0.001' }), FIGURES), undefined);
  });

  it('names first what breaks first', () => {
    const { limits } = planOf(1e6, 1, assume(), FIGURES);
    const shares = limits.map(shareOf);
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => b - a),
    );
  });
});

describe('workspaces', () => {
  it('have all mailboxes together, and none is larger than may be', () =>
    fc.assert(
      fc.property(
        mailboxes,
        fc.integer({ min: 1, max: 100_000 }),
        fc.double({ min: 1.1, max: 3, noNaN: true }),
        (number, largest, exponent) => {
          const classes = workspacesOf(number, { largest, exponent });
          assert.equal(totalOf(classes).people, number);
          assert.ok(classes.every(({ size, count }) => size <= largest && size > 0 && count > 0));
        },
      ),
      { numRuns: 20 },
    ));

  it('follow the power law: ten times larger ones are a hundred times rarer at exponent 2', () => {
    const classes = workspacesOf(1e8, { largest: 100_000, exponent: 2 });
    const from = (least: number, most: number) =>
      sum(classes.filter(({ size }) => size >= least && size < most).map(({ count }) => count));
    // Between n and 2n there are a tenth as many as between n/10 and n/5.
    const ratio = from(100, 200) / from(1_000, 2_000);
    assert.ok(Math.abs(ratio - 10) < 0.5, `${ratio}`);
  });
});

describe('shards', () => {
  const shards = fc.integer({ min: 1, max: 200 });

  it('have all people together, and the hottest has the mean at least', () =>
    fc.assert(
      fc.property(mailboxes, shards, fc.integer(), (number, count, seed) => {
        const people = placed(
          workspacesOf(number, { largest: 100_000, exponent: 2 }),
          count,
          new Random(seed),
        );
        assert.equal(sum(people), number);
        assert.ok(people.every((one) => one >= 0 && Number.isInteger(one)));
        assert.ok(Math.max(...people) >= number / count);
      }),
      { numRuns: 20 },
    ));

  it('are filled evenly by many equal workspaces', () => {
    const people = placed([{ size: 1, count: 1_000_000 }], 100, new Random(1));
    // Six deviations of the binomial distribution.
    assert.ok(people.every((one) => Math.abs(one - 10_000) < 600));
  });

  it('of workers are moved without losing anybody, until no move makes it better', () =>
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 100 }),
        fc.integer({ min: 1, max: 12 }),
        (sizes, workers) => {
          const { before, after, moves, moved } = balance(sizes, workers, 0.1);
          assert.equal(sum(before), sum(sizes));
          assert.equal(sum(after), sum(sizes));
          assert.ok(Math.max(...after) <= Math.max(...before));
          assert.ok(Math.max(...after) * workers >= sum(sizes));
          assert.equal(moves > 0, moved > 0);
          const gap = Math.max(...after) - Math.min(...after);
          const isEven =
            Math.max(...after) * workers <= sum(sizes) * 1.1 &&
            Math.min(...after) * workers >= sum(sizes) * 0.9;
          assert.ok(isEven || gap <= Math.max(...sizes));
        },
      ),
    ));

  it('of their own go to the workspaces above the bound', () => {
    const classes = [5, 3, 1].map((size) => ({ size, count: 1 }));
    const { isolated, together } = isolate(classes, 3);
    assert.deepEqual([isolated, together], [classes.slice(0, 1), classes.slice(1)]);
  });
});
