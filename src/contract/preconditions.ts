import type { IncomingHttpHeaders } from 'node:http';
import { type TString, Type } from 'typebox';
import { ApiError } from './errors.ts';

/** What tells one state of some content from another. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  etag: string;
  /** Milliseconds since the epoch. */
  lastModified: number;
}

/** Whether a read goes on, or what it is answered with instead. */
export type Verdict = 'proceed' | 'not modified' | 'failed';

/** Weighs the preconditions of a GET or HEAD in the order of RFC 9110, 13.2.2; If-Range is apart. */
export function weighPreconditions(headers: IncomingHttpHeaders, validators: Validators): Verdict {
  if (mustFail(headers, validators)) return 'failed';
  return isNotModified(headers, validators) ? 'not modified' : 'proceed';
}

/** How writes that go by requireState declare their header. */
export const IfMatch: TString = Type.String({
  description:
    'The state that is to be changed, bare or as its quoted ETag. "*" takes whatever state there is.',
  examples: ['"Yk3tq0oV0z5n1mXo7l2c9A"'],
});

/**
 * Holds a write to the state that its If-Match names: bare, as the quoted entity tag, or one of several (RFC 9110,
 * 13.1.1). Throws ApiError precondition_required without it, state_mismatch where the present state is another.
 */
export function requireState(headers: IncomingHttpHeaders, state: string): void {
  const match = headers['if-match'];
  if (match === undefined) {
    throw new ApiError('precondition_required', 'Send the state that you want to change as If-Match.');
  }
  const named = match.split(',').map((tag) => tag.trim());
  if (named.includes('*') || named.includes(state) || named.includes(`"${state}"`)) return;
  throw new ApiError('state_mismatch', 'It has changed since; read it again, then change what it is now.', {
    state,
  });
}

function mustFail(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const match = headers['if-match'];
  if (match !== undefined) return match.trim() !== '*' && !tagsOf(match).includes(etag);
  const since = httpDate(headers['if-unmodified-since']);
  return since !== undefined && wholeSeconds(lastModified) > since;
}

function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    // Weak comparison: "W/" makes no difference.
    return noneMatch.trim() === '*' || tagsOf(noneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
  }
  const since = httpDate(headers['if-modified-since']);
  return since !== undefined && wholeSeconds(lastModified) <= since;
}

/** The same for an answer that is known by its entity tag alone. */
export function weighTag(headers: IncomingHttpHeaders, etag: string): Verdict {
  const named = { 'if-match': headers['if-match'], 'if-none-match': headers['if-none-match'] };
  return weighPreconditions(named, { etag, lastModified: 0 });
}

/** Whether a range may be answered: If-Range is absent, or names just this state (RFC 9110, 13.1.5). */
export function mayAnswerRange(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const condition = headers['if-range'];
  if (condition === undefined) return true;
  if (typeof condition !== 'string') return false;
  return condition.trim() === etag || httpDate(condition) === wholeSeconds(lastModified);
}

function tagsOf(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** A date of HTTP carries no fraction of a second. */
function wholeSeconds(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

/** The time of a header in any of the three formats (RFC 9110, 5.6.7); undefined where it is none of them. */
function httpDate(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const isAsctime = /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value);
  if (!isAsctime && !/^\w+, .* GMT$/.test(value)) return undefined;
  const time = Date.parse(isAsctime ? `${value} GMT` : value);
  return Number.isNaN(time) ? undefined : time;
}
