import type { ToolArguments } from '../../contract/agent-tool.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Calls } from './calls.ts';

/** The addresses of those of these recipients, "Name <address>" or an address, who are not in the workspace. */
export type FindOutsiders = (workspaceId: string, recipients: readonly string[]) => Promise<string[]>;

/** What a question is made of. */
export interface Asked {
  given: ToolArguments;
  calls: Calls;
  findOutsiders: FindOutsiders;
}

/** What a person reads, and what of the stored objects an answer counts for, beside the arguments of the call. */
export interface Asking {
  /** undefined where nobody need be asked about an object in its `state`. */
  message: string | undefined;
  about?: unknown;
  /** The state of the object that this was decided by, where the operation can be held to it: no other is acted on. */
  state?: string;
}

/** What an operation reads; undefined where that does not exist: then a write refuses, or answers as it did before. */
export async function found(calls: Calls, operation: string, given: ToolArguments): Promise<unknown> {
  try {
    return (await calls.call(operation, given)).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
