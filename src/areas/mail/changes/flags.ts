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
