import { ApiError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Principal } from '../../contract/principal.ts';
import { FOR_ALL } from './all-operations.ts';
import { refusalOf } from './calls.ts';

/** Why a tool that exists is not there for this connection. */
export interface Withheld {
  error: ApiError;
  /** What to do next, where it is not what the code says by itself. */
  next?: string;
}

/**
 * Why a connection does not have a tool: for an agent that has heard of it, "there is none" would be wrong. undefined where
 * there is no such tool at all. `operations`: all that there are.
 */
export function withheldTool(
  name: string,
  operations: readonly Operation[],
  principal: Principal,
): Withheld | undefined {
  const offering = operations.filter(({ agent }) => [agent ?? []].flat().some(({ tool }) => tool === name));
  if (offering.length > 0) {
    const refusals = offering.map((operation) => refusalOf(operation, principal));
    const missing = refusals.filter((refusal) => refusal !== undefined);
    return missing.length === offering.length ? { error: lacking(name, missing) } : narrowed(name, 'areas=');
  }
  return FOR_ALL.some((tool) => tool.name === name) ? narrowed(name, 'tools=all') : undefined;
}

function lacking(name: string, refusals: readonly ApiError[]): ApiError {
  const permissions = [...new Set(refusals.map(({ details }) => String(details.missing_permission)))];
  const [permission] = permissions;
  const message =
    permissions.length === 1
      ? `The API key lacks the permission ${permission}, which the tool ${name} needs.`
      : `The API key lacks all permissions of the tool ${name}: ${permissions.join(', ')}. One of them is enough.`;
  return new ApiError('insufficient_scope', message, { missing_permission: permission });
}

function narrowed(name: string, query: 'areas=' | 'tools=all'): Withheld {
  const isArea = query === 'areas=';
  const message = isArea
    ? `The key may use the tool ${name}, but the address of this connection has ?areas= with other areas.`
    : `The tool ${name} is there only where the address of the connection has ?tools=all.`;
  const next = `Use a tool that is listed, or ask the person to connect ${isArea ? 'without ?areas=' : 'with ?tools=all'}.`;
  return { error: new ApiError('not_found', message, { resource: 'tool', id: name }), next };
}
