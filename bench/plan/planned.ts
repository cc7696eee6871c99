import { parseArgs } from 'node:util';
import { ASSUMPTIONS, assume } from './assumptions.ts';
import { FIGURES } from './figures.ts';
import { type Plan, planOf } from './plan.ts';
import { basisOf, tablesOf } from './tables.ts';

const MAILBOXES = [1_000_000, 100_000_000, 1_000_000_000];
const OPTIONS = {
  mailboxes: { type: 'string' },
  seed: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
  plot: { type: 'boolean', default: false },
} as const;

/** What a command line asked for. */
export interface Planned {
  readonly plans: readonly Plan[];
  /** While a shard moves. */
  readonly megabytesPerSecond: number;
  readonly isJson: boolean;
  readonly isPlotted: boolean;
}

/** Plans what these arguments ask for. Throws RangeError and TypeError for arguments that are none. */
export function planned(args: readonly string[]): Planned {
  const assumed = Object.fromEntries(ASSUMPTIONS.map(({ option }) => [option, { type: 'string' } as const]));
  const { values } = parseArgs({ args: [...args], options: { ...assumed, ...OPTIONS } });
  const { mailboxes: number, seed: seedText, json, plot, ...given } = values;
  const assumptions = assume(given);
  const seed = Number(seedText);
  if (!Number.isSafeInteger(seed)) throw new RangeError('--seed is a whole number.');
  const numbers = number === undefined ? MAILBOXES : [Number(number)];
  return {
    plans: numbers.map((mailboxes) => planOf(mailboxes, seed, assumptions, FIGURES)),
    megabytesPerSecond: assumptions.machines.movedMegabytes,
    isJson: json,
    isPlotted: plot,
  };
}

/** The tables that the command prints. */
export function printed({ plans, megabytesPerSecond }: Planned): string {
  return tablesOf(plans, megabytesPerSecond);
}

/** What is assumed, with its default, and what was measured. */
export function basisText(): string {
  return basisOf(FIGURES);
}
