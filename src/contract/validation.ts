import type { TObject, TSchema } from 'typebox';
import { ApiError } from './errors.ts';
import type { Declaration, Problem } from './operation.ts';
import { SchemaCheck } from './schema-check.ts';
import { isStorable, isStorableThroughout, unstorableText } from './storable-text.ts';
import { isObject, type Members } from './unknown-json.ts';
import { toldOf, type Violation } from './violations.ts';

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
  return new ApiError('validation_failed', message, { errors: toldOf(problems) });
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
