import type { IncomingHttpHeaders } from 'node:http';
import type { JsonText, Tagged } from '../../../contract/answers.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import type { MailboxOwner } from '../owner.ts';
import type { ComposerDependencies } from '../sending/compose.ts';
import type { MessageSender } from '../sending/message-sender.ts';
import {
  type ComposedDraft,
  composeAgain,
  composeNew,
  createDraft,
  deleteDraftMessage,
  readDraft,
  replaceDraft,
} from './drafts.ts';
import type { DraftFields } from './schema.ts';
import { type DraftRequest, type PreparedDraft, prepareDraft, sendDraft } from './send-draft.ts';

/** The rules of drafts. Bytes are composed before the transaction that stores or sends them. */
export class DraftService {
  readonly #dependencies: ComposerDependencies;
  readonly #sending: MessageSender;

  constructor(dependencies: ComposerDependencies, sending: MessageSender) {
    this.#dependencies = dependencies;
    this.#sending = sending;
  }

  /** Composes a new draft. Rejects with ApiError not_found, forbidden or payload_too_large. */
  compose(caller: Principal, given: DraftFields): Promise<ComposedDraft> {
    return composeNew(this.#dependencies, caller, given);
  }

  /** Keeps a composed draft; returns it. Throws ApiError not_found. */
  create(
    tx: WriteTransaction,
    owner: MailboxOwner,
    given: DraftFields,
    composed: ComposedDraft,
  ): Promise<JsonText> {
    return createDraft(tx, owner, given, composed);
  }

  /** A draft under its state, read in a transaction of its own. Rejects with ApiError not_found or state_mismatch. */
  get(owner: MailboxOwner, draftId: string, headers: IncomingHttpHeaders): Promise<Tagged> {
    return readDraft(this.#dependencies, owner, draftId, headers);
  }

  /** Composes a draft anew. Rejects as compose, and with ApiError state_mismatch or draft_sending. */
  composeAgain(
    caller: Principal,
    draftId: string,
    replacement: { headers: IncomingHttpHeaders; given: DraftFields },
  ): Promise<ComposedDraft> {
    return composeAgain(this.#dependencies, caller, draftId, replacement);
  }

  /** Replaces a draft; returns it. Throws ApiError not_found, state_mismatch or draft_sending. */
  replace(
    tx: WriteTransaction,
    owner: MailboxOwner,
    draftId: string,
    replacement: { headers: IncomingHttpHeaders; given: DraftFields; composed: ComposedDraft },
  ): Promise<JsonText> {
    return replaceDraft(tx, owner, draftId, replacement);
  }

  /** Removes a draft. Throws ApiError not_found, state_mismatch or draft_sending. */
  delete(
    tx: WriteTransaction,
    owner: MailboxOwner,
    draftId: string,
    headers: IncomingHttpHeaders,
  ): Promise<void> {
    return deleteDraftMessage(tx, owner, draftId, headers);
  }

  /** Prepares a draft for sending. Rejects with ApiError not_found, state_mismatch, draft_sending or no_recipients. */
  prepareSending(caller: Principal, request: DraftRequest): Promise<PreparedDraft> {
    return prepareDraft(this.#dependencies, caller, request);
  }

  /**
   * Sends a prepared draft and removes it. Throws ApiError not_found, state_mismatch, draft_sending, unknown_recipient
   * or no_relay.
   */
  send(
    tx: WriteTransaction,
    caller: Principal,
    request: DraftRequest,
    prepared: PreparedDraft,
  ): Promise<JsonText> {
    const parts = { dependencies: this.#dependencies, sending: this.#sending, prepared };
    return sendDraft(tx, caller, request, parts);
  }
}
