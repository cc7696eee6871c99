import type { TSchema } from 'typebox';

/**
 * The keyword of a text's schema, or of its `not`, with the wording of a refusal for a pattern that people cannot
 * read. An example of the schema follows this wording.
 */
export const WANTED = 'x-wanted';

/** The keywords of a schema from which the sentences are built. */
interface Keywords extends Limits {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  examples?: readonly unknown[];
  properties?: Readonly<Record<string, TSchema>>;
  required?: readonly string[];
  items?: TSchema;
  anyOf?: readonly TSchema[];
  not?: TSchema;
  [WANTED]?: string;
}

/**
 * Describes in one sentence what a schema requires, for the keyword of it that a value breaks, with an example if the
 * schema has one.
 */
export function wantedOf(schema: TSchema, keyword: string, value: unknown): string {
  const { enum: allowed = [], const: only, format } = schema as Keywords;
  if (keyword === 'enum') return wantedOneOf(allowed);
  if (keyword === 'const') return wantedOneOf([only]);
  if (keyword === 'format' && format === 'date-time') return wantedTime(value, schema);
  if (keyword === 'pattern' || keyword === 'format') return wantedText(schema, value);
  if (keyword === 'not') return wantedElse(schema);
  if (keyword === 'anyOf') return wantedAmong(schema);
  if (keyword === 'minProperties') return wantedMember(schema);
  if (keyword === 'uniqueItems') return 'Give each item once.';
  return wantedKind(schema);
}

/** For a member that is absent: that it is required, and what it is. */
export function wantedMissing(name: string, schema: TSchema): string {
  return `${name} is required. ${wantedOf(schema, definingKeyword(schema), undefined)}`;
}

/** The keyword that says most about the values of a schema. */
function definingKeyword(schema: TSchema): string {
  const { enum: allowed, anyOf, format, [WANTED]: wanted, not = {} } = schema as Keywords;
  if (allowed) return 'enum';
  if ('const' in schema) return 'const';
  if (anyOf && !('properties' in schema)) return 'anyOf';
  if (format === 'date-time') return 'format';
  if (wanted !== undefined) return 'pattern';
  return WANTED in not ? 'not' : 'type';
}

/** For a value of another type, and for one outside of its limits: the type and all limits together. */
function wantedKind(schema: TSchema): string {
  const { type } = schema as Keywords;
  if (type === undefined) return AS_REFERENCE;
  return withExample(`Give ${kindOf(schema)}`, examplesOfKind(schema));
}

/** The examples of a schema, else one composed of those of its items or members, where it has any. */
function examplesOfKind(schema: TSchema): readonly unknown[] {
  const { type, items, required = [] } = schema as Keywords;
  const given = givenExamples(schema);
  const isComposed = type === 'array' ? items !== undefined : type === 'object' && required.length > 0;
  return given.length === 0 && isComposed ? [exampleOf(schema)] : given;
}

const AS_REFERENCE = 'Give what the reference describes.';

/** A type with its article and its limits, such as "a whole number from 1 to 5". */
function kindOf(schema: TSchema): string {
  const { type = '' } = schema as Keywords;
  const limits = limitsOf(schema as Limits);
  return `${TYPES[type] ?? type}${limits && ` ${limits}`}`;
}

/** JSON types with their articles, for a sentence. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function wantedOneOf(values: readonly unknown[]): string {
  const [only, ...others] = values;
  return others.length === 0 ? `Give ${JSON.stringify(only)}.` : `Give one of: ${values.join(', ')}.`;
}

/** For an object that needs any of its members. */
function wantedMember(schema: TSchema): string {
  const { properties = {} } = schema as Keywords;
  return wantedOneMemberOf(schema, Object.keys(properties));
}

function wantedOneMemberOf(schema: TSchema, members: readonly string[]): string {
  const [first = ''] = members;
  const example = exampleOf((schema as Keywords).properties?.[first] ?? {});
  return withExample(`Give at least one of: ${members.join(', ')}`, [{ [first]: example }]);
}

/**
 * The RFC 3339 fields that are present decide which ones are missing. The example completes the value itself where
 * possible.
 */
