import type { ToolArguments } from '../../contract/agent-tool.ts';
import { ApiError } from '../../contract/errors.ts';
import type { MayMail } from '../../contract/outside-mail.ts';
import type { Calls } from './calls.ts';

/** The addresses of those of these recipients, "Name <address>" or an address, who are not in the workspace. */
export type FindOutsiders = (workspaceId: string, recipients: readonly string[]) => Promise<string[]>;

/** What a question is made of. */
export interface Asked {
  given: ToolArguments;
  calls: Calls;
  findOutsiders: FindOutsiders;
}

/** A question. */
export interface Asking {
  /** What a person reads. */
  message: string;
  /** What of the stored objects an answer counts for, beside the arguments of the call. */
  about?: unknown;
  /** The state of the object that the question was made of, where the operation can be held to it: no other is acted on. */
  state?: string;
  /** The addresses outside that this was decided about, where the operation can be held to them: no other is mailed. */
  mayMail?: MayMail;
}

/** Nobody need be asked about the object in this state, or about mail to these addresses outside: the call is held to them. */
interface Held {
  message?: undefined;
  about?: undefined;
  state?: string;
  mayMail?: MayMail;
}

/** The call is refused, unless it is a repeat whose answer is kept. */
interface Refusing {
  message?: undefined;
  refusal: ApiError;
}

/** What comes before an operation that may need a yes; undefined where nobody need be asked, whatever is stored. */
export type Precaution = Asking | Held | Refusing | undefined;

/** Refuses a call whose object is not found when its question is made: the object may come back, and the call would act unasked. */
export async function orRefused(made: Promise<Precaution>): Promise<Precaution> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { refusal: error };
    throw error;
  }
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
