import { ApiError } from './errors.ts';

/** Which addresses outside the workspace a call may mail: those alone, ignoring case, or anybody. */
export type MayMail = 'anybody' | readonly string[];

/** Refuses a call that would mail an address outside of which whoever decided about the call did not know. Nothing is changed. */
export class MailsOthers extends ApiError {
  constructor() {
    const message =
      'The addresses outside this workspace that the message would reach have changed meanwhile. Nothing was done.';
    // Refusals of this status are never kept for an Idempotency-Key: others may be confirmed under the same one.
    super('unavailable', message);
  }
}
