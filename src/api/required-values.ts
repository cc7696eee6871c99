import type { TSchema } from 'typebox';
import type { Problem } from './operation.ts';
import { isObject } from './sent-body.ts';
import { refuse } from './validation.ts';
import { escapePointer } from './violations.ts';

/** The keywords of a schema that decide what kind of value something is. */
interface Keywords {
  type?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  items?: TSchema;
  anyOf?: readonly TSchema[];
}

/**
 * Throws ApiError validation_failed where a value is of another type than its schema says, outside of its closed set or
 * of its range, or missing. Services hold by this what they are given, whoever calls them: it has nothing of the checker
 * of requests, so that what gets past that is neither stored nor worked on. Texts are only looked at for being texts.
 */
export function requireValues(schema: TSchema, given: unknown, at = ''): void {
  const problem = wrongValue(schema, given, at);
  if (problem) refuse([problem]);
}

/** The same of a parameter of a query. */
export function requireParameter(schema: TSchema, given: unknown, parameter: string): void {
  const problem = wrongValue(schema, given, '');
  if (problem) refuse([{ parameter, code: problem.code, message: problem.message }]);
}

function wrongValue(schema: TSchema, value: unknown, at: string): Problem | undefined {
  const { type, enum: values, anyOf } = schema as Keywords;
  if (values) {
    if (values.includes(value)) return undefined;
    return { pointer: at, code: 'not_allowed', message: `Must be one of ${values.join(', ')}.` };
  }
  if (type === undefined) return anyOf && wrongAmong(anyOf, value, at);
  if (!isOfType(type, value)) return { pointer: at, code: 'wrong_type', message: `Must be of type ${type}.` };
  if (typeof value === 'number') return wrongNumber(schema, value, at);
  if (Array.isArray(value)) return wrongItem(schema, value, at);
  return isObject(value) ? wrongMember(schema, value, at) : undefined;
}

/** Of several alternatives one suffices. */
function wrongAmong(alternatives: readonly TSchema[], value: unknown, at: string): Problem | undefined {
  const problems = alternatives.map((alternative) => wrongValue(alternative, value, at));
  return problems.every((problem) => problem !== undefined) ? problems[0] : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function wrongNumber(schema: TSchema, value: number, at: string): Problem | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema as Keywords;
  if (value < minimum) return { pointer: at, code: 'too_small', message: `Must be at least ${minimum}.` };
  if (value > maximum) return { pointer: at, code: 'too_large', message: `Must be at most ${maximum}.` };
  return undefined;
}

function wrongItem(schema: TSchema, list: readonly unknown[], at: string): Problem | undefined {
  const { items } = schema as Keywords;
  if (!items) return undefined;
  for (const [place, item] of list.entries()) {
    const problem = wrongValue(items, item, `${at}/${place}`);
    if (problem) return problem;
  }
  return undefined;
}

function wrongMember(
  schema: TSchema,
  members: Readonly<Record<string, unknown>>,
  at: string,
): Problem | undefined {
  const { properties = {}, required = [] } = schema as Keywords;
  for (const [name, member] of Object.entries(properties)) {
    const pointer = `${at}/${escapePointer(name)}`;
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (value === undefined) {
      if (required.includes(name)) return { pointer, code: 'required', message: 'Is required.' };
      continue;
    }
    const problem = wrongValue(member, value, pointer);
    if (problem) return problem;
  }
  return undefined;
}
