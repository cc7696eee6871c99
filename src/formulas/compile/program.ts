import type { Code } from './code.ts';
import type { Reference } from './references.ts';

/** A formula made ready to run; cells into which it was filled share it. */
export interface Program {
  readonly template: string;
  readonly code: Code;
  /** All that it names, read or not. */
  readonly references: readonly Reference[];
  readonly volatile: boolean;
}
