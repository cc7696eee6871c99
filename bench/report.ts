import { type Bar, reaches } from './bars.ts';

/** One figure and, where there is one, the ceiling that the same run measured for it in the same unit. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  ceiling?: number;
}

/** What a file of this folder exports as `bench` to be run by `npm run bench`; takes seconds, not minutes. */
export type Bench = () => Promise<Figure[]>;

const HEADINGS = ['figure', 'value', 'unit', 'ceiling', 'ratio', 'bar'];

/** The figures as an aligned text table; ratio is value over ceiling, and a bar that is not reached is marked. */
export function table(figures: readonly (Figure & { bar?: Bar | undefined })[]): string {
  const rows = [HEADINGS, ...figures.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => align(cell, column, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells({ bar, ...figure }: Figure & { bar?: Bar | undefined }): string[] {
  const { name, value, unit, ceiling } = figure;
  const ratio = ceiling === undefined ? '' : (value / ceiling).toFixed(2);
  return [
    name,
    readable(value),
    unit,
    ceiling === undefined ? '' : readable(ceiling),
    ratio,
    barText(figure, bar),
  ];
}

function barText(figure: Figure, bar: Bar | undefined): string {
  if (bar === undefined) return '';
  const wanted = bar.least === undefined ? `≤ ${bar.most}` : `≥ ${bar.least}`;
  return `${wanted}${reaches(figure, bar) ? '' : ' ✗'}`;
}

function align(cell: string, column: number, width: number): string {
  const isText = column === 0 || column === 2;
  return isText ? cell.padEnd(width) : cell.padStart(width);
}

/** Three significant digits are more than a shared machine can tell. */
export function readable(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
