import type { TSchema } from 'typebox';

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

/** One broken rule: where in the value, as a JSON pointer (RFC 6901), and what. */
export interface Violation {
  pointer: string;
  code: string;
  message: string;
}

/** One answer tells this many; of a request with more, that there are more. */
const MOST_TOLD = 1_000;

/** The broken rules of one value, as they are found. */
export class ViolationList {
  readonly #found: Violation[] = [];
  #hasMore = false;

  /** Whether nothing that is added now would be told: there is no use in looking on. */
  get isFull(): boolean {
    return this.#hasMore;
  }

  add(violation: Violation): void {
    if (this.#found.length < MOST_TOLD) this.#found.push(violation);
    else this.#hasMore = true;
  }

  /** All of a value that does not fit: also where nothing was found, it is refused. */
  atLeastOne(): Violation[] {
    if (this.#hasMore) return [...this.#found, MORE];
    return this.#found.length > 0 ? this.#found : [UNEXPLAINED];
  }
}

const MORE: Violation = {
  pointer: '',
  code: 'too_many',
  message: `There are more problems than these ${MOST_TOLD}.`,
};

const UNEXPLAINED: Violation = { pointer: '', code: 'invalid', message: 'Does not fit its description.' };

/** What the library says of a value that breaks one rule of its schema. */
interface BrokenRule {
  keyword: string;
  message: string;
}

/** A broken rule as people and programs read it. */
export function violationOf(schema: TSchema, rule: BrokenRule, pointer: string): Violation {
  return { pointer, code: CODES[rule.keyword] ?? 'invalid', message: messageOf(schema, rule) };
}

function messageOf(schema: TSchema, { keyword, message }: BrokenRule): string {
  const { description, enum: allowed } = schema as { description?: string; enum?: readonly unknown[] };
  if (keyword === 'enum' && allowed) return `Must be one of: ${allowed.join(', ')}.`;
  if (description !== undefined && EXPLAINED_BY_DESCRIPTION.has(keyword))
    return `Does not fit: ${description}`;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

const EXPLAINED_BY_DESCRIPTION = new Set(['pattern', 'format', 'not', 'anyOf']);

/** RFC 6901, 3: "~" and "/" within a reference token are written "~0" and "~1". */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
