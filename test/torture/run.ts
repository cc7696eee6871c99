/**
 * Tortures Atrium on SQLite, on PostgreSQL and with two nodes. `--minutes` is the time for all, 5 unless given;
 * `--setting` names one; `--seed` repeats the choices of a run.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Setting } from './cluster.ts';
import { torture } from './torture.ts';

const SETTINGS: Setting[] = ['sqlite', 'postgres', 'two nodes'];
/** What of the time is for writing; proofs and starts take the rest. */
const WRITING = 0.5;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    setting: { type: 'string' },
    seed: { type: 'string', default: randomUUID().slice(0, 8) },
  },
});
const { seed } = values;
const settings = SETTINGS.filter((setting) => setting === (values.setting ?? setting));
const writingMs = (Number(values.minutes) * 60_000 * WRITING) / settings.length;
if (!(writingMs > 0 && Number.isFinite(writingMs)))
  throw new Error(`--minutes is a number, and --setting one of ${SETTINGS.join(', ')}.`);
for (const setting of settings) {
  console.log(`${setting}: seed ${seed}`);
  const { writes, losses, faults } = await torture({
    setting,
    seed,
    writingMs,
    replays: 300,
  });
  console.log(
    `${setting}: ${writes} writes acknowledged, ${losses} answers lost to ${named(faults)}; everything is there once.`,
  );
}

function named(faults: Record<string, number>): string {
  const made = Object.entries(faults).filter(([, count]) => count > 0);
  return made.map(([name, count]) => `${name}: ${count}`).join(', ');
}
