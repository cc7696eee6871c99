/**
 * Draws the figures of a run as pictures in docs/performance: a picture an area, each figure beside its ceiling and its bar,
 * and one of the servers of others. Keeps the figures in figures.json, each run in history.csv, and those that have a bar in
 * bars.md.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { TopLevelSpec } from 'vega-lite';
import { type Bar, barOf, reaches } from './bars.ts';
import { PEERS } from './peers.ts';
import { CONFIG, draw } from './pictures.ts';
import { type Figure, readable } from './report.ts';

const FOLDER = join(import.meta.dirname, '../docs/performance');

/** Areas and how the names of their benchmarks begin. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  mail: ['mail-'],
  files: ['files-'],
  contacts: ['contacts'],
  calendar: ['free-busy'],
  documents: ['documents', 'spreadsheets', 'recalculation', 'formulas', 'workbooks'],
  search: ['search'],
  changes: ['changes'],
  console: ['console'],
  server: ['start', 'storage', 'mixed-load'],
};

/** A figure as it is kept, with the benchmark and the day of its run. */
export interface KeptFigure extends Figure {
  readonly bench: string;
  readonly date: string;
}

interface Kept {
  machine: string;
  figures: KeptFigure[];
}

/** Keeps and draws the figures of benchmarks that ran just now; those of other benchmarks stay as they are. */
export async function plot(
  measured: readonly { bench: string; figures: readonly Figure[] }[],
): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const kept = keep(measured);
  for (const [area, benches] of Object.entries(AREAS)) {
    const figures = kept.figures.filter(({ bench }) => benches.some((name) => bench.startsWith(name)));
    // Nothing is nowhere on an axis of multiples.
    const drawn = figures.filter((figure) => figure.value > 0 && besideOf(figure) !== undefined);
    if (drawn.length > 0) await draw(picture(area), ratios(drawn));
  }
  await draw(picture('others'), besideOthers(kept.figures));
  writeFileSync(join(FOLDER, 'bars.md'), pageOfBars(kept));
}

function picture(name: string): string {
  return join(FOLDER, `${name}.svg`);
}

function keep(measured: readonly { bench: string; figures: readonly Figure[] }[]): Kept {
  const path = join(FOLDER, 'figures.json');
  const date = new Date().toISOString().slice(0, 10);
  const before: KeptFigure[] = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).figures : [];
  const now = measured.flatMap(({ bench, figures }) => figures.map((figure) => ({ bench, date, ...figure })));
  const others = before.filter(({ bench }) => !measured.some((run) => run.bench === bench));
  const figures = [...others, ...now].sort((a, b) => (a.bench < b.bench ? -1 : a.bench > b.bench ? 1 : 0));
  const kept = { machine: machine(), figures };
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`);
  const history = join(FOLDER, 'history.csv');
  if (!existsSync(history)) writeFileSync(history, 'date,machine,bench,figure,value,unit,ceiling\n');
  appendFileSync(history, now.map((figure) => historyLine(figure, kept.machine)).join(''));
  return kept;
}

function historyLine({ date, bench, name, value, unit, ceiling }: KeptFigure, machine_: string): string {
  const fields = [date, machine_, bench, name, `${value}`, unit, `${ceiling ?? ''}`];
  return `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\n`;
}

function machine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${first?.model.trim() || 'unnamed processor'}, ${memory} GB, Node ${process.version}`;
}

/** What a figure is divided by: its ceiling, or where there is none, what it may be at most. */
function besideOf({ bench, name, ceiling }: KeptFigure): number | undefined {
  return ceiling ?? barOf(bench, name)?.most;
}

function groupOf(figure: KeptFigure): string {
  if (figure.ceiling === undefined) return 'Share of what is allowed: less is better';
  if (isRate(figure)) return 'Rate, as a share of its ceiling: more is better';
  return 'Cost, as a multiple of what stands beside: less is better';
}

/** More of a rate is better; less of a time, of memory and of a size. */
function isRate({ unit }: Figure): boolean {
  return unit.includes('/s');
}

