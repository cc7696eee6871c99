import type { Value } from '../values.ts';
import type { Arguments, CallContext, FormulaFunction, Parameter } from './function.ts';

type Given<P extends readonly Parameter[], R extends number> = {
  [K in keyof P]: K extends `${number}` ? Present<P, K, R> : Arguments[P[K]];
};
type Below<R extends number, Places extends readonly unknown[] = []> = Places['length'] extends R
  ? Extract<keyof Places, `${number}`>
  : Below<R, readonly [...Places, unknown]>;
type Present<P extends readonly Parameter[], K extends keyof P, R extends number> = P[K] extends Parameter
  ? K extends Below<R>
    ? Arguments[P[K]]
    : Arguments[P[K]] | undefined
  : never;

interface Options<R extends number> {
  /** How many arguments must be there; all when absent. */
  readonly required?: R;
  readonly repeats?: number;
  readonly volatile?: true;
  readonly takesErrors?: true;
  readonly addIn?: true;
  readonly leftOutBy?: FormulaFunction['leftOutBy'];
  readonly makesReferences?: true;
  readonly eachReference?: true;
}

/**
 * Declares a function: its arguments have the types of its parameters, those after `required` may be undefined. Of one
 * whose last parameters repeat, `call` takes the first of them by place and all that follow as a rest.
 */
export function define<const P extends readonly Parameter[], const R extends number = P['length']>(
  name: string,
  parameters: P,
  call: (given: Given<P, R>, context: CallContext) => Value,
  options: Options<R> = {},
): FormulaFunction {
  return { name, parameters, required: parameters.length, ...options, call: call as FormulaFunction['call'] };
}
