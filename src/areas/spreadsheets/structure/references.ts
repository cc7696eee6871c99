import {
  type RangeA1,
  readA1Ref,
  stringifyA1Ref,
  tokensOf,
} from '../../../formulas/syntax/formula-library.ts';
import { fold } from '../../../text/fold.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import { quotedSheetName } from '../workbook/workbook.ts';

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

/**
 * A formula of the sheet `home` after the steps: its references follow as in Excel, all else stays to the letter. Nothing
 * follows in what is no formula, such as one that is too long: it shows an error.
 */
export function followSteps(formula: string, home: string, steps: readonly Step[]): string {
  return new ReferenceFollower(home, steps).follow(formula);
}

const REFERENCES = new Set(['range', 'range_beam', 'range_named']);
const LOST = '#REF!';
/** References whose outcome is remembered: formulas name the same cells again and again. */
const MOST_REMEMBERED = 20_000;

/**
 * Follows steps for the formulas of one sheet. Each formula is read once and each of its references once, however many
 * the steps are: what remains for a step is a comparison of numbers.
 */
export class ReferenceFollower {
  readonly #home: string;
  readonly #steps: readonly FoldedStep[];
  readonly #isConcerned: boolean;
  readonly #followed = new Map<string, string>();
  readonly #paths = new Map<string, SheetPath>();

  constructor(home: string, steps: readonly Step[]) {
    this.#home = home;
    this.#steps = steps.map((step) => ({ step, folded: fold(step.sheet.name) }));
    this.#isConcerned = steps.some((step) => isLineStep(step) && step.sheet.id === home);
  }

  follow(formula: string): string {
    // Most formulas name their own sheet only: steps on other ones need not read them.
    if (!this.#isConcerned && !formula.includes('!')) return formula;
    let text = '';
    for (const { type, value } of tokensOf(formula, { withLocation: false, negativeNumbers: false })) {
      text += REFERENCES.has(type) ? this.#followReference(value) : value;
    }
    return text;
  }

  #followReference(reference: string): string {
    const known = this.#followed.get(reference);
    if (known !== undefined) return known;
    const followed = this.#followUnknown(reference);
    if (this.#followed.size >= MOST_REMEMBERED) this.#followed.clear();
    this.#followed.set(reference, followed);
    return followed;
  }

  #followUnknown(reference: string): string {
    const parsed = readA1Ref(reference);
    if (!parsed) return reference;
    const mark = reference.lastIndexOf('!') + 1;
    const prefix = reference.slice(0, mark);
    const path = this.#pathOf(prefix, parsed.context ?? []);
    if (path.isLost) return LOST;
    const before = ('range' in parsed && parsed.range) || undefined;
    const range = before && movedBy(before, path.lineSteps);
    if (before && !range) return LOST;
    const cells = reference.slice(mark);
    return path.prefix + (range && range !== before ? writtenRange(range, cells) : cells);
  }

  #pathOf(prefix: string, context: readonly string[]): SheetPath {
    const known = this.#paths.get(prefix);
    if (known) return known;
    const path = pathOf(prefix, context, this.#home, this.#steps);
    if (this.#paths.size >= MOST_REMEMBERED) this.#paths.clear();
    this.#paths.set(prefix, path);
    return path;
  }
}

/** A step, and the name of its sheet as names are compared. */
interface FoldedStep {
  readonly step: Step;
  readonly folded: string;
}

/** What the steps do to all references that begin alike, up to "!". */
interface SheetPath {
  /** What they begin with afterwards. */
  readonly prefix: string;
  /** Whether their sheet is deleted. */
  readonly isLost: boolean;
  /** Those on their sheet. */
  readonly lineSteps: readonly LineStep[];
}

/** A reference without a sheet is to the formula's own, of which only lines come and go; one with a workbook is to another file. */
function pathOf(
  prefix: string,
  [name, ...more]: readonly string[],
  home: string,
  steps: readonly FoldedStep[],
): SheetPath {
  const lineSteps: LineStep[] = [];
  if (name === undefined) {
    for (const { step } of steps) if (isLineStep(step) && step.sheet.id === home) lineSteps.push(step);
    return { prefix, isLost: false, lineSteps };
  }
  if (more.length > 0) return { prefix, isLost: false, lineSteps };
  // The name may stand alone or at either end of several sheets, as in `First:Last!A1`, whose cells stay.
  const ends = name.split(':');
  const folded = ends.map(fold);
  let isRenamed = false;
  for (const { step, folded: sheet } of steps) {
    if (step.kind === 'rename') {
      for (const [i, end] of folded.entries()) {
        if (end !== sheet) continue;
        ends[i] = step.name;
        folded[i] = fold(step.name);
        isRenamed = true;
      }
    } else if (ends.length === 1 && folded[0] === sheet) {
      if (step.kind === 'delete') return { prefix, isLost: true, lineSteps };
      lineSteps.push(step);
    }
  }
  return { prefix: isRenamed ? writtenPrefix(ends) : prefix, isLost: false, lineSteps };
}

function writtenPrefix(names: readonly string[]): string {
  const isPlain = names.every((name) => quotedSheetName(name) === name);
  const joined = names.join(':');
  return `${isPlain ? joined : `'${joined.replaceAll("'", "''")}'`}!`;
}

/** A range of which one cell is left stays a range, as in Excel; the library would write it as the cell. */
function writtenRange(range: RangeA1, before: string): string {
  const text = stringifyA1Ref({ range });
  return before.includes(':') && !text.includes(':') ? `${text}:${text}` : text;
}

function isLineStep(step: Step): step is LineStep {
  return step.kind === 'insert' || step.kind === 'remove';
}

type LineStep = Extract<Step, { kind: 'insert' | 'remove' }>;

/** The range after lines came or went: itself where it stays, undefined where nothing is left of it. */
function movedBy(range: RangeA1, steps: readonly LineStep[]): RangeA1 | undefined {
  // One copy for all steps: long formulas have thousands of ranges.
  let at = range;
  for (const step of steps) {
    const isRows = step.axis === 'rows';
    const first = isRows ? at.top : at.left;
    const last = isRows ? at.bottom : at.right;
    const end = (isRows ? ROWS : COLUMNS) - 1;
    const from = first ?? 0;
    const to = last ?? end;
    // Whole columns have every row, however they are written.
    if (from === 0 && to === end) continue;
    const lines = step.kind === 'insert' ? afterInsert(from, to, end, step) : afterRemove(from, to, step);
    if (!lines) return undefined;
    const newFirst = first == null ? first : lines[0];
    const newLast = last == null ? last : lines[1];
    if (newFirst === first && newLast === last) continue;
    if (at === range) at = { ...range };
    if (isRows) [at.top, at.bottom] = [newFirst, newLast];
    else [at.left, at.right] = [newFirst, newLast];
  }
  return at;
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
