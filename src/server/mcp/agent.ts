import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import { isObject } from '../../contract/json.ts';
import type { Area, Operation } from '../../contract/operation.ts';
import type { MayMail } from '../../contract/outside-mail.ts';
import { invalid } from '../../contract/validation.ts';
import {
  describedAnswer,
  FOR_ALL,
  foundOperations,
  namedOperation,
  refuseUnlisted,
} from './all-operations.ts';
import { toolResult } from './answers.ts';
import type { FindOutsiders, Precaution } from './asking.ts';
import { type Calls, mayCall } from './calls.ts';
import { placeOf } from './portions.ts';
import { permitUnasked, questionOf } from './questions.ts';
import {
  type Answered,
  type CallManner,
  callOperation,
  callTool,
  keptAnswer,
  toolCall,
  without,
} from './tool-calls.ts';
import { listedTool } from './tool-list.ts';
import { type Tool, toolsFor } from './tools.ts';
import { type Withheld, withheldTool } from './withheld-tools.ts';

/** Which tools a client has asked for, by the query of the address. */
export interface Wanted {
  /** Only tools of these areas. */
  areas: ReadonlySet<Area> | undefined;
  /** Whether the tools for all other operations are listed as well. */
  isAll: boolean;
}

/** A call of a tool whose operation is chosen. */
export interface PreparedCall {
  /** What comes before it, where a person can be asked. */
  precaution(): Promise<Precaution>;
  /**
   * Where nobody can be asked: which addresses outside may be mailed. Throws ApiError insufficient_scope for what the key may
   * do only after a question.
   */
  permitUnasked(): Promise<MayMail>;
  /**
   * `state`: the only one that is acted on; rejects with ApiError state_mismatch where there is another. `mayMail`: the only
   * addresses outside that are mailed; rejects with MailsOthers where there are others.
   */
  run(decided?: Pick<CallManner, 'state' | 'mayMail'>): Promise<CallToolResult>;
  /**
   * The answer of an earlier call that was the same, which acts no more; undefined where none is kept. Rejects where the call is
   * refused by its arguments and the permissions of the key.
   */
  keptAnswer(): Promise<CallToolResult | undefined>;
}

/** The agent of one request: the tools that its key may call, and their calls. */
export class Agent {
  readonly calls: Calls;
  readonly #allOperations: readonly Operation[];
  readonly #operations: readonly Operation[];
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #isAll: boolean;
  readonly #findOutsiders: FindOutsiders;

  constructor(
    operations: readonly Operation[],
    calls: Calls,
    { wanted, findOutsiders }: { wanted: Wanted; findOutsiders: FindOutsiders },
  ) {
    const { principal } = calls.caller;
    this.calls = calls;
    this.#allOperations = operations;
    this.#operations = operations.filter((operation) => mayCall(operation, principal));
    this.#tools = toolsFor(operations, principal, wanted.areas);
    this.#isAll = wanted.isAll;
    this.#findOutsiders = findOutsiders;
  }

  listTools(): ListedTool[] {
    return [...Array.from(this.#tools.values(), listedTool), ...(this.#isAll ? FOR_ALL : [])];
  }

  hasTool(name: string): boolean {
    return this.#tools.has(name) || (this.#isAll && FOR_ALL.some((tool) => tool.name === name));
  }

  /** Why a tool that exists is not there for this connection; undefined where there is no such tool. */
  withheld(name: string): Withheld | undefined {
    return withheldTool(name, this.#allOperations, this.calls.caller.principal);
  }

  /** Whether a call may wait for what has not happened yet, such as a change. */
  mayWait(name: string, { operation_id: id }: ToolArguments): boolean {
    const offers = this.#tools.get(name)?.offers ?? [];
    const called = this.#operations.find((operation) => operation.id === id);
    return [...offers.map(({ operation }) => operation), called].some((one) => one?.streams !== undefined);
  }

  /** Chooses the operation. Throws ApiError where no operation fits the arguments. */
  prepare(name: string, sent: ToolArguments): PreparedCall {
    // The cursor of a last part: none.
    const given = sent.cursor === '' ? without(sent, ['cursor']) : sent;
    const tool = this.#tools.get(name);
    if (!tool) return this.#prepareForAll(name, given);
    const call = toolCall(tool, given);
    const run = (manner?: CallManner) => callTool(this.calls, call, manner);
    return this.#prepared(call.offer.operation, call.given, run);
  }

  /** The next part of an answer does nothing that a person was not asked about. */
  #prepared(operation: Operation, given: ToolArguments, run: Run): PreparedCall {
    if (placeOf(given.cursor)) return { ...NOTHING_TO_ASK, run };
    const { calls } = this;
    const asked = { given, calls, findOutsiders: this.#findOutsiders };
    return {
      precaution: () => questionOf(operation.id, asked),
      permitUnasked: () => permitUnasked(operation.id, asked),
      run,
      keptAnswer: () => keptAnswer(calls, operation, given, () => run({ onlyRepeats: true })),
    };
  }

  #prepareForAll(name: string, given: ToolArguments): PreparedCall {
    refuseUnlisted(name, given);
    if (name === 'find_operation')
      return unasked('Found', async () => foundOperations(this.#operations, given));
    const operation = namedOperation(this.#operations, given);
    if (name === 'describe_operation')
      return unasked('Described', async () => describedAnswer(operation, given));
    const members = callArguments(given);
    const run = async (manner?: CallManner) =>
      shown(
        `${operation.summary}: done.`,
        await callOperation(this.calls, operation, members, [], manner),
        true,
      );
    return this.#prepared(operation, members, run);
  }
}

type Run = (manner?: CallManner) => Promise<CallToolResult>;

/** The arguments within the arguments, with the key of the call. Throws ApiError validation_failed. */
function callArguments({ arguments: within, idempotency_key, cursor }: ToolArguments): ToolArguments {
  if (within !== undefined && !isObject(within))
    throw invalid([{ pointer: '/arguments', code: 'wrong_type', message: 'Give an object.' }]);
  const entries = Object.entries(within ?? {});
  const ofCall = Object.entries({ idempotency_key, cursor }).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...entries, ...ofCall]);
}

/** Nobody need be asked. */
const NOTHING_TO_ASK = {
  precaution: async () => undefined,
  permitUnasked: async (): Promise<MayMail> => [],
  keptAnswer: async () => undefined,
};

function unasked(summary: string, answer: () => Promise<Answered>): PreparedCall {
  return {
    ...NOTHING_TO_ASK,
    run: async () => shown(`${summary}.`, await answer(), false),
  };
}

function shown(summary: string, answer: Answered, hasTextOfOthers: boolean): CallToolResult {
  return toolResult({ ...answer, summary, hasTextOfOthers });
}