/** Each figure over its ceiling on a logarithmic axis: rates above, costs below, with what they have to reach. */
function ratios(figures: readonly KeptFigure[]): TopLevelSpec {
  const values = figures.map((figure) => {
    const { bench, name, value } = figure;
    const bar = barOf(bench, name);
    const ratio = value / (besideOf(figure) ?? value);
    return {
      name: `${name}  (${bench})`,
      ratio,
      group: groupOf(figure),
      bar: bar?.of === 'value' ? undefined : (bar?.least ?? bar?.most),
      reached: bar === undefined ? 'no bar' : reaches(figure, bar) ? 'reached' : 'not reached',
      label: ratio.toPrecision(2),
    };
  });
  const x = { type: 'quantitative', scale: { type: 'log', nice: false, padding: 24 } } as const;
  const y = { field: 'name', type: 'nominal', sort: null, axis: AXIS_OF_NAMES } as const;
  const group = (name: string): object => ({
    title: { text: name, anchor: 'start', fontSize: 12 },
    width: 380,
    height: { step: 17 },
    transform: [{ filter: { field: 'group', equal: name } }],
    layer: [
      { mark: { type: 'rule', color: '#8a8f98' }, encoding: { x: { datum: 1, ...x } } },
      {
        mark: { type: 'rule', strokeWidth: 2 },
        encoding: { x: { field: 'ratio', ...x, title: null }, x2: { datum: 1 }, y, color: COLOR },
      },
      {
        mark: { type: 'tick', thickness: 2, size: 12, color: '#1f2328' },
        encoding: { x: { field: 'bar', ...x }, y },
      },
      {
        mark: { type: 'circle', size: 60, opacity: 1 },
        encoding: { x: { field: 'ratio', ...x }, y, color: COLOR },
      },
      {
        mark: { type: 'text', dy: -8, fontSize: 9, color: '#57606a' },
        encoding: { x: { field: 'ratio', ...x }, y, text: { field: 'label' } },
      },
    ],
  });
  const groups = [...new Set(values.map((value) => value.group))];
  return { data: { values }, vconcat: groups.map(group), config: CONFIG } as TopLevelSpec;
}

/** Rates beside those of other servers at the same work, each on a line of its own. */
function besideOthers(figures: readonly KeptFigure[]): TopLevelSpec {
  const values = PEERS.flatMap(({ server, bench, figure, value }) => {
    const own = figures.find((kept) => kept.bench === bench && kept.name.startsWith(figure));
    if (own === undefined) return [];
    const work = `${own.name} (${own.unit.split(' ')[0]})`;
    return [
      { work, server, value },
      { work, server: 'Atrium', value: own.value },
    ];
  });
  return {
    data: { values },
    width: 420,
    height: { step: 24 },
    mark: { type: 'point', filled: true, size: 90, opacity: 0.9 },
    encoding: {
      x: { field: 'value', type: 'quantitative', scale: { type: 'log' }, title: 'a second' },
      y: { field: 'work', type: 'nominal', sort: null, axis: AXIS_OF_NAMES },
      color: { field: 'server', type: 'nominal', title: null, scale: { scheme: 'tableau10' } },
      shape: { field: 'server', type: 'nominal', title: null },
    },
    config: CONFIG,
  } as TopLevelSpec;
}

const AXIS_OF_NAMES = { title: null, labelLimit: 640, grid: true, domain: false, ticks: false };
const COLOR = {
  field: 'reached',
  type: 'nominal',
  title: null,
  scale: { domain: ['reached', 'no bar', 'not reached'], range: ['#2f7d5b', '#4c78a8', '#c4572a'] },
};

/** The figures that have a bar, as a page of Markdown. */
function pageOfBars({ machine: measuredOn, figures }: Kept): string {
  const dates = [...new Set(figures.map(({ date }) => date))].sort();
  const rows = figures.flatMap((figure) => {
    const bar = barOf(figure.bench, figure.name);
    return bar === undefined ? [] : [row(figure, bar)];
  });
  return [
    '# Bars',
    '',
    '`npm run bench -- --plot` writes this page; [Performance](../performance.md) says what a bar and a ceiling are.',
    '',
    `Measured on ${dates.join(', ')}: ${measuredOn}.`,
    '',
    '| bench | figure | value | of its ceiling | bar | |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function row(figure: KeptFigure, bar: Bar): string {
  const { bench, name, value, unit, ceiling } = figure;
  const ratio = ceiling === undefined ? '' : (value / ceiling).toFixed(2);
  const wanted = bar.least === undefined ? `at most ${bar.most}` : `at least ${bar.least}`;
  const of = bar.of === 'value' || ceiling === undefined ? ` ${unit.split(' ')[0]}` : '';
  const reached = reaches(figure, bar) ? 'reached' : '**not reached**';
  return `| \`${bench}\` | ${name} | ${readable(value)} ${unit.split(' ')[0]} | ${ratio} | ${wanted}${of} | ${reached} |`;
}
