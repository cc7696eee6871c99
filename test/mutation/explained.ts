/** A mutant that no test can kill, or that none needs to. */
export interface Explanation {
  readonly file: string;
  /** The line on which it begins, without indentation. */
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
  readonly why: string;
}

export const EXPLAINED: readonly Explanation[] = [];
