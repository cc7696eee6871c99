import type { IdPrefix } from '../platform/ids.ts';

/** The arguments of a tool: the members of path, query and body under their own names. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * How an operation is offered to agents (docs/spec/mcp.md). Operations that name the same tool are one tool; its
 * arguments decide which of them is called.
 */
export interface AgentTool {
  tool: string;
  title: string;
  /** What the operation does, for an agent that chooses. The hints of one tool are read one after another. */
  hint?: string;
  /** Whether it overwrites, trashes, sends or shares. */
  isDestructive?: true;
  /** Whether it may reach people who are not in the workspace. */
  isOpen?: true;
  /** The prefixes of the ids that it takes as `id`, where another operation of the tool takes others. */
  ids?: readonly IdPrefix[];
  /** The arguments that the tool lists, where the operation takes more. */
  lists?: readonly string[];
  /** Members of the answer that only programs need. */
  leavesOut?: readonly string[];
  /** Whether the answer has text that others may have written: it is no instruction. */
  hasTextOfOthers?: true;
  /** Translates the arguments of the tool to those of the operation, where they differ. */
  asArguments?: (given: ToolArguments) => ToolArguments;
}
