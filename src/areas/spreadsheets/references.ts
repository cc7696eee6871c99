import { parseA1Ref, type RangeA1, stringifyA1Ref, tokenize } from '@borgar/fx';
import { COLUMNS, ROWS } from './a1.ts';
import { isSameSheetName, quotedSheetName } from './sheet-names.ts';

/** A sheet as a step finds it: names may change from step to step. */
export interface StepSheet {
  readonly id: string;
  readonly name: string;
}

/** What a structural change does to references. Lines are rows or columns; they count from 0. */
export type Step =
  | {
      readonly kind: 'insert' | 'remove';
      readonly axis: 'rows' | 'columns';
      readonly sheet: StepSheet;
      readonly at: number;
      readonly count: number;
    }
  | { readonly kind: 'rename'; readonly sheet: StepSheet; readonly name: string }
  | { readonly kind: 'delete'; readonly sheet: StepSheet };

/** A formula of the sheet `home` after the steps: its references follow as in Excel, all else stays to the letter. */
export function followSteps(formula: string, home: string, steps: readonly Step[]): string {
  return steps.reduce((text, step) => followStep(text, home, step), formula);
}

const REFERENCES = new Set(['range', 'range_beam', 'range_named']);

function followStep(formula: string, home: string, step: Step): string {
  if (!mayConcern(formula, home, step)) return formula;
  let text = '';
  for (const { type, value } of tokenize(formula)) {
    text += REFERENCES.has(type) ? followReference(value, home, step) : value;
  }
  return text;
}

/** Most formulas name their own sheet only: a step on another one need not read them. */
function mayConcern(formula: string, home: string, { kind, sheet }: Step): boolean {
  if (formula.includes('!')) return true;
  return (kind === 'insert' || kind === 'remove') && sheet.id === home;
}

function followReference(reference: string, home: string, step: Step): string {
  const mark = reference.lastIndexOf('!');
  const parsed = parseA1Ref(reference);
  if (!parsed) return reference;
  const context = parsed.context ?? [];
  if (step.kind === 'rename') return renamed(reference, mark, context, step.sheet.name, step.name);
  if (!isOn(context, home, step.sheet)) return reference;
  if (step.kind === 'delete') return context.length === 0 ? reference : '#REF!';
  if (!('range' in parsed) || !parsed.range) return reference;
  const range = moved(parsed.range, step);
  if (range === parsed.range) return reference;
  return range ? reference.slice(0, mark + 1) + writtenRange(range, reference) : '#REF!';
}

/** A range of which one cell is left stays a range, as in Excel; the library would write it as the cell. */
function writtenRange(range: RangeA1, before: string): string {
  const text = stringifyA1Ref({ range });
  const cells = before.slice(before.lastIndexOf('!') + 1);
  return cells.includes(':') && !text.includes(':') ? `${text}:${text}` : text;
}

/** A reference without a sheet is to the formula's own; one with a workbook is to another file. */
function isOn(context: readonly string[], home: string, sheet: StepSheet): boolean {
  const [name, ...more] = context;
  if (name === undefined) return sheet.id === home;
  return more.length === 0 && isSameSheetName(name, sheet.name);
}

/** The name may stand alone or at either end of several sheets, as in `First:Last!A1`. */
function renamed(
  reference: string,
  mark: number,
  context: readonly string[],
  from: string,
  to: string,
): string {
  const [names, ...more] = context;
  if (names === undefined || more.length > 0) return reference;
  const ends = names.split(':');
  if (!ends.some((end) => isSameSheetName(end, from))) return reference;
  const prefix = ends.map((end) => (isSameSheetName(end, from) ? to : end));
  const isPlain = prefix.every((name) => quotedSheetName(name) === name);
  const joined = prefix.join(':');
  return `${isPlain ? joined : `'${joined.replaceAll("'", "''")}'`}!${reference.slice(mark + 1)}`;
}

type LineStep = Extract<Step, { kind: 'insert' | 'remove' }>;

/** The range after lines came or went: itself where it stays, undefined where nothing is left of it. */
function moved(range: RangeA1, step: LineStep): RangeA1 | undefined {
  const isRows = step.axis === 'rows';
  const [first, last] = isRows ? [range.top, range.bottom] : [range.left, range.right];
  const end = (isRows ? ROWS : COLUMNS) - 1;
  const from = first ?? 0;
  const to = last ?? end;
  // Whole columns have every row, however they are written.
  if (from === 0 && to === end) return range;
  const lines = step.kind === 'insert' ? afterInsert(from, to, end, step) : afterRemove(from, to, step);
  if (!lines) return undefined;
  const [newFirst, newLast] = [first == null ? first : lines[0], last == null ? last : lines[1]];
  if (newFirst === first && newLast === last) return range;
  return isRows ? { ...range, top: newFirst, bottom: newLast } : { ...range, left: newFirst, right: newLast };
}

/** "end" is the last line of the sheet: what is pushed over it is lost. */
function afterInsert(from: number, to: number, end: number, { at, count }: LineStep) {
  const first = from >= at ? from + count : from;
  const last = to >= at ? Math.min(to + count, end) : to;
  return first > end ? undefined : ([first, last] as const);
}

function afterRemove(from: number, to: number, { at, count }: LineStep) {
  const next = at + count;
  if (from >= at && to < next) return undefined;
  const first = from < at ? from : Math.max(from - count, at);
  const last = to < at ? to : Math.max(to - count, at - 1);
  return [first, last] as const;
}
