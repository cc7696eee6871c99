import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import { ApiError } from '../../contract/errors.ts';
import { isWrite, type Operation } from '../../contract/operation.ts';
import { type ToolAnswer, toolResult } from './answers.ts';
import { busyPortion } from './busy-portions.ts';
import { type Called, type CallOptions, type Calls, KeptRefusal } from './calls.ts';
import { COMPOSED_TOOLS, type ComposedAnswer } from './composed-tools.ts';
import { textOf } from './content-text.ts';
import { refuseOthers } from './own-arguments.ts';
import { invalidCursor, MAX_CHARACTERS, MAX_ROWS, type Portion, placeOf, portionOf } from './portions.ts';
import { chosenOffer, type Offer, type Tool } from './tools.ts';

/** A call that is ready: which operation, with which arguments. */
export interface ToolCall {
  readonly tool: Tool;
  readonly offer: Offer;
  readonly given: ToolArguments;
}

/**
 * Chooses the operation of a tool. Throws ApiError validation_failed where none fits the arguments, and for
 * those that a translation would lose.
 */
export function toolCall(tool: Tool, given: ToolArguments): ToolCall {
  const offer = chosenOffer(tool, given);
  const { asArguments } = offer.agent;
  if (!asArguments) return { tool, offer, given };
  refuseOthers(given, ['id', 'idempotency_key']);
  const { idempotency_key } = given;
  const translated = Object.entries({ idempotency_key, ...asArguments(given) });
  return { tool, offer, given: Object.fromEntries(translated) };
}

/** How a call that may need a yes is made, beside its arguments. */
export type CallManner = Pick<CallOptions, 'onlyRepeats' | 'state' | 'mayMail'>;

/** Calls a tool. Rejects with ApiError as its operation refuses. */
export async function callTool(
  calls: Calls,
  { tool, offer, given }: ToolCall,
  manner: CallManner = {},
): Promise<CallToolResult> {
  const { agent } = offer;
  const composed = COMPOSED_TOOLS.get(tool.name);
  if (composed && (manner.onlyRepeats || manner.state !== undefined))
    throw new TypeError(`${tool.name} is several operations, which have no state and no answer in common`);
  const answer = composed
    ? composedAnswer(await composed(calls, given), given)
    : await callOperation(calls, offer.operation, given, agent.leavesOut, manner);
  const hasTextOfOthers = agent.hasTextOfOthers === true;
  return toolResult({ ...answer, hasTextOfOthers, summary: summaryOf(agent.title, answer) });
}

/** An answer without the words for it. */
export type Answered = Portion & Pick<ToolAnswer, 'isReplayed' | 'state'>;

function composedAnswer({ nextCursor, ...called }: ComposedAnswer, given: ToolArguments): Answered {
  if (nextCursor === undefined) return answered(called, portionOf(called.data, placeOf(given.cursor)));
  return answered(called, { data: called.data, nextCursor });
}

function answered({ isReplayed, state }: Called, portion: Portion): Answered {
  return { ...portion, isReplayed, ...(state === undefined ? {} : { state }) };
}

/** Calls an operation and gives as much of its answer as an agent reads at once. */
export async function callOperation(
  calls: Calls,
  operation: Operation,
  given: ToolArguments,
  leavesOut: readonly string[] = [],
  { onlyRepeats = false, state, mayMail }: CallManner = {},
): Promise<Answered> {
  const place = placeOf(given.cursor);
  const isPaged = Object.hasOwn(operation.query?.properties ?? {}, 'cursor');
  if (place ? operation.paging : typeof given.cursor === 'string' && !isPaged) throw invalidCursor();
  const isPart = place !== undefined;
  const called = await calls.call(operation.id, asked(operation, given, isPart), {
    onlyRepeats: isPart || onlyRepeats,
    state,
    mayMail,
  });
  if (called.content) {
    const { id } = given;
    const text = await textOf(called.content);
    return answered(called, portionOf({ id, ...text }, place ?? { member: 'text', offset: 0 }));
  }
  if (called.pagination && !isWrite(operation)) return pageOf(calls, operation, given, called);
  const data = without(called.data, leavesOut);
  const portion = (PORTIONS.get(operation.id) ?? portionOf)(data, place);
  return answered(called, { ...portion, nextCursor: portion.nextCursor || ownCursor(data) });
}

/** Answers whose rows are not those of their lists, by operation. */
const PORTIONS: ReadonlyMap<string, typeof portionOf> = new Map([['queryFreeBusy', busyPortion]]);

/** The change feed gives its cursor with each answer. */
function ownCursor(data: unknown): string {
  const { changes, cursor } = (data ?? {}) as { changes?: unknown; cursor?: unknown };
  return Array.isArray(changes) && typeof cursor === 'string' ? cursor : '';
}

/**
 * The answer of an earlier call with these arguments, which `repeat` fetches; undefined where none is kept. Rejects where the
 * call is refused by its arguments and the permissions of the key, and with the refusal that is kept.
 */
export async function keptAnswer(
  calls: Calls,
  operation: Operation,
  given: ToolArguments,
  repeat: () => Promise<CallToolResult>,
): Promise<CallToolResult | undefined> {
  const all = asked(operation, given, false);
  await calls.check(operation.id, all);
  if (!(await calls.isAnswered(operation.id, all))) return undefined;
  try {
    return await repeat();
  } catch (error) {
    if (error instanceof ApiError && isForgotten(error)) return undefined;
    throw error;
  }
}

/** Whether the answer was kept until a moment ago: the agent has given no cursor that could have expired. */
function isForgotten(error: ApiError): boolean {
  return error.code === 'cursor_expired' && !(error instanceof KeptRefusal);
}

/** The arguments with no more rows than an agent reads at once, and without a cursor that is not the operation's. */
function asked(operation: Operation, given: ToolArguments, isPart: boolean): ToolArguments {
  const entries = Object.entries(given).filter(([name]) => !(isPart && name === 'cursor'));
  const isLimited = Object.hasOwn(operation.query?.properties ?? {}, 'limit');
  const { limit = MAX_ROWS } = given;
  if (isLimited) entries.push(['limit', typeof limit === 'number' ? Math.min(limit, MAX_ROWS) : limit]);
  return Object.fromEntries(entries);
}

/** A page that is short enough: where its rows are long, it is asked for again with fewer of them. */
async function pageOf(
  calls: Calls,
  operation: Operation,
  given: ToolArguments,
  first: Called,
): Promise<Answered> {
  let called = first;
  for (;;) {
    const rows = called.data as unknown[];
    const length = JSON.stringify(rows).length;
    if (length <= MAX_CHARACTERS || rows.length <= 1)
      return answered(called, {
        data: portionOf(rows).data,
        nextCursor: called.pagination?.next_cursor ?? '',
      });
    const limit = Math.max(1, Math.floor((rows.length * MAX_CHARACTERS * 0.9) / length));
    const fewer = Object.entries(given).filter(([name]) => name !== 'limit');
    called = await calls.call(operation.id, Object.fromEntries([...fewer, ['limit', limit]]));
  }
}

/** An object without the members of these names; whatever is no object as it is. */
export function without<T>(data: T, names: readonly string[]): T {
  if (names.length === 0 || typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name))) as T;
}

function summaryOf(title: string, { data }: Portion): string {
  if (Array.isArray(data)) return `${title}: ${data.length} ${data.length === 1 ? 'row' : 'rows'}.`;
  const { id } = (data ?? {}) as { id?: unknown };
  return typeof id === 'string' ? `${title}: ${id}.` : `${title}.`;
}
