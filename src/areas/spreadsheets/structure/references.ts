import {
  type RangeA1,
  readA1Ref,
  stringifyA1Ref,
  tokensOf,
} from '../../../formulas/syntax/formula-library.ts';
import { fold } from '../../../text/fold.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import { quotedSheetName } from '../workbook/workbook.ts';

/** The id of a sheet, and its name at the time of a step: a step may rename it. */
export interface StepSheet {
  readonly id: string;
  readonly name: string;
}

/** The effect of a structural change on references. Lines are rows or columns; they count from 0. */
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
 * A formula of the sheet `home` after the steps. Its references follow as in Excel; everything else stays unchanged. A
 * text that is not a valid formula (for example one that is too long) stays unchanged: it shows an error.
 */
export function followSteps(formula: string, home: string, steps: readonly Step[]): string {
  return new ReferenceFollower(home, steps).follow(formula);
}

const REFERENCES = new Set(['range', 'range_beam', 'range_named']);
const LOST = '#REF!';
/** Maximum number of cached references: formulas contain the same references again and again. */
const MOST_REMEMBERED = 20_000;

/**
 * Applies steps to the formulas of one sheet. It parses each formula once and each distinct reference once; each step
 * then only compares numbers.
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
    // Most formulas refer only to their own sheet, so steps on other sheets need not parse them.
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

/** A step, and the name of its sheet in the form in which names are compared. */
interface FoldedStep {
  readonly step: Step;
  readonly folded: string;
}

/** The effect of the steps on all references with the same prefix (the text up to "!"). */
interface SheetPath {
  /** The prefix after the steps. */
  readonly prefix: string;
  /** Whether the sheet was deleted. */
  readonly isLost: boolean;
  /** The line steps on the sheet. */
  readonly lineSteps: readonly LineStep[];
}

/**
 * A reference without a sheet refers to the sheet of the formula, and only line steps affect it. A reference with a
 * workbook refers to another file.
 */
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
  // The name may be a single sheet, or either end of a range of sheets such as `First:Last!A1`; the cells of such a
  // range do not move.
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

/** A range that has shrunk to one cell stays a range, as in Excel; the library would write it as a cell. */
function writtenRange(range: RangeA1, before: string): string {
  const text = stringifyA1Ref({ range });
  return before.includes(':') && !text.includes(':') ? `${text}:${text}` : text;
}

function isLineStep(step: Step): step is LineStep {
  return step.kind === 'insert' || step.kind === 'remove';
}

type LineStep = Extract<Step, { kind: 'insert' | 'remove' }>;

/** The range after the line steps: the same object if it does not move, undefined if all of it was removed. */
function movedBy(range: RangeA1, steps: readonly LineStep[]): RangeA1 | undefined {
  // At most one copy for all steps: long formulas have thousands of ranges.
  let at = range;
  for (const step of steps) {
    const isRows = step.axis === 'rows';
    const first = isRows ? at.top : at.left;
    const last = isRows ? at.bottom : at.right;
    const end = (isRows ? ROWS : COLUMNS) - 1;
    const from = first ?? 0;
    const to = last ?? end;
    // Whole columns contain every row, however they are written.
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

/** `end` is the last line of the sheet: lines that are pushed beyond it are lost. */
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
