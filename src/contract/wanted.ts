import type { TSchema } from 'typebox';

/**
 * The keyword of a text's schema, or of its `not`, with the wording of a refusal for a pattern that people cannot
 * read. An example of the schema follows this wording.
 */
export const WANTED = 'x-wanted';

/** The library's description of a broken rule. */
export interface BrokenRule {
  keyword: string;
  message: string;
}

/** The keywords of a schema from which the sentences are built. */
interface Keywords {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  pattern?: string;
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
 * Describes in one sentence what a schema requires, for the rule that a value breaks, with an example if the schema
 * has one.
 */
export function wantedOf(schema: TSchema, { keyword, message }: BrokenRule, value: unknown): string {
  const { type, enum: allowed, const: only, format } = schema as Keywords;
  if (keyword === 'type' && type) return withExample(`Must be ${TYPES[type] ?? type}`, givenExamples(schema));
  if (keyword === 'enum' && allowed) return `Must be one of: ${allowed.join(', ')}.`;
  if (keyword === 'const') return `Must be ${JSON.stringify(only)}.`;
  if (keyword === 'format' && format === 'date-time') return withExample(...wantedTime(value, schema));
  if (keyword === 'pattern' || keyword === 'format') return wantedText(schema, value);
  if (keyword === 'not') return wantedElse(schema);
  if (keyword === 'anyOf') return wantedAmong(schema);
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** JSON types with their articles, for a sentence. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/**
 * The RFC 3339 fields that are present decide which ones are missing. The example completes the value itself where
 * possible.
 */
function wantedTime(value: unknown, schema: TSchema): [wanted: string, examples: readonly unknown[]] {
  const text = typeof value === 'string' ? value : '';
  if (isTime(`${text}T00:00:00Z`)) return ['Needs a time and an offset', [`${text}T00:00:00Z`]];
  if (isTime(`${text}Z`)) return ['Needs an offset', [`${text}Z`]];
  return ['Needs a date, a time and an offset', givenExamples(schema)];
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

const CONTROL_CHARACTER = /\p{Cc}/u;

function wantedText(schema: TSchema, value: unknown): string {
  const { [WANTED]: wanted } = schema as Keywords;
  const examples = givenExamples(schema);
  if (wanted !== undefined) return withExample(wanted, examples);
  if (CONTROL_CHARACTER.test(String(value))) return withExample('Must hold no control characters', examples);
  if (examples.length === 0) return 'Must be as the reference says.';
  return `Must have the form of ${listed(examples)}.`;
}

function wantedElse(schema: TSchema): string {
  const { not = {} } = schema as Keywords;
  const { [WANTED]: wanted = 'Must be as the reference says' } = not as Keywords;
  return withExample(wanted, givenExamples(schema));
}

/**
 * For a value that fits no alternative: the members, where they distinguish the alternatives, else their types or
 * shapes.
 */
function wantedAmong(schema: TSchema): string {
  const { anyOf = [] } = schema as Keywords;
  const members = anyOf.flatMap(({ required = [] }: Keywords) => required);
  if ('properties' in schema) {
    const [first = ''] = members;
    const example = exampleOf((schema as Keywords).properties?.[first] ?? {});
    return withExample(`Needs at least one of: ${members.join(', ')}`, [{ [first]: example }]);
  }
  const examples = givenExamples(schema);
  const kinds = kindsAmong(anyOf);
  if (kinds) return withExample(kinds, examples.length > 0 ? examples : anyOf.slice(0, 1).map(exampleOf));
  const types = anyOf.map(({ type = '' }: Keywords) => TYPES[type] ?? 'something else');
  return withExample(
    `Must be ${listedWords([...new Set(types)])}`,
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
  return `Must be an object whose ${name} is one of: ${[...new Set(kinds)].join(', ')}`;
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
  return examples.length === 0 ? `${wanted}.` : `${wanted}, as ${listed(examples)}.`;
}

function listed(examples: readonly unknown[]): string {
  return listedWords(examples.map((example) => JSON.stringify(example)));
}

/** Joins words, such as "a, b or c". */
function listedWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}
