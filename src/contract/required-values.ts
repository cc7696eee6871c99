import type { TSchema } from 'typebox';
import { isObject } from './json.ts';
import { refuse } from './validation.ts';
import { pointerTo } from './violations.ts';

/** The keywords of a schema that decide the kind of a value. */
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
 * Throws ApiError validation_failed where a value has another type than its schema, lies outside its closed set or
 * its range, or is missing. Services check their arguments with it, whoever calls them. It shares no code with the
 * checker of requests, so a value that slips through that checker is neither stored nor processed. Of a text, it
 * checks the type only.
 */
export function requireValues(schema: TSchema, given: unknown, at = ''): void {
  const wrong = wrongValue(schema, given);
  if (wrong) refuse([{ pointer: at + wrong.path, code: wrong.code, message: wrong.message }]);
}

/** Checks a query parameter in the same way. */
export function requireParameter(schema: TSchema, given: unknown, parameter: string): void {
  const wrong = wrongValue(schema, given);
  if (wrong) refuse([{ parameter, code: wrong.code, message: wrong.message }]);
}

/** The first violation and its path. The path is built only for a violation: there may be a hundred thousand values. */
interface Wrong {
  path: string;
  code: string;
  message: string;
}

function wrongValue(schema: TSchema, value: unknown): Wrong | undefined {
  const { type, enum: values, anyOf } = schema as Keywords;
  if (values) {
    if (values.includes(value)) return undefined;
    return { path: '', code: 'not_allowed', message: `Give one of: ${values.join(', ')}.` };
  }
  if (type === undefined) return anyOf && wrongAmong(anyOf, value);
  if (!isOfType(type, value))
    return { path: '', code: 'wrong_type', message: `Give a value of type ${type}.` };
  if (typeof value === 'number') return wrongNumber(schema, value);
  if (Array.isArray(value)) return wrongItem(schema, value);
  return isObject(value) ? wrongMember(schema, value) : undefined;
}

/** One matching alternative is enough. */
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
  if (value < minimum) return { path: '', code: 'too_small', message: `Give at least ${minimum}.` };
  if (value > maximum) return { path: '', code: 'too_large', message: `Give at most ${maximum}.` };
  return undefined;
}

function wrongItem(schema: TSchema, list: readonly unknown[]): Wrong | undefined {
  const { items } = schema as Keywords;
  if (!items) return undefined;
  for (let index = 0; index < list.length; index++) {
    const wrong = wrongValue(items, list[index]);
    if (wrong) return { ...wrong, path: `/${index}${wrong.path}` };
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
