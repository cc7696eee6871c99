import { ApiError } from './errors.ts';

/** Which addresses outside the workspace a call may mail: those alone, ignoring case, or anybody. */
export type MayMail = 'anybody' | readonly string[];

/** What a call does nothing but refuse, because it would mail others outside than it may: whoever decided did not know of them. */
export class MailsOthers extends ApiError {
  constructor() {
    const message =
      'It has changed meanwhile whom outside this workspace the message would reach. Nothing was done.';
    // Refusals of this status are never kept for an Idempotency-Key: others may be confirmed under the same one.
    super('unavailable', message);
  }
}
