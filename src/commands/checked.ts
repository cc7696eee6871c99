import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Problem } from '../api/operation.ts';
import { violations } from '../api/problems.ts';
import { unstorableText } from '../api/storable-text.ts';
import { refuse } from '../api/validation.ts';

/** What was given, when it is what the API would take as well. Throws ApiError validation_failed. */
export function checked<S extends TSchema>(
  schema: S,
  given: Static<S>,
  furtherProblems: (given: Static<S>) => Problem[] = () => [],
): Static<S> {
  const validator = Compile(schema);
  const broken = validator.Check(given) ? [] : violations(schema, validator.Errors(given));
  refuse([...broken, ...unstorableText(given)]);
  refuse(furtherProblems(given));
  return given;
}
