import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TopLevelSpec } from 'vega-lite';
import { CONFIG, draw } from '../pictures.ts';
import { assume } from './assumptions.ts';
import { FIGURES } from './figures.ts';
import { limitsOf, type Plan, shareOf } from './plan.ts';
import { basisText, planned, printed } from './planned.ts';

/** The page that shows the plan, between these two lines. */
export const PAGE = join(import.meta.dirname, '../../docs/scaling.md');
export const PLACE = /(?<=<!-- plan -->\n)[\s\S]*(?=<!-- end of plan -->)/;

/** What stands there: all that the command prints. */
export function pageText(): string {
  return `\n${printed(planned([]))}\n\n${basisText()}\n\n`;
}

/** Writes the tables and the pictures of the page anew. */
export async function documentPlan(): Promise<void> {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(PLACE, () => pageText()),
  );
  const folder = join(import.meta.dirname, '../../docs/scaling');
  await draw(join(folder, 'limits.svg'), limits());
  await draw(join(folder, 'shards.svg'), shards(planned([]).plans));
}

/** What each limit needs of what there may be, in one cluster, as mailboxes grow. */
function limits(): TopLevelSpec {
  const numbers = Array.from({ length: 25 }, (_, step) => Math.round(10 ** (3 + step / 4)));
  const values = numbers.flatMap((mailboxes) =>
    limitsOf(mailboxes, assume(), FIGURES).map((limit) => ({
      mailboxes,
      name: limit.name,
      share: shareOf(limit),
    })),
  );
  const x = { field: 'mailboxes', type: 'quantitative', scale: { type: 'log' }, axis: { format: '~s' } };
  const y = {
    type: 'quantitative',
    scale: { type: 'log', domain: [1e-3, 1e4], clamp: true },
    title: 'needed / available',
  };
  return {
    width: 460,
    height: 320,
    layer: [
      {
        data: { values: [{}] },
        mark: { type: 'rule', color: '#1f2328', strokeWidth: 1.5 },
        encoding: { y: { datum: 1, ...y } },
      },
      {
        data: { values },
        mark: { type: 'line', clip: true },
        encoding: {
          x,
          y: { field: 'share', ...y },
          color: {
            field: 'name',
            type: 'nominal',
            title: null,
            legend: { orient: 'bottom', columns: 1, labelLimit: 460 },
          },
        },
      },
    ],
    config: CONFIG,
  } as TopLevelSpec;
}

/** Shards by their rank, before and after the largest workspaces were isolated. */
function shards(plans: readonly Plan[]): TopLevelSpec {
  const values = plans.flatMap(({ mailboxes, parts, spread }) => {
    const mean = mailboxes / parts.shards;
    const points = (sizes: readonly number[], when: string) =>
      ranks(sizes.length).map((rank) => ({
        rank,
        size: (sizes[rank - 1] ?? 0) / mean,
        when,
        mailboxes: `${mailboxes.toLocaleString('en')} mailboxes`,
      }));
    return [...points(spread.shards, 'by chance'), ...points(spread.afterIsolation, 'after isolation')];
  });
  return {
    data: { values },
    facet: { column: { field: 'mailboxes', type: 'nominal', title: null, sort: null } },
    spec: {
      width: 180,
      height: 200,
      mark: { type: 'line' },
      encoding: {
        x: {
          field: 'rank',
          type: 'quantitative',
          scale: { type: 'log' },
          title: 'rank of the shard',
          axis: { format: '~s' },
        },
        y: { field: 'size', type: 'quantitative', scale: { type: 'log' }, title: 'people / mean shard' },
        color: { field: 'when', type: 'nominal', title: null, sort: null, legend: { orient: 'bottom' } },
      },
    },
    config: CONFIG,
  } as TopLevelSpec;
}

/** Ranks up to this one, evenly far apart on a logarithmic axis. */
function ranks(most: number): number[] {
  const steps = Math.ceil(Math.log10(most) * 12);
  return [...new Set(Array.from({ length: steps + 1 }, (_, step) => Math.round(most ** (step / steps))))];
}
