import { fold } from '../../../text/fold.ts';
import { type FlagSet, flagSet, READ } from '../flags.ts';
import type { FieldTexts, MessageTexts } from './message-texts.ts';
import type { Action, Condition, Rule } from './schema.ts';

/** What of a filter decides what it does. */
export interface RunningFilter {
  id: string;
  name: string;
  rule: Rule;
}

/** A filter whose values are folded, so that it can be held against many messages. */
export interface PreparedFilter {
  filter: RunningFilter;
  matches: (texts: MessageTexts) => boolean;
}

/** How the flags of a message change; no flag is in both. */
export interface FlagChange {
  add: FlagSet;
  remove: FlagSet;
}

/** What filters make of a message. */
export interface Outcome {
  /** The filters that match, in the order in which they ran. */
  matching: readonly RunningFilter[];
  discarded: boolean;
  /** The name of the folder that the message goes to; undefined when no filter names one. */
  folder: string | undefined;
  flags: FlagChange;
}

/** Prepares a filter for evaluate. */
export function prepareFilter(filter: RunningFilter): PreparedFilter {
  const conditions = filter.rule.conditions.map(prepareCondition);
  const matches: PreparedFilter['matches'] =
    filter.rule.match === 'any'
      ? (texts) => conditions.some((holds) => holds(texts))
      : (texts) => conditions.every((holds) => holds(texts));
  return { filter, matches };
}

/**
 * What these filters, in the order in which they run, make of a message. "Every matching rule contributes. discard wins
 * if any matching rule sets it. move takes the folder from the last matching rule that names one. Flag actions
 * accumulate."
 */
export function evaluate(filters: readonly PreparedFilter[], texts: MessageTexts): Outcome {
  const matching = filters.filter(({ matches }) => matches(texts)).map(({ filter }) => filter);
  const actions = matching.flatMap(({ rule }) => rule.actions);
  return {
    matching,
    discarded: actions.some(({ type }) => type === 'discard'),
    folder: actions.findLast(({ type }) => type === 'move')?.folder,
    flags: accumulate(actions),
  };
}

/** The flags of a message after a change. */
export function changedFlags(flags: FlagSet, { add, remove }: FlagChange): FlagSet {
  return (flags | add) & ~remove;
}

/** "Where two contradict, the later rule wins": only read can be both set and taken away. */
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

function prepareCondition({ field, op, value }: Condition): (texts: MessageTexts) => boolean {
  const wanted = fold(value);
  const holds = COMPARISONS[op];
  const name = field.toLowerCase();
  return (texts) => holds(texts.of(name), wanted);
}

const COMPARISONS: Record<Condition['op'], (texts: FieldTexts, value: string) => boolean> = {
  contains: ({ joined }, value) => joined.includes(value),
  equals: ({ forms }, value) => forms.includes(value),
  starts_with: ({ forms }, value) => forms.some((form) => form.startsWith(value)),
  ends_with: ({ forms }, value) => forms.some((form) => form.endsWith(value)),
  // No filter has it: "regex is reserved and refused."
  regex: () => false,
};
