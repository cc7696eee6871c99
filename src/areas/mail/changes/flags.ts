import { refuse } from '../../../contract/validation.ts';
/** The flags of the interface; a message keeps its set as one number, one bit each in this order. */
export const FLAGS = ['read', 'starred', 'answered', 'draft', 'deleted'] as const;

export type Flag = (typeof FLAGS)[number];

/** A set of flags. */
export type FlagSet = number;

/** A change of flags as one of sets: those that stay of any set, and those that come to it. */
export interface FlagMasks {
  keep: FlagSet;
  add: FlagSet;
}

export const READ: FlagSet = flagSet(['read']);
export const DELETED: FlagSet = flagSet(['deleted']);

/** How many sets of flags there can be; each is a number below this. */
export const NUMBER_OF_SETS = 1 << FLAGS.length;

const ALL_SETS: readonly FlagSet[] = Array.from({ length: NUMBER_OF_SETS }, (_, flags) => flags);

const OBJECTS = ALL_SETS.map((flags) =>
  JSON.stringify(Object.fromEntries(FLAGS.map((flag, bit) => [flag, (flags & (1 << bit)) !== 0]))),
);

/** The set of the named flags. Throws ApiError validation_failed for what is none: it would be a bit that no set has. */
export function flagSet(flags: readonly Flag[]): FlagSet {
  return flags.reduce((set, flag) => set | (1 << bitOf(flag)), 0);
}

function bitOf(flag: Flag): number {
  const place = FLAGS.indexOf(flag);
  if (place === -1) {
    const message = `Flags are ${FLAGS.join(', ')}.`;
    refuse([{ parameter: 'flag', code: 'not_allowed', message }]);
  }
  return place;
}

/** The message flags object of the interface, as JSON: all five members, always. */
export function flagsJson(flags: FlagSet): string {
  return OBJECTS[flags] ?? '{}';
}
