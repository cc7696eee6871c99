import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';

/** Every problem in one answer; the library would stop after eight. A body that is all wrong tells this many. */
Settings.Set({ maxErrors: 1_000 });

/** The stable code of a broken schema rule, by its JSON Schema keyword. */
const CODES: Record<string, string> = {
  required: 'required',
  additionalProperties: 'unknown_field',
  type: 'wrong_type',
  enum: 'not_allowed',
  const: 'not_allowed',
  minLength: 'too_short',
  maxLength: 'too_long',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  minItems: 'too_few',
  minProperties: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'duplicate',
  pattern: 'wrong_format',
  format: 'wrong_format',
};

/** The keyword of an object's schema that explains why it has no other fields. */
export const UNKNOWN_FIELDS = 'x-unknown-fields';

/** One broken rule: where in the value, as a JSON pointer (RFC 6901), and what. */
export interface Violation {
  pointer: string;
  code: string;
  message: string;
}

type SchemaError = TLocalizedValidationError;

/** The broken rules of a value as people and programs read them, one per missing or unknown member. */
export function violations(schema: TSchema, errors: readonly SchemaError[]): Violation[] {
  const found: Violation[] = [];
  const ofWrongLength = placesOfWrongLength(errors);
  for (const error of errors.flatMap((error) => told(error, errors))) {
    if (error.keyword === 'boolean') continue;
    if (error.keyword === 'pattern' && ofWrongLength.has(error.instancePath)) continue;
    found.push(...violationsOf(schema, error));
  }
  return found;
}

/** Of a value that fits no alternative, what is wrong with it as the one that it is meant as, where that is plain. */
function told(error: SchemaError, errors: readonly SchemaError[]): readonly SchemaError[] {
  if (error.schemaPath.includes('/anyOf/')) return [];
  return error.keyword === 'anyOf' ? (meantAlternative(error, errors) ?? [error]) : [error];
}

function meantAlternative(
  { instancePath, schemaPath }: SchemaError,
  errors: readonly SchemaError[],
): SchemaError[] | undefined {
  const prefix = `${schemaPath}/anyOf/`;
  const ofValue = errors.filter((error) => error.schemaPath.startsWith(prefix) && isAt(error, instancePath));
  const alternatives = Map.groupBy(ofValue, (error) => error.schemaPath.slice(prefix.length).split('/')[0]);
  const meant = [...alternatives.values()].filter(
    (some) => !some.some((error) => isOfAnotherKind(error, instancePath)),
  );
  return meant.length === 1 ? meant[0] : undefined;
}

function isAt({ instancePath }: Pick<SchemaError, 'instancePath'>, path: string): boolean {
  return instancePath === path || instancePath.startsWith(`${path}/`);
}

/** Another JSON type than the alternative is for, or a member such as `type` that tells it from the others. */
function isOfAnotherKind({ keyword, instancePath }: SchemaError, path: string): boolean {
  if (keyword === 'type') return instancePath === path;
  return (keyword === 'enum' || keyword === 'const') && isAt({ instancePath }, path);
}

/** A pattern may bound the length as well: that a text is too short or too long need not be told twice. */
function placesOfWrongLength(errors: readonly SchemaError[]): ReadonlySet<string> {
  const ofLength = errors.filter(({ keyword }) => keyword === 'minLength' || keyword === 'maxLength');
  return new Set(ofLength.map(({ instancePath }) => instancePath));
}

function violationsOf(schema: TSchema, error: SchemaError): Violation[] {
  const at = error.instancePath;
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({
      pointer: `${at}/${escapePointer(name)}`,
      code: 'required',
      message: `${name} is required.`,
    }));
  }
  if (error.keyword === 'additionalProperties') {
    const explanation = memberAt(schemaAt(schema, error.schemaPath), UNKNOWN_FIELDS);
    return error.params.additionalProperties.map((name) => ({
      pointer: `${at}/${escapePointer(name)}`,
      code: 'unknown_field',
      message: `There is no field ${name} here.${explanation === undefined ? '' : ` ${explanation}`}`,
    }));
  }
  return [{ pointer: at, code: CODES[error.keyword] ?? 'invalid', message: messageOf(schema, error) }];
}

function messageOf(schema: TSchema, error: SchemaError): string {
  if (error.keyword === 'enum') return `Must be one of: ${error.params.allowedValues.join(', ')}.`;
  if (error.keyword === 'pattern' || error.keyword === 'format' || error.keyword === 'anyOf') {
    const description = memberAt(schemaAt(schema, error.schemaPath), 'description');
    if (description !== undefined) return `Does not fit: ${description}`;
  }
  return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
}

/** The schema that a schemaPath such as "#/properties/name" leads to. */
function schemaAt(schema: TSchema, schemaPath: string): unknown {
  let here: unknown = schema;
  for (const step of schemaPath.split('/').slice(1)) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Reflect.get(here, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return here;
}

function memberAt(schema: unknown, name: string): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const member: unknown = Reflect.get(schema, name);
  return member === undefined ? undefined : String(member);
}

/** RFC 6901, 3: "~" and "/" within a reference token are written "~0" and "~1". */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
