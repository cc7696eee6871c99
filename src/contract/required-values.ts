import type { TSchema } from 'typebox';
import { isObject } from './unknown-json.ts';
import { refuse } from './validation.ts';
import { pointerTo } from './violations.ts';

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
  const wrong = wrongValue(schema, given);
  if (wrong) refuse([{ pointer: at + wrong.path, code: wrong.code, message: wrong.message }]);
}

/** The same of a parameter of a query. */
export function requireParameter(schema: TSchema, given: unknown, parameter: string): void {
  const wrong = wrongValue(schema, given);
  if (wrong) refuse([{ parameter, code: wrong.code, message: wrong.message }]);
}

/** What is wrong, and where: the path is only made of what is, for there may be a hundred thousand values. */
interface Wrong {
  path: string;
  code: string;
  message: string;
}

function wrongValue(schema: TSchema, value: unknown): Wrong | undefined {
  const { type, enum: values, anyOf } = schema as Keywords;
  if (values) {
    if (values.includes(value)) return undefined;
    return { path: '', code: 'not_allowed', message: `Must be one of ${values.join(', ')}.` };
  }
  if (type === undefined) return anyOf && wrongAmong(anyOf, value);
  if (!isOfType(type, value)) return { path: '', code: 'wrong_type', message: `Must be of type ${type}.` };
  if (typeof value === 'number') return wrongNumber(schema, value);
  if (Array.isArray(value)) return wrongItem(schema, value);
  return isObject(value) ? wrongMember(schema, value) : undefined;
}

/** Of several alternatives one suffices. */
function wrongAmong(alternatives: readonly TSchema[], value: unknown): Wrong | undefined {
  let first: Wrong | undefined;
  for (const alternative of alternatives) {
    const wrong = wrongValue(alternative, value);
    if (!wrong) return undefined;
    first ??= wrong;
  }
  return first;
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

function wrongNumber(schema: TSchema, value: number): Wrong | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema as Keywords;
  if (value < minimum) return { path: '', code: 'too_small', message: `Must be at least ${minimum}.` };
  if (value > maximum) return { path: '', code: 'too_large', message: `Must be at most ${maximum}.` };
  return undefined;
}

function wrongItem(schema: TSchema, list: readonly unknown[]): Wrong | undefined {
  const { items } = schema as Keywords;
  if (!items) return undefined;
  for (let place = 0; place < list.length; place++) {
    const wrong = wrongValue(items, list[place]);
    if (wrong) return { ...wrong, path: `/${place}${wrong.path}` };
  }
  return undefined;
}

function wrongMember(schema: TSchema, members: Readonly<Record<string, unknown>>): Wrong | undefined {
  const { properties = {}, required = [] } = schema as Keywords;
  for (const [name, member] of Object.entries(properties)) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (value === undefined && !required.includes(name)) continue;
    const wrong = value === undefined ? MISSING : wrongValue(member, value);
    if (wrong) return { ...wrong, path: `${pointerTo('', name)}${wrong.path}` };
  }
  return undefined;
}

const MISSING: Wrong = { path: '', code: 'required', message: 'Is required.' };
