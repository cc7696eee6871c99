import { type TString, Type } from 'typebox';

/** The schema of a time in an answer; `meaning` is a sentence. */
export function timestamp(meaning: string, example = '2026-03-02T09:00:00.000Z'): TString {
  return Type.String({
    description: `${meaning} RFC 3339, UTC, with milliseconds.`,
    examples: [example],
  });
}
