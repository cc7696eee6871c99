import type { IncomingHttpHeaders } from 'node:http';
import { type TString, Type } from 'typebox';
import { ApiError } from './errors.ts';

/** The validators that distinguish one state of some content from another. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  etag: string;
  /** Milliseconds since the epoch; absent where the content has no time of its own. */
  lastModified?: number;
}

/** Whether a read proceeds, or which answer replaces it. */
export type Verdict = 'proceed' | 'not modified' | 'failed';

/** Evaluates the preconditions of a GET or HEAD in the order of RFC 9110, 13.2.2, except If-Range. */
export function weighPreconditions(headers: IncomingHttpHeaders, validators: Validators): Verdict {
  if (mustFail(headers, validators)) return 'failed';
  return isNotModified(headers, validators) ? 'not modified' : 'proceed';
}

/** The schema of the If-Match header of writes that call requireState. */
export const IfMatch: TString = Type.String({
  description:
    'The state that is to be changed, bare or as its quoted ETag. "*" takes whatever state there is.',
  examples: ['"Yk3tq0oV0z5n1mXo7l2c9A"'],
});

/**
 * Requires that If-Match names the present state: bare, as a quoted entity tag, or in a list (RFC 9110, 13.1.1).
 * Throws ApiError precondition_required without the header, state_mismatch where the present state is another.
 */
export function requireState(headers: IncomingHttpHeaders, state: string): void {
  const match = headers['if-match'];
  if (match === undefined) {
    throw new ApiError('precondition_required', 'Send the state that you want to change as If-Match.');
  }
  if (!admitsState(headers, state)) throw stateMismatch(state);
}

/** Whether If-Match is absent or names this state: bare, as a quoted entity tag, in a list, or as "*". */
export function admitsState(headers: IncomingHttpHeaders, state: string): boolean {
  const match = headers['if-match'];
  if (match === undefined) return true;
  const named = match.split(',').map((tag) => tag.trim());
  return named.includes('*') || named.includes(state) || named.includes(`"${state}"`);
}

/** The refusal of a write whose If-Match names another state than the present one. */
export function stateMismatch(state: string): ApiError {
  return new ApiError('state_mismatch', 'It has changed since; read it again, then change what it is now.', {
    state,
  });
}

function mustFail(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const match = headers['if-match'];
  if (match !== undefined) return match.trim() !== '*' && !tagsOf(match).includes(etag);
  const since = httpDate(headers['if-unmodified-since']);
  return since !== undefined && lastModified !== undefined && wholeSeconds(lastModified) > since;
}

function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    // Weak comparison ignores "W/".
    return noneMatch.trim() === '*' || tagsOf(noneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
  }
  const since = httpDate(headers['if-modified-since']);
  return since !== undefined && lastModified !== undefined && wholeSeconds(lastModified) <= since;
}

/** Evaluates the preconditions of an answer whose only validator is its entity tag. */
export function weighTag(headers: IncomingHttpHeaders, etag: string): Verdict {
  const named = { 'if-match': headers['if-match'], 'if-none-match': headers['if-none-match'] };
  return weighPreconditions(named, { etag, lastModified: 0 });
}

/** Whether a range may be answered: If-Range is absent, or names exactly this state (RFC 9110, 13.1.5). */
export function mayAnswerRange(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const condition = headers['if-range'];
  if (condition === undefined) return true;
  if (typeof condition !== 'string') return false;
  if (condition.trim() === etag) return true;
  return lastModified !== undefined && httpDate(condition) === wholeSeconds(lastModified);
}

function tagsOf(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** An HTTP date has no fraction of a second. */
function wholeSeconds(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

/** Parses the time of a header in any of the three formats of RFC 9110, 5.6.7; undefined for another format. */
function httpDate(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const isAsctime = /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value);
  if (!isAsctime && !/^\w+, .* GMT$/.test(value)) return undefined;
  const time = Date.parse(isAsctime ? `${value} GMT` : value);
  return Number.isNaN(time) ? undefined : time;
}
