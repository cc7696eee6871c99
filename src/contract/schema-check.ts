import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Errors } from 'typebox/value';
import { isObject, type Members } from './unknown-json.ts';
import {
  nameInMessage,
  pointerTo,
  UNKNOWN_FIELDS,
  type Violation,
  ViolationList,
  violationOf,
} from './violations.ts';

/**
 * Checks values against one schema. The compiled validator alone decides whether a value fits. A walk of our own
 * finds the violations of a value that does not fit, and asks the library about single values only: the errors that
 * the library collects for a whole value are limited in number, but their cost is not.
 *
 * The walk knows the keywords that declarations use: `test/api/schema-check.test.ts` verifies that they use no
 * others.
 */
export class SchemaCheck {
  readonly #schema: TSchema;
  #validator: Validator | undefined;

  constructor(schema: TSchema) {
    this.#schema = schema;
  }

  /**
   * The violations of a value, readable by people and programs, one for each missing or unknown member; empty
   * exactly when the value fits. The schema is compiled at the first call, which keeps the start fast.
   */
  violations(value: unknown): Violation[] {
    this.#validator ??= Compile(this.#schema);
    if (this.#validator.Check(value)) return [];
    const found = new ViolationList();
    walk(this.#schema, value, '', found);
    return found.atLeastOne();
  }

  /**
   * The declared members of an object that fit on their own, whatever else is wrong with it; empty for a value that
   * is no object.
   */
  fittingMembers(value: unknown): Members {
    if (!isObject(value)) return {};
    const { properties = {} } = this.#schema as Keywords;
    const fitting = Object.entries(properties).filter(
      ([name, member]) => Object.hasOwn(value, name) && validatorOf(member).Check(value[name]),
    );
    return Object.fromEntries(fitting.map(([name]) => [name, value[name]]));
  }
}

/** The keywords of a schema that the walk reads. */
interface Keywords {
  type?: string;
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  additionalProperties?: unknown;
  minProperties?: number;
  items?: TSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  anyOf?: readonly TSchema[];
  enum?: readonly unknown[];
  [UNKNOWN_FIELDS]?: string;
}

function walk(schema: TSchema, value: unknown, at: string, found: ViolationList): void {
  const { type, properties, items, anyOf } = schema as Keywords;
  if (type === 'object' && properties && isObject(value)) walkObject(schema, value, at, found);
  else if (type === 'array' && items && Array.isArray(value)) walkArray(schema, items, value, at, found);
  else if (type === undefined && anyOf) walkAlternatives(schema, anyOf, value, at, found);
  else checkSingle(schema, value, at, found);
}

/** Unknown members come first: the answer reports them before any violation within the content of the body. */
function walkObject(schema: TSchema, value: Members, at: string, found: ViolationList): void {
  const {
    properties = {},
    required = [],
    additionalProperties,
    minProperties = 0,
    anyOf,
  } = schema as Keywords;
  if (additionalProperties === false) checkUnknown(schema, properties, value, at, found);
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    found.add({ pointer: pointerTo(at, name), code: 'required', message: `${name} is required.` });
  }
  if (Object.keys(value).length < minProperties) {
    const message = `Must not have fewer than ${minProperties} properties.`;
    found.add({ pointer: at, code: 'too_few', message });
  }
  for (const [name, member] of Object.entries(properties)) {
    if (found.isFull) return;
    if (Object.hasOwn(value, name)) walk(member, value[name], pointerTo(at, name), found);
  }
  if (anyOf && !anyOf.some((alternative) => validatorOf(alternative).Check(value))) {
    found.add(noAlternative(schema, at, value));
  }
}

function checkUnknown(
  schema: TSchema,
  properties: Record<string, TSchema>,
  value: Members,
  at: string,
  found: ViolationList,
): void {
  const explanation = (schema as Keywords)[UNKNOWN_FIELDS];
  const more = explanation === undefined ? '' : ` ${explanation}`;
  for (const name of Object.keys(value)) {
    if (found.isFull) return;
    if (Object.hasOwn(properties, name)) continue;
    const message = `There is no field ${nameInMessage(name)} here.${more}`;
    found.add({ pointer: pointerTo(at, name), code: 'unknown_field', message });
  }
}

/** The items of a list that is too long are not checked. */
function walkArray(
  schema: TSchema,
  items: TSchema,
  value: readonly unknown[],
  at: string,
  found: ViolationList,
): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems } = schema as Keywords;
  if (value.length > maxItems) {
    found.add({ pointer: at, code: 'too_many', message: `Must not have more than ${maxItems} items.` });
    return;
  }
  if (value.length < minItems) {
    found.add({ pointer: at, code: 'too_few', message: `Must not have fewer than ${minItems} items.` });
  }
  if (uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
    found.add({ pointer: at, code: 'duplicate', message: 'Must not have duplicate items.' });
  }
  for (const [index, item] of value.entries()) {
    if (found.isFull) return;
    walk(items, item, pointerTo(at, String(index)), found);
  }
}

/**
 * Reports the violations of a value that fits no alternative against the intended one, where only one can be
 * intended.
 */
function walkAlternatives(
  schema: TSchema,
  alternatives: readonly TSchema[],
  value: unknown,
  at: string,
  found: ViolationList,
): void {
  if (alternatives.some((alternative) => validatorOf(alternative).Check(value))) return;
  const [meant, ...others] = alternatives.filter((alternative) => isMeantAs(alternative, value));
  if (meant && others.length === 0) walk(meant, value, at, found);
  else found.add(noAlternative(schema, at, value));
}

/**
 * Whether the value has the JSON type of the alternative, and the members, such as `type`, that distinguish it from
 * the others.
 */
function isMeantAs(alternative: TSchema, value: unknown): boolean {
  const { type, properties = {} } = alternative as Keywords;
  if (type !== undefined && !validatorOf(typeOnly(type)).Check(value)) return false;
  if (!isObject(value)) return true;
  return Object.entries(properties).every(([name, member]) => {
    const { enum: allowed } = member as Keywords;
    return !allowed || !Object.hasOwn(value, name) || allowed.includes(value[name]);
  });
}

const typesOnly = new Map<string, TSchema>();

function typeOnly(type: string): TSchema {
  const schema = typesOnly.get(type) ?? ({ type } as TSchema);
  typesOnly.set(type, schema);
  return schema;
}

/** Checks a text, a number, a boolean, or an object or a list without its content. */
function checkSingle(schema: TSchema, value: unknown, at: string, found: ViolationList): void {
  if (validatorOf(schema).Check(value)) return;
  const errors = Errors(schema, value);
  const hasWrongLength = errors.some(({ keyword }) => keyword === 'minLength' || keyword === 'maxLength');
  for (const error of errors) {
    // A pattern may bound the length as well: a wrong length is reported once.
    if (error.keyword === 'pattern' && hasWrongLength) continue;
    found.add(violationOf(schema, error, at, value));
  }
}

const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

function noAlternative(schema: TSchema, at: string, value: unknown): Violation {
  return violationOf(schema, { keyword: 'anyOf', message: 'must match a schema in anyOf' }, at, value);
}
