import { isGrid } from '../grids.ts';
import { ERROR } from '../values.ts';
import { implicitIntersection } from './areas.ts';
import type { Code } from './code.ts';
import { plainValue } from './operands.ts';

/** The code of `@`: one value where a formula of today would spill. */
export function atSign(inner: Code): Code {
  return (scope) => {
    const value = plainValue(inner(scope));
    return isGrid(value) ? implicitIntersection(value, scope) : value;
  };
}

/** The code of `A1#`: all that the formula in A1 spills over. */
export function spillOf(inner: Code): Code {
  return (scope) => {
    const value = plainValue(inner(scope));
    const at = isGrid(value) ? value.area : undefined;
    if (at === undefined) return ERROR['#REF!'];
    scope.host.read(at.sheet, at.top, at.left);
    const area = scope.host.spilled(at.sheet, at.top, at.left);
    return area === undefined ? ERROR['#REF!'] : scope.host.reference(area);
  };
}
