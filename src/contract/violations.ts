import type { TSchema } from 'typebox';
import { type BrokenRule, wantedOf } from './wanted.ts';

/** The stable code of a broken schema rule, by its JSON Schema keyword. */
const CODES: Record<string, string> = {
  type: 'wrong_type',
  enum: 'not_allowed',
  const: 'not_allowed',
  minLength: 'too_short',
  maxLength: 'too_long',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  exclusiveMaximum: 'too_large',
  pattern: 'wrong_format',
  format: 'wrong_format',
  not: 'wrong_format',
};

/** The keyword of an object's schema that explains why it has no other fields. */
export const UNKNOWN_FIELDS = 'x-unknown-fields';

/** What one answer tells of problems that were found one by one: the first of them, and that there are more. */
export function toldOf<P extends { message: string }>(problems: readonly P[]): (P | Violation)[] {
  let characters = 0;
  const told = problems.slice(0, MOST_TOLD + 1).filter(({ message }) => {
    characters += message.length;
    return characters <= MOST_CHARACTERS;
  });
  return told.length < problems.length ? [...told, more(told.length)] : told;
}

/** One broken rule: where in the value, as a JSON pointer (RFC 6901), and what. */
export interface Violation {
  pointer: string;
  code: string;
  message: string;
}

/** One answer tells this many; of a request with more, that there are more. */
const MOST_TOLD = 1_000;
/** Characters of pointers and messages that one answer tells, so that no answer is many times as long as its request. */
const MOST_CHARACTERS = 200_000;
/** Characters of a pointer, and of a name that a message repeats. */
const LONGEST_POINTER = 1_000;
const LONGEST_NAME = 100;

/** The broken rules of one value, as they are found. */
export class ViolationList {
  readonly #found: Violation[] = [];
  #characters = 0;
  #hasMore = false;

  /** Whether nothing that is added now would be told: there is no use in looking on. */
  get isFull(): boolean {
    return this.#hasMore;
  }

  add(violation: Violation): void {
    this.#characters += violation.pointer.length + violation.message.length;
    if (this.#found.length < MOST_TOLD && this.#characters <= MOST_CHARACTERS) this.#found.push(violation);
    else this.#hasMore = true;
  }

  /** What was found, and whether there is more. */
  get all(): Violation[] {
    return this.#hasMore ? [...this.#found, more(this.#found.length)] : this.#found;
  }

  /** All of a value that does not fit: also where nothing was found, it is refused. */
  atLeastOne(): Violation[] {
    return this.all.length > 0 ? this.all : [UNEXPLAINED];
  }
}

function more(told: number): Violation {
  return { pointer: '', code: 'too_many', message: `There are more problems than these ${told}.` };
}

const UNEXPLAINED: Violation = { pointer: '', code: 'invalid', message: 'Must be as the reference says.' };

/** A broken rule as people and programs read it. */
export function violationOf(schema: TSchema, rule: BrokenRule, pointer: string, value: unknown): Violation {
  return { pointer, code: CODES[rule.keyword] ?? 'invalid', message: wantedOf(schema, rule, value) };
}

/** The pointer to a member or an item of what `at` points to. One that gets too long ends with "…". */
export function pointerTo(at: string, name: string): string {
  if (at.length >= LONGEST_POINTER) return at;
  return shortened(`${at}/${escaped(name.slice(0, LONGEST_POINTER))}`, LONGEST_POINTER);
}

/** RFC 6901, 3: "~" and "/" within a reference token are written "~0" and "~1". */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A name as a message repeats it: the beginning of one that is too long. */
export function nameInMessage(name: string): string {
  return shortened(name, LONGEST_NAME);
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
