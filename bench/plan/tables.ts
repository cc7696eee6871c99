import { ASSUMPTIONS } from './assumptions.ts';
import type { Figures } from './figures.ts';
import { type Plan, shareOf } from './plan.ts';

/** Three significant digits are more than anybody can foresee. */
function readable(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: value < 1 ? 2 : 3 });
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(value, 1)) / 3));
  return `${readable(value / 10 ** (3 * unit))} ${units[unit]}`;
}

function percent(share: number): string {
  return `${readable(share * 100)} %`;
}

type Line = readonly [name: string, of: (plan: Plan, megabytesPerSecond: number) => string];

const max = (values: readonly number[]) => values.reduce((most, one) => Math.max(most, one), 0);
/** What a worker may hold and do is what it gets if all workers had the same. */
const mean = ({ mailboxes, parts }: Plan) => mailboxes / parts.workers;
const movedBytes = ({ demand, mailboxes, spread }: Plan) =>
  (demand.databaseBytes / mailboxes) * spread.balance.moved;

const LINES: readonly Line[] = [
  ['workspaces', ({ spread }) => readable(spread.workspaces)],
  ['people in the largest', ({ spread }) => readable(spread.largest)],
  ['requests a second in the busiest hour', ({ demand }) => readable(demand.requestsPerSecond)],
  ['messages a second that arrive', ({ demand }) => readable(demand.messagesPerSecond)],
  ['bytes of rows and indexes, once', ({ demand }) => bytes(demand.databaseBytes)],
  ['bytes of blobs, once', ({ demand }) => bytes(demand.blobBytes)],
  ['nodes, of one core', ({ parts }) => readable(parts.nodes)],
  ['workers', ({ parts }) => readable(parts.workers)],
  ['servers of PostgreSQL, with coordinator and standbys', ({ parts }) => readable(parts.servers)],
  ['shards', ({ parts }) => parts.shards.toLocaleString('en')],
  ['connections to the coordinator without a pooler', ({ parts }) => readable(parts.connections.direct)],
  ['connections with one', ({ parts }) => readable(parts.connections.pooled)],
  [
    'hottest shard beside the mean',
    ({ spread, mailboxes, parts }) => `${readable(max(spread.shards) / (mailboxes / parts.shards))} ×`,
  ],
  ['hottest shard beside what a worker gets', (plan) => percent(max(plan.spread.shards) / mean(plan))],
  ['workspaces that are isolated', ({ spread }) => readable(spread.isolated)],
  [
    'fullest worker beside the mean, with these isolated',
    (plan) => `${readable(max(plan.spread.balance.before) / mean(plan))} ×`,
  ],
  ['shards that are moved', ({ spread }) => readable(spread.balance.moves)],
  ['bytes that are moved', (plan) => bytes(movedBytes(plan))],
  ['hours of moving, one shard at a time', (plan, rate) => readable(movedBytes(plan) / (rate * 1e6) / 3_600)],
  [
    'fullest worker beside the mean, afterwards',
    (plan) => `${readable(max(plan.spread.balance.after) / mean(plan))} ×`,
  ],
  [
    'bytes that move to a worker that is added',
    ({ demand, parts }) => bytes(demand.databaseBytes / (parts.workers + 1)),
  ],
];

/** The tables of Markdown that the command prints: one cluster for all, what breaks in it, and into how many it is divided. */
export function tablesOf(plans: readonly Plan[], megabytesPerSecond: number): string {
  const head = plans.map(({ mailboxes }) => mailboxes.toLocaleString('en'));
  const rows = LINES.map(([name, of]) => [name, ...plans.map((plan) => of(plan, megabytesPerSecond))]);
  const names = plans.at(-1)?.limits.map(({ name }) => name) ?? [];
  const limits = names.map((name) => [
    name,
    ...plans.map(({ limits }) => {
      const limit = limits.find((one) => one.name === name);
      const share = limit ? shareOf(limit) : 0;
      return share > 1 ? `**${readable(share)} ×**` : percent(share);
    }),
  ]);
  const divided = [
    [
      'clusters, of which nothing breaks',
      ...plans.map(({ clusters }) => (clusters === undefined ? 'none' : readable(clusters))),
    ],
    [
      'mailboxes of each',
      ...plans.map(({ mailboxes, clusters }) =>
        clusters === undefined ? '–' : readable(mailboxes / clusters),
      ),
    ],
    [
      'or installations on one PostgreSQL each',
      ...plans.map(({ plainInstallations }) => readable(plainInstallations)),
    ],
    [
      'mailboxes of each',
      ...plans.map(({ mailboxes, plainInstallations }) => readable(mailboxes / plainInstallations)),
    ],
  ];
  return [
    table(['mailboxes', ...head], rows),
    table(['needed beside what there may be, of mailboxes', ...head], limits),
    table(['divided, of mailboxes', ...head], divided),
  ].join('\n\n');
}

/** What the plan takes as given, and the figures that were measured. */
export function basisOf(figures: Figures): string {
  const assumed = ASSUMPTIONS.map(({ option, value, says }) => [
    `\`--${option}\``,
    value.toLocaleString('en'),
    says,
  ]);
  const measured = Object.values(figures).map(({ says, value, unit, origin }) => [
    says,
    `${readable(value)} ${unit}`,
    origin,
  ]);
  return [table(['assumed', '', ''], assumed), table(['measured', '', 'by'], measured)].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
  const rule = `|${head.map((_, column) => (column === 0 ? '---|' : '--:|')).join('')}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
