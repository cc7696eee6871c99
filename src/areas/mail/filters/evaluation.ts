import { fold } from '../../../text/fold.ts';
import { type FlagSet, flagSet, READ } from '../changes/flags.ts';
import type { FieldTexts, MessageTexts } from './message-texts.ts';
import type { Action, Condition, Rule } from './schema.ts';

/** A filter with its parsed rule. */
export interface RunningFilter {
  id: string;
  name: string;
  rule: Rule;
}

/** Whether a rule matches the message of these texts. */
export type Matcher = (texts: MessageTexts) => boolean;

/** A filter with case-folded values, ready to be evaluated on many messages. */
export interface PreparedFilter {
  filter: RunningFilter;
  matches: Matcher;
}

/** A change of the flags of a message; no flag is in both sets. */
export interface FlagChange {
  add: FlagSet;
  remove: FlagSet;
}

/** The combined effect of filters on a message. */
export interface FilterResult {
  /** The filters that match, in the order in which they ran. */
  matching: readonly RunningFilter[];
  discarded: boolean;
  /** The path of the folder that the message moves to; undefined when no filter names one. */
  folder: string | undefined;
  flags: FlagChange;
  /** The labels that the message gets, each once, in the order of the filters that add them. */
  labels: readonly string[];
}

/** Folds the values of a rule once, for all messages that it is evaluated on. */
export function matcherOf({ match, conditions }: Rule): Matcher {
  const all = conditions.map(prepareCondition);
  return match === 'any'
    ? (texts) => all.some((holds) => holds(texts))
    : (texts) => all.every((holds) => holds(texts));
}

/**
 * The effect of these filters on a message; they run in the given order. "Every matching rule contributes. discard wins
 * if any matching rule sets it. move takes the folder from the last matching rule that names one. Flag actions
 * accumulate."
 */
export function evaluate(filters: readonly PreparedFilter[], texts: MessageTexts): FilterResult {
  return combinedResult(filters.filter(({ matches }) => matches(texts)).map(({ filter }) => filter));
}

/** The combined effect of filters that all match a message. */
export function combinedResult(matching: readonly RunningFilter[]): FilterResult {
  const actions = matching.flatMap(({ rule }) => rule.actions);
  return {
    matching,
    discarded: actions.some(({ type }) => type === 'discard'),
    folder: actions.findLast(({ type }) => type === 'move')?.folder,
    flags: accumulate(actions),
    labels: [...new Set(actions.flatMap(({ label }) => (label === undefined ? [] : [label])))],
  };
}

/** The flags of a message after a change. */
export function changedFlags(flags: FlagSet, { add, remove }: FlagChange): FlagSet {
  return (flags | add) & ~remove;
}

/** "Where two contradict, the later rule wins": only the read flag can be both set and removed. */
function accumulate(actions: readonly Action[]): FlagChange {
  const change: FlagChange = { add: 0, remove: 0 };
  for (const { type, flag } of actions) {
    const added = type === 'mark_read' ? READ : flagSet(type === 'set_flag' && flag ? [flag] : []);
    const removed = type === 'mark_unread' ? READ : 0;
    change.add = (change.add | added) & ~removed;
    change.remove = (change.remove | removed) & ~added;
  }
  return change;
}

function prepareCondition({ field, op = 'equals', value = true }: Condition): Matcher {
  if (field === 'has_attachment') return (texts) => texts.hasAttachments === (String(value) === 'true');
  if (field === 'size')
    return ({ bytes }) => (op === 'larger_than' ? bytes > Number(value) : bytes < Number(value));
  const wanted = fold(String(value));
  const holds = COMPARISONS[op];
  const name = field.toLowerCase();
  return (texts) => holds(texts.of(name), wanted);
}

const COMPARISONS: Record<NonNullable<Condition['op']>, (texts: FieldTexts, value: string) => boolean> = {
  contains: ({ joined }, value) => contains(joined, value),
  equals: ({ forms }, value) => forms.includes(value),
  starts_with: ({ forms }, value) => forms.some((form) => form.startsWith(value)),
  ends_with: ({ forms }, value) => forms.some((form) => form.endsWith(value)),
  // Never reached: "regex is reserved and refused."
  regex: () => false,
  // Of the field size only, which compares no texts.
  larger_than: () => false,
  smaller_than: () => false,
};

/** Up to so many comparisons the engine's search is faster, even when it takes quadratic time. */
const FEW_COMPARISONS = 1_000_000;

/**
 * Whether a text contains another one, in linear time. The engine's search is linear for nearly all texts; for
 * "aaa…" and "aa…ba…a" it compares nearly the whole pattern at each position.
 */
export function contains(text: string, wanted: string): boolean {
  return text.length * wanted.length <= FEW_COMPARISONS ? text.includes(wanted) : matches(text, wanted);
}

/**
 * Knuth-Morris-Pratt: the current partial match determines where the next match can start, so no character of the
 * text is read twice.
 */
function matches(text: string, wanted: string): boolean {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    while (matched > 0 && character !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === wanted.charCodeAt(matched)) matched++;
    if (matched === wanted.length) return true;
  }
  return false;
}

/** For each prefix of a text, the length of its longest proper suffix that is also a prefix of the text. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    while (length > 0 && character !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (character === text.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
