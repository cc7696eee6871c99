import type { TSchema } from 'typebox';
import { wantedMissing, wantedOf } from './wanted.ts';

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
  minItems: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'duplicate',
  minProperties: 'too_few',
};

/** The keyword of an object's schema that explains why it has no other fields. */
export const UNKNOWN_FIELDS = 'x-unknown-fields';

/**
 * Limits problems that were found one by one to the size of one answer: the first of them, and a note that there are
 * more.
 */
export function limitedProblems<P extends { message: string }>(problems: readonly P[]): (P | Violation)[] {
  let characters = 0;
  const shown = problems.slice(0, MOST_PROBLEMS + 1).filter(({ message }) => {
    characters += message.length;
    return characters <= MOST_CHARACTERS;
  });
  return shown.length < problems.length ? [...shown, more(shown.length)] : shown;
}

/** One broken rule: its location in the value, as a JSON pointer (RFC 6901), its code and its message. */
export interface Violation {
  pointer: string;
  code: string;
  message: string;
}

/** Maximum number of problems in one answer; with more, the answer says that there are more. */
const MOST_PROBLEMS = 1_000;
/**
 * Maximum number of characters of pointers and messages in one answer, so no answer is many times longer than its
 * request.
 */
const MOST_CHARACTERS = 200_000;
/** Maximum number of characters of a pointer, and of a name in a message. */
const LONGEST_POINTER = 1_000;
const LONGEST_NAME = 100;

/** Collects the broken rules of one value. */
export class ViolationList {
  readonly #found: Violation[] = [];
  #characters = 0;
  #hasMore = false;

  /** Whether the answer has no room for another violation: the search can stop. */
  get isFull(): boolean {
    return this.#hasMore;
  }

  add(violation: Violation): void {
    this.#characters += violation.pointer.length + violation.message.length;
    if (this.#found.length < MOST_PROBLEMS && this.#characters <= MOST_CHARACTERS)
      this.#found.push(violation);
    else this.#hasMore = true;
  }

  /** The violations found, and a note if there are more. */
  get all(): Violation[] {
    return this.#hasMore ? [...this.#found, more(this.#found.length)] : this.#found;
  }

  /** The violations of a value that is known not to fit: without an explanation, it is refused all the same. */
  atLeastOne(): Violation[] {
    return this.all.length > 0 ? this.all : [UNEXPLAINED];
  }
}

function more(told: number): Violation {
  return { pointer: '', code: 'too_many', message: `There are more problems than these ${told}.` };
}

const UNEXPLAINED: Violation = {
  pointer: '',
  code: 'invalid',
  message: 'Give what the reference describes.',
};

/** The violation of one keyword of a schema, readable by people and programs. */
export function violationOf(schema: TSchema, keyword: string, pointer: string, value: unknown): Violation {
  return { pointer, code: CODES[keyword] ?? 'invalid', message: wantedOf(schema, keyword, value) };
}

/** The violation of an object at `at` that lacks a member of this schema. */
export function missingMember(name: string, schema: TSchema, at: string): Violation {
  return { pointer: pointerTo(at, name), code: 'required', message: wantedMissing(name, schema) };
}

/** The pointer to a member or an item of the value at `at`. A pointer that is too long is cut and ends with "…". */
export function pointerTo(at: string, name: string): string {
  if (at.length >= LONGEST_POINTER) return at;
  return shortened(`${at}/${escaped(name.slice(0, LONGEST_POINTER))}`, LONGEST_POINTER);
}

/** RFC 6901, 3: "~" and "/" within a reference token are written "~0" and "~1". */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A name for a message, cut where it is too long. */
export function nameInMessage(name: string): string {
  return shortened(name, LONGEST_NAME);
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
