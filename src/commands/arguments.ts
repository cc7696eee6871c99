import { Option } from 'commander';
import type { Static, TSchema } from 'typebox';
import type { Problem } from '../contract/operation.ts';
import { unstorableText } from '../contract/storable-text.ts';
import { refuse, SchemaCheck } from '../contract/validation.ts';

/** Validates command arguments as the API does. Throws ApiError validation_failed. */
export function checked<S extends TSchema>(
  schema: S,
  given: Static<S>,
  furtherProblems: (given: Static<S>) => Problem[] = () => [],
): Static<S> {
  refuse([...new SchemaCheck(schema).violations(given), ...unstorableText(given)]);
  refuse(furtherProblems(given));
  return given;
}

/** An option that may be repeated; its value is absent where it is never given. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, earlier: string[] = []) => [
    ...earlier,
    value,
  ]);
}
