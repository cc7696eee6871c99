/**
 * `npm run bench` runs every benchmark of this folder, `npm run bench -- start mail-reading` two of them; all into one table.
 * With `--plot` the figures are drawn and kept in docs/performance.
 */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { barOf } from './bars.ts';
import { plot } from './plot.ts';
import { type Bench, type Figure, table } from './report.ts';

const TOOLS = ['bars', 'load', 'peers', 'pictures', 'plot', 'report', 'run'];

function benches(): string[] {
  const names = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => basename(file, '.ts'));
  return names.filter((name) => !TOOLS.includes(name)).sort();
}

async function main(args: string[]): Promise<void> {
  const wanted = args.filter((arg) => arg !== '--plot');
  const known = benches();
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(', ')}; there are ${known.join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  const measured: { bench: string; figures: Figure[] }[] = [];
  for (const bench of wanted.length > 0 ? wanted : known) {
    console.error(`${bench} …`);
    const { bench: run } = (await import(`./${bench}.ts`)) as { bench: Bench };
    measured.push({ bench, figures: await run() });
    if (args.includes('--plot')) await plot(measured.slice(-1));
  }
  console.log(table(measured.flatMap(({ bench, figures }) => figures.map((figure) => row(bench, figure)))));
}

function row(bench: string, figure: Figure) {
  return { ...figure, name: `${bench}: ${figure.name}`, bar: barOf(bench, figure.name) };
}

await main(process.argv.slice(2));