function wantedTime(value: unknown, schema: TSchema): string {
  const text = typeof value === 'string' ? value : '';
  if (isTime(`${text}T00:00:00Z`)) return withExample('Add a time and an offset', [`${text}T00:00:00Z`]);
  if (isTime(`${text}Z`)) return withExample('Add an offset', [`${text}Z`]);
  return withExample('Give a date, a time and an offset', givenExamples(schema));
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

const CONTROL_CHARACTER = /\p{Cc}/u;

function wantedText(schema: TSchema, value: unknown): string {
  const { [WANTED]: wanted } = schema as Keywords;
  const examples = givenExamples(schema);
  if (wanted !== undefined) return withExample(wanted, examples);
  if (CONTROL_CHARACTER.test(String(value)))
    return withExample('Give a string without control characters', examples);
  return examples.length === 0 ? AS_REFERENCE : `Give a string of the form of ${listed(examples)}.`;
}

function wantedElse(schema: TSchema): string {
  const { not = {} } = schema as Keywords;
  const { [WANTED]: wanted } = not as Keywords;
  return wanted === undefined ? AS_REFERENCE : withExample(wanted, givenExamples(schema));
}

/**
 * For a value that fits no alternative: the values or the members, where they distinguish the alternatives, else
 * their types or shapes.
 */
function wantedAmong(schema: TSchema): string {
  const { anyOf = [] } = schema as Keywords;
  if ('properties' in schema) {
    return wantedOneMemberOf(
      schema,
      anyOf.flatMap(({ required = [] }: Keywords) => required),
    );
  }
  if (anyOf.every((alternative) => 'const' in alternative)) {
    return wantedOneOf(anyOf.map(({ const: only }: Keywords) => only));
  }
  const examples = givenExamples(schema);
  const kinds = kindsAmong(anyOf);
  if (kinds) return withExample(kinds, examples.length > 0 ? examples : anyOf.slice(0, 1).map(exampleOf));
  const types = anyOf.flatMap((alternative) => {
    const { type = '' } = alternative as Keywords;
    return type === 'boolean' ? ['true', 'false'] : type === '' ? [] : [kindOf(alternative)];
  });
  if (types.length === 0) return AS_REFERENCE;
  return withExample(
    `Give ${listedWords([...new Set(types)])}`,
    examples.length > 0 ? examples : anyOf.map(exampleOf),
  );
}

/** For objects that a member, such as `type`, distinguishes: the allowed values of that member. */
function kindsAmong(alternatives: readonly TSchema[]): string | undefined {
  const [first, ...others] = alternatives.map(({ properties = {} }: Keywords) => properties);
  const isKind = (name: string) =>
    [first, ...others].every(
      (properties) => (properties?.[name] as Keywords | undefined)?.enum !== undefined,
    );
  const name = Object.keys(first ?? {}).find(isKind);
  if (first === undefined || name === undefined) return undefined;
  const kinds = [first, ...others].flatMap((properties) => (properties[name] as Keywords).enum ?? []);
  return `Give an object whose ${name} is one of: ${[...new Set(kinds)].join(', ')}`;
}

function givenExamples(schema: TSchema): readonly unknown[] {
  return (schema as Keywords).examples ?? [];
}

/** A possible value of the schema: its own example, else one composed of the examples of its members or items. */
function exampleOf(schema: TSchema): unknown {
  const {
    type,
    examples,
    enum: allowed,
    const: only,
    properties = {},
    required = [],
    items,
  } = schema as Keywords;
  const [given] = examples ?? allowed ?? (only === undefined ? [] : [only]);
  if (given !== undefined) return given;
  if (type === 'array') return items ? [exampleOf(items)] : [];
  if (type === 'object') {
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
  }
  return type === undefined ? null : (PLAIN_EXAMPLES[type] ?? null);
}

const PLAIN_EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 12.5,
  integer: 1,
  boolean: true,
};

function withExample(wanted: string, examples: readonly unknown[]): string {
  return examples.length === 0 ? `${wanted}.` : `${wanted}, such as ${listed(examples)}.`;
}

function listed(examples: readonly unknown[]): string {
  return listedWords(examples.map((example) => JSON.stringify(example)));
}

/** Joins words, such as "a, b or c". */
function listedWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}

/** The keywords of a schema that limit a value of the right type. */
export interface Limits {
  type?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Describes the limits of a value, such as "from 1 to 5" or "of at most 100 items"; "" where it has none. */
function limitsOf(limits: Limits): string {
  const { type, minLength, maxLength, minItems, maxItems } = limits;
  if (type === 'string') return countOf(minLength, maxLength, 'character');
  if (type === 'array') return countOf(minItems, maxItems, 'item');
  return rangeOf(limits);
}

/** A least number of 0 says nothing. */
function countOf(least = 0, most: number | undefined, unit: string): string {
  if (most === undefined) return least === 0 ? '' : `of at least ${counted(least, unit)}`;
  if (least === 0) return `of at most ${counted(most, unit)}`;
  return least === most ? `of ${counted(most, unit)}` : `of ${least} to ${counted(most, unit)}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Limits): string {
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  const bounds = [
    minimum === undefined ? '' : `of at least ${minimum}`,
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    maximum === undefined ? '' : `of at most ${maximum}`,
    exclusiveMaximum === undefined ? '' : `below ${exclusiveMaximum}`,
  ];
  return bounds.filter((bound) => bound !== '').join(' and ');
}
