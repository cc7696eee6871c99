import type { TObject, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Errors } from 'typebox/value';
import { ApiError } from './errors.ts';
import { isObject, type Members } from './json.ts';
import type { Declaration, Problem } from './operation.ts';
import { isStorable, isStorableThroughout, unstorableText } from './storable-text.ts';
import {
  limitedProblems,
  missingMember,
  nameInMessage,
  pointerTo,
  UNKNOWN_FIELDS,
  type Violation,
  ViolationList,
  violationOf,
} from './violations.ts';

/** The sections of a request that a declaration describes, as received. */
export interface RawInput {
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  body: unknown;
}

/** A request after coercion and validation. */
export interface ReadInput {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  problems: Problem[];
  /** The declared members of query and body that fit their schemas. */
  fitting: { query: Members; body: Members };
}

/** Checks requests of one operation against its schemas. */
export class RequestValidator {
  readonly #declaration: Declaration;
  readonly #query: SchemaCheck;
  readonly #body: SchemaCheck;

  constructor(declaration: Declaration) {
    this.#declaration = declaration;
    this.#query = new SchemaCheck(declaration.query ?? NO_MEMBERS);
    this.#body = new SchemaCheck(declaration.body ?? NO_MEMBERS);
  }

  /** Reads a request: converts query values to the types of their schemas, and collects every violation. */
  read(raw: RawInput): ReadInput {
    const { query: querySchema, paging } = this.#declaration;
    const asked = paging ? mapValues(raw.query, lookableFilter) : raw.query;
    const query = coerceQuery(querySchema, asked);
    const inQuery = [...this.#query.violations(query), ...unstorableText(query)];
    const inBody = this.#bodyViolations(raw.body);
    return {
      params: Object.values(raw.params).every(isStorable) ? raw.params : mapValues(raw.params, lookable),
      query,
      body: raw.body,
      problems: [...inQuery.map(parameterProblem), ...inBody],
      fitting: {
        query: inQuery.length === 0 ? query : fittingMembers(this.#query, query),
        body: inBody.length === 0 && isObject(raw.body) ? raw.body : fittingMembers(this.#body, raw.body),
      },
    };
  }

  #bodyViolations(body: unknown): Violation[] {
    const { rawBody, body: schema } = this.#declaration;
    if (rawBody || (!schema && body === undefined)) return [];
    if (body === undefined) return [{ pointer: '', code: 'required', message: 'A JSON body is required.' }];
    return [...this.#body.violations(body), ...unstorableText(body)];
  }
}

const NO_MEMBERS = { type: 'object', properties: {}, additionalProperties: false } as TSchema;

/** Throws ApiError validation_failed when there are problems. */
export function refuse(problems: readonly Problem[]): void {
  const [first, ...others] = problems;
  if (first) throw invalid([first, ...others]);
}

/** Maximum number of characters of the first problem that the message of a refusal repeats. */
const LONGEST_MESSAGE = 1_000;

/** The refusal of a request with these problems, at least one. */
export function invalid(problems: readonly [Problem, ...Problem[]]): ApiError {
  const [first] = problems;
  const where = 'parameter' in first ? first.parameter : first.pointer || 'body';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more, see details.errors)` : '';
  const message = `${where}: ${first.message.slice(0, LONGEST_MESSAGE)}${more}`;
  return new ApiError('validation_failed', message, { errors: limitedProblems(problems) });
}

/**
 * "A malformed id in a path is 404 like an unknown one". That includes an id that cannot be stored, and so cannot be
 * queried either: U+FFFD replaces the offending characters, and the query finds nothing.
 */
function lookable(id: string): string {
  return isStorable(id) ? id : id.replaceAll('\0', '\ufffd').toWellFormed();
}

/**
 * Such an id "as a list filter lists nothing". A cursor with such characters never decodes, so it is changed as well.
 */
function lookableFilter(value: string | string[], name: string): string | string[] {
  if (name !== 'cursor' && !name.endsWith('_id')) return value;
  return typeof value === 'string' ? lookable(value) : value.map(lookable);
}

function mapValues<T, R>(record: Record<string, T>, map: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

/** The members without a violation, storable ones only. */
function fittingMembers(check: SchemaCheck, value: unknown): Members {
  const members = Object.entries(check.fittingMembers(value));
  return Object.fromEntries(members.filter(([, member]) => isStorableThroughout(member)));
}

/** The parameter is the first step of the pointer: "/folder_id/0" concerns folder_id. */
function parameterProblem({ pointer, code, message }: Violation): Problem {
  return { parameter: pointer.split('/')[1] ?? '', code, message };
}

/**
 * Converts query values, which are text, to the types of their schemas. A value that does not convert stays text: a
 * problem.
 */
function coerceQuery(
  schema: TObject | undefined,
  query: Record<string, string | string[]>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, coerce(schema?.properties[name], value)]),
  );
}

function coerce(schema: TSchema | undefined, value: string | string[]): unknown {
  const type = schema && 'type' in schema ? schema.type : undefined;
  if (type === 'array') return typeof value === 'string' ? [value] : value;
  if (typeof value !== 'string') return value;
  if (type === 'boolean') return value === 'true' || (value === 'false' ? false : value);
  if (type === 'integer' && /^-?\d+$/.test(value)) return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  return value;
}

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
    found.add(missingMember(name, properties[name] ?? {}, at));
  }
  if (Object.keys(value).length < minProperties) found.add(violationOf(schema, 'minProperties', at, value));
  for (const [name, member] of Object.entries(properties)) {
    if (found.isFull) return;
    if (Object.hasOwn(value, name)) walk(member, value[name], pointerTo(at, name), found);
  }
  if (anyOf && !anyOf.some((alternative) => validatorOf(alternative).Check(value))) {
    found.add(violationOf(schema, 'anyOf', at, value));
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
    found.add(violationOf(schema, 'maxItems', at, value));
    return;
  }
  if (value.length < minItems) found.add(violationOf(schema, 'minItems', at, value));
  if (uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
    found.add(violationOf(schema, 'uniqueItems', at, value));
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
  const possible = alternatives.filter((alternative) => isMeantAs(alternative, value));
  const complete = possible.filter((alternative) => hasRequired(alternative, value));
  const [meant, ...others] = possible.length > 1 ? complete : possible;
  if (meant && others.length === 0) walk(meant, value, at, found);
  else found.add(violationOf(schema, 'anyOf', at, value));
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

/** Whether the value has every member that the alternative requires. */
function hasRequired(alternative: TSchema, value: unknown): boolean {
  const { required = [] } = alternative as Keywords;
  return isObject(value) && required.every((name) => Object.hasOwn(value, name));
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
  for (const { keyword } of errors) {
    // A pattern may bound the length as well: a wrong length is reported once.
    if (keyword === 'pattern' && hasWrongLength) continue;
    found.add(violationOf(schema, keyword, at, value));
  }
}

const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}
