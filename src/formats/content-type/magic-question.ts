/** Which rules libmagic is to try: those for texts take twenty times as long as all the others. */
export type MagicRules = 'all' | 'binary';

/** What the thread of libmagic is asked. */
export interface MagicQuestion {
  /** The first bytes of some content. */
  head: Uint8Array;
  rules: MagicRules;
}

/** What it answers: a type, or why libmagic cannot be loaded. */
export type MagicAnswer = { type: string } | { unusable: string };
