import type { BatchMessage } from './batch-store.ts';
import type { FlagMasks, FlagSet } from './flags.ts';

/** How the flags and labels of messages are to change. */
export interface FlagsAndLabelsChange {
  op: 'add' | 'remove' | 'set';
  flags: FlagSet;
  labels: readonly string[];
}

/** More labels than this on one message nobody could look through; without a limit, pages would have no bounded size. */
export const MOST_LABELS = 100;
/** Of all labels of a message together, as JSON: a batch of a thousand messages answers with those of each. */
export const MOST_LABEL_CHARACTERS = 2_500;

/** What a change does to the flags of every message. */
export function flagMasks({ op, flags }: FlagsAndLabelsChange): FlagMasks {
  if (op === 'set') return { keep: 0, add: flags };
  return op === 'add' ? { keep: ~0, add: flags } : { keep: ~flags, add: 0 };
}

/** A message after a change. */
export interface ChangedMessage extends BatchMessage {
  before: BatchMessage;
}

/** What a change makes of messages; those that share their labels are worked out together. */
export function changed(messages: readonly BatchMessage[], change: FlagsAndLabelsChange): ChangedMessage[] {
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

/** "Labels keep the order in which they were added": those that stay keep their places, new ones follow. */
function changedLabels(json: string, { op, labels }: FlagsAndLabelsChange): string {
  if (labels.length === 0) return op === 'set' ? '[]' : json;
  const before: string[] = JSON.parse(json);
  const named = new Set(labels);
  if (op === 'add') return JSON.stringify([...new Set([...before, ...named])]);
  if (op === 'remove') return JSON.stringify(before.filter((label) => !named.has(label)));
  return JSON.stringify([...new Set([...before.filter((label) => named.has(label)), ...named])]);
}
