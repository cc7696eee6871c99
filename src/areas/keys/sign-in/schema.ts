import { type Static, Type } from 'typebox';
import { timestamp } from '../../../contract/timestamp.ts';

export const SignInCode = Type.Object(
  {
    code: Type.String({
      description: 'Opens one session in a browser, shown only here.',
      examples: ['q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'],
    }),
    url: Type.String({
      description: 'The page with the code in its fragment, which no browser sends and no log has.',
      examples: ['http://localhost:8080/#sign-in=q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'],
    }),
    expires_at: timestamp('When the code ends, unless it was used before.'),
  },
  { title: 'SignInCode', additionalProperties: false },
);

export type SignInCode = Static<typeof SignInCode>;

/** The page with a code in its fragment. `page`: its address, without a slash at the end. */
export function signInUrl(page: string, code: string): string {
  return `${page}/#sign-in=${code}`;
}
