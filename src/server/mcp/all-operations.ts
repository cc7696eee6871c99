import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { invalid, refuse } from '../../contract/validation.ts';
import { refuseOthers } from './own-arguments.ts';
import { placeOf, portionOf } from './portions.ts';
import type { Answered } from './tool-calls.ts';
import { describedOperation } from './tool-list.ts';

/** Tools for the operations that no other tool has; listed with `?tools=all` (MCP-10). */
export const FOR_ALL: readonly ListedTool[] = [
  {
    name: 'find_operation',
    title: 'Find an operation',
    description: 'Operations of the whole API whose name or summary has all of these words.',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'describe_operation',
    title: 'Describe an operation',
    description: 'Its arguments with their schemas, which of them are required, and its errors.',
    inputSchema: {
      type: 'object',
      properties: { operation_id: { type: 'string' } },
      required: ['operation_id'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'call_operation',
    title: 'Call an operation',
    description:
      'arguments has the members of its path, query, headers, body and content, as describe_operation names them.',
    inputSchema: {
      type: 'object',
      properties: {
        operation_id: { type: 'string' },
        arguments: { type: 'object' },
        idempotency_key: { type: 'string' },
      },
      required: ['operation_id'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
];

/** Throws ApiError validation_failed for arguments that the tool of this name does not have. */
export function refuseUnlisted(name: string, given: ToolArguments): void {
  const tool = FOR_ALL.find((one) => one.name === name);
  refuseOthers(given, [...Object.keys(tool?.inputSchema.properties ?? {}), 'cursor']);
}

/** The operations among these whose id or summary has all words of `q`. */
export function foundOperations(
  operations: readonly Operation[],
  { q = '', cursor }: ToolArguments,
): Answered {
  if (typeof q !== 'string') throw invalid([{ pointer: '/q', code: 'wrong_type', message: 'Give words.' }]);
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations
    .filter(({ id, summary, area }) => {
      const text = `${id} ${summary} ${area}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map(({ id, summary }) => ({ operation_id: id, summary }));
  return { ...portionOf(found, placeOf(cursor)), isReplayed: false };
}

/** The operation that `operation_id` names. Throws ApiError not_found or validation_failed. */
export function namedOperation(
  operations: readonly Operation[],
  { operation_id: id }: ToolArguments,
): Operation {
  if (typeof id !== 'string')
    refuse([{ pointer: '/operation_id', code: 'required', message: 'Give the id of an operation.' }]);
  const operation = operations.find((other) => other.id === id);
  if (operation) return operation;
  const message = 'There is no operation with this id that the key may call. Look it up with find_operation.';
  throw new ApiError('not_found', message, { resource: 'operation', id });
}

/** The description of an operation, or its part from a cursor on. */
export function describedAnswer(operation: Operation, { cursor }: ToolArguments): Answered {
  return { ...portionOf(describedOperation(operation), placeOf(cursor)), isReplayed: false };
}
