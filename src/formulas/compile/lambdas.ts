import type { LambdaExpression, LetExpression } from '../syntax/formula-library.ts';
import { type Code, Lambda } from './code.ts';
import type { Compiler } from './compiler.ts';

/** The code of LET: each name is known to all that follow. */
export function compileLet(node: LetExpression, outer: Compiler): Code {
  let within = outer;
  const inits: Code[] = [];
  const first = outer.locals.length;
  for (const { id, init } of node.declarations) {
    inits.push(within.compile(init, within));
    within = withLocals(within, [id.name]);
  }
  const body = within.compile(node.body, within);
  outer.volatile ||= within.volatile;
  return (scope) => {
    for (const [at, init] of inits.entries()) scope.locals[first + at] = init(scope);
    return body(scope);
  };
}

/** The code of LAMBDA: a function that keeps the values of the names around it. */
export function compileLambda(node: LambdaExpression, outer: Compiler): Code {
  const within = withLocals(
    outer,
    node.params.map(({ name }) => name),
  );
  const body = within.compile(node.body, within);
  outer.volatile ||= within.volatile;
  const [first, count] = [outer.locals.length, node.params.length];
  return (scope) => new Lambda(count, body, scope.locals.slice(0, first));
}

function withLocals(outer: Compiler, names: readonly string[]): Compiler {
  return { ...outer, locals: [...outer.locals, ...names.map((name) => name.toUpperCase())] };
}
