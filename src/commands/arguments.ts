import { Option } from 'commander';
import type { Static, TSchema } from 'typebox';
import type { Problem } from '../contract/operation.ts';
import { SchemaCheck } from '../contract/schema-check.ts';
import { unstorableText } from '../contract/storable-text.ts';
import { refuse } from '../contract/validation.ts';

/** What was given, when it is what the API would take as well. Throws ApiError validation_failed. */
export function checked<S extends TSchema>(
  schema: S,
  given: Static<S>,
  furtherProblems: (given: Static<S>) => Problem[] = () => [],
): Static<S> {
  refuse([...new SchemaCheck(schema).violations(given), ...unstorableText(given)]);
  refuse(furtherProblems(given));
  return given;
}

/** An option that may be given several times; absent when it never is. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, earlier: string[] = []) => [
    ...earlier,
    value,
  ]);
}
