/** `npm run bench` runs every benchmark of this folder, `npm run bench -- mail` one; all into one table. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { type Bench, type Figure, table } from './report.ts';

const TOOLS = ['load', 'report', 'run'];

function benches(): string[] {
  const names = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => basename(file, '.ts'));
  return names.filter((name) => !TOOLS.includes(name)).sort();
}

async function measure(name: string): Promise<Figure[]> {
  const { bench } = (await import(`./${name}.ts`)) as { bench: Bench };
  const figures = await bench();
  return figures.map((figure) => ({ ...figure, name: `${name}: ${figure.name}` }));
}

async function main(wanted: string[]): Promise<void> {
  const known = benches();
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(', ')}; there are ${known.join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  const figures: Figure[] = [];
  for (const name of wanted.length > 0 ? wanted : known) {
    console.error(`${name} …`);
    figures.push(...(await measure(name)));
  }
  console.log(table(figures));
}

await main(process.argv.slice(2));
