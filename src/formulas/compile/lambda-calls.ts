import { CellError, ERROR } from '../values.ts';
import { type Code, Lambda, OMITTED, type Result, type Scope } from './code.ts';

/** How deep LAMBDAs may call each other before the formula is given up. */
const MAX_DEPTH = 512;

/** The code that calls what a name or an expression came to. */
export function applied(callee: Code, args: readonly Code[]): Code {
  return (scope) => {
    const lambda = callee(scope);
    if (lambda instanceof CellError) return lambda;
    return apply(
      lambda,
      args.map((one) => one(scope)),
      scope,
    );
  };
}

/** InFlightCalls a LAMBDA; what it is not given is omitted, too much is #VALUE!, anything but a LAMBDA #VALUE! too. */
export function apply(lambda: Result, args: readonly Result[], scope: Scope): Result {
  if (!(lambda instanceof Lambda) || args.length > lambda.parameters) return ERROR['#VALUE!'];
  if (scope.depth >= MAX_DEPTH) return ERROR['#NUM!'];
  scope.host.spend(1);
  const omitted = Array.from({ length: lambda.parameters - args.length }, () => OMITTED);
  const locals = [...lambda.captured, ...args, ...omitted];
  return lambda.body({ ...scope, locals, depth: scope.depth + 1 });
}
