import { refuse } from '../../../contract/validation.ts';

/** The flags of the interface. A message stores its set as one number, one bit per flag in this order. */
export const FLAGS = ['read', 'starred', 'answered', 'draft', 'deleted'] as const;

export type Flag = (typeof FLAGS)[number];

/** A set of flags. */
export type FlagSet = number;

/** A change of a flag set as bit masks: (flags & keep) | add. */
export interface FlagMasks {
  keep: FlagSet;
  add: FlagSet;
}

export const READ: FlagSet = flagSet(['read']);
export const DELETED: FlagSet = flagSet(['deleted']);

/** The number of possible flag sets; each set is a number below it. */
export const NUMBER_OF_SETS = 1 << FLAGS.length;

const ALL_SETS: readonly FlagSet[] = Array.from({ length: NUMBER_OF_SETS }, (_, flags) => flags);

const OBJECTS = ALL_SETS.map((flags) =>
  JSON.stringify(Object.fromEntries(FLAGS.map((flag, bit) => [flag, (flags & (1 << bit)) !== 0]))),
);

/** The set of the named flags. Throws ApiError validation_failed for an unknown name: it has no bit. */
export function flagSet(flags: readonly Flag[]): FlagSet {
  return flags.reduce((set, flag) => set | (1 << bitOf(flag)), 0);
}

function bitOf(flag: Flag): number {
  const bit = FLAGS.indexOf(flag);
  if (bit === -1) {
    const message = `Flags are ${FLAGS.join(', ')}.`;
    refuse([{ parameter: 'flag', code: 'not_allowed', message }]);
  }
  return bit;
}

/** The MessageFlags object of the interface as JSON, always with all five members. */
export function flagsJson(flags: FlagSet): string {
  return OBJECTS[flags] ?? '{}';
}

/** The changeable columns of a message, with its number (the key of its rows) and its id. */
export interface BatchMessage {
  number: number;
  id: string;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

/** A requested change of the flags and labels of messages. */
export interface FlagsAndLabelsChange {
  op: 'add' | 'remove' | 'set';
  flags: FlagSet;
  labels: readonly string[];
}

/** Labels of one message: without a limit, the size of a page would not be bounded. */
export const MOST_LABELS = 100;
/** All labels of a message together, as JSON: the answer to a batch repeats those of up to a thousand messages. */
export const MOST_LABEL_CHARACTERS = 2_500;

/** The first labels of a list that one message may carry together. */
export function labelsThatFit(labels: readonly string[]): readonly string[] {
  let fitting = labels.slice(0, MOST_LABELS);
  while (JSON.stringify(fitting).length > MOST_LABEL_CHARACTERS) fitting = fitting.slice(0, -1);
  return fitting;
}

/** The masks by which a change alters the flags of every message. */
export function flagMasks({ op, flags }: FlagsAndLabelsChange): FlagMasks {
  if (op === 'set') return { keep: 0, add: flags };
  return op === 'add' ? { keep: ~0, add: flags } : { keep: ~flags, add: 0 };
}

/** A message after a change. */
export interface ChangedMessage extends BatchMessage {
  before: BatchMessage;
}

/** The messages after a change; equal label lists are computed once. */
export function changedMessages(
  messages: readonly BatchMessage[],
  change: FlagsAndLabelsChange,
): ChangedMessage[] {
  const known = new Map<string, string>();
  const labelsAfter = (labels: string) =>
    known.getOrInsertComputed(labels, () => changedLabels(labels, change));
  const { keep, add } = flagMasks(change);
  return messages.map((before) => ({
    number: before.number,
    id: before.id,
    flags: (before.flags & keep) | add,
    labels: labelsAfter(before.labels),
    before,
  }));
}

/** "Labels keep the order in which they were added": remaining labels keep their order, new ones follow. */
function changedLabels(json: string, { op, labels }: FlagsAndLabelsChange): string {
  if (labels.length === 0) return op === 'set' ? '[]' : json;
  const before: string[] = JSON.parse(json);
  const named = new Set(labels);
  if (op === 'add') return JSON.stringify([...new Set([...before, ...named])]);
  if (op === 'remove') return JSON.stringify(before.filter((label) => !named.has(label)));
  return JSON.stringify([...new Set([...before.filter((label) => named.has(label)), ...named])]);
}
