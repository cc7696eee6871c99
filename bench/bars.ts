import type { Figure } from './report.ts';

/**
 * What a figure has to reach: at least so much where more is better, at most so much where less is better; of the ratio to
 * its ceiling, or of its value where there is none or where the bar says so.
 */
export interface Bar {
  readonly least?: number;
  readonly most?: number;
  readonly of?: 'value';
}

/**
 * The bars by benchmark and beginning of the figure's name. What has no bar is measured to be known. Where a bar was eased so
 * that a trick could go, docs/decisions says which.
 */
const BARS: Readonly<Record<string, Readonly<Record<string, Bar>>>> = {
  agents: { what: { most: 2, of: 'value' } },
  'mail-reading': {
    'newest 50 of a folder': { least: 0.45 },
    'cost of a page 10000 deep': { most: 1.2 },
  },
  'mail-reading-million': {
    'cost among 1000000 beside 20000': { most: 1.3 },
    'cost of a page': { most: 1.2 },
  },
  'mail-changing': {
    // Ten times what Dovecot does: bench/peers.ts.
    'flags of 100 messages': { least: 470, of: 'value' },
    'moves of 100 messages': { least: 160, of: 'value' },
  },
  'mail-changing-million': { '': { most: 1.3 } },
  'mail-filters': { 'evaluating 1000 filters': { most: 5, of: 'value' } },
  changes: { '': { least: 0.95 }, 'processor time': { most: 1.05 } },
  'changes-readers': { 'memory of 1,000 readers, in use': { most: 30, of: 'value' } },
  contacts: { 'first 50': { least: 0.5 }, 'search for three characters': { least: 0.5 } },
  'files-uploading': {
    '256 MiB in parts': { least: 0.6 },
    // What tus does without a sync: bench/peers.ts.
    '200 files of 1 MiB': { least: 223, of: 'value' },
    'completing 10 GiB': { most: 1.5 },
  },
  'files-memory': {
    'memory above idle': { most: 60, of: 'value' },
    'memory above idle while their type is looked for': { most: 150, of: 'value' },
  },
  'files-sharing': {
    'newest 50 of a folder': { most: 1.3 },
    'newest 50 of it': { most: 1.3 },
    '50 in its middle': { most: 1.3 },
  },
  'files-reading': {
    'newest 50': { least: 0.5 },
    'newest 50 in a folder': { most: 1.5 },
    '50 in its middle': { most: 1.5 },
    download: { least: 1 },
  },
  'free-busy': {
    'a week of one': { least: 0.4 },
    'a week of ten': { least: 0.15 },
    'first week': { most: 1.2 },
    'a time for fifty': { most: 1 },
    'a first time for fifty': { most: 1 },
  },
  documents: { 'first 25': { least: 0.5 } },
  spreadsheets: {
    'reading the same 1,000 cells': { least: 0.4 },
    'writing a cell of 1,000,000': { least: 0.67 },
    'writing 10,000 cells': { most: 60 },
    'writing a cell, beside plain rows': { least: 0.5 },
  },
  recalculation: { p99: { most: 3 } },
  workbooks: { 'read a million cells of .xlsx': { most: 4 } },
  search: { '': { most: 50, of: 'value' } },
  'search-million': { '': { most: 50, of: 'value' } },
  'search-indexing': {
    'deliveries while': { least: 0.8 },
    'from the delivery': { most: 2_000, of: 'value' },
  },
  console: {
    'first load': { most: 250, of: 'value' },
    'page of': { most: 150, of: 'value' },
    'reload to': { most: 400, of: 'value' },
    'a key to its effect drawn': { most: 50, of: 'value' },
    'longest task': { most: 100, of: 'value' },
    'screens that were blank': { most: 0, of: 'value' },
    'memory that scrolling back adds': { most: 5, of: 'value' },
  },
  start: {
    'start to first answer': { most: 1_000, of: 'value' },
    'memory when idle': { most: 130, of: 'value' },
  },
};

/** The bar of a figure of a benchmark, the one with the longest name that fits; undefined where there is none. */
export function barOf(bench: string, figure: string): Bar | undefined {
  const bars = Object.entries(BARS[bench] ?? {}).filter(([name]) => figure.startsWith(name));
  return bars.sort(([a], [b]) => b.length - a.length)[0]?.[1];
}

/** Whether a figure reaches its bar. */
export function reaches({ value, ceiling }: Figure, { least = 0, most = Infinity, of }: Bar): boolean {
  const measured = of === 'value' || ceiling === undefined ? value : value / ceiling;
  return measured >= least && measured <= most;
}
