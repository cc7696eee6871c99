import { JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { appendMessage } from '../arrival/appending.ts';
import { deliverCopies } from '../arrival/delivering.ts';
import { flagSet, READ } from '../changes/flags.ts';
import { changeFlagsAndLabels } from '../changes/flags-and-labels.ts';
import { getFolderByRole } from '../folders/folders.ts';
import { findSummary } from '../messages/message-store.ts';
import { lockMailboxes, type MailboxOwner } from '../owner.ts';
import { type ComposedMessage, type ComposerDependencies, compose } from './composing.ts';
import { insertOutgoing } from './outbox-store.ts';
import { routesOf } from './recipients.ts';
import type { NewMessage } from './schema.ts';

/** The dependencies of sending. */
export interface SendingDependencies extends ComposerDependencies {
  hasRelay: boolean;
  /** Called once a queued message is durable. */
  onQueued: () => void;
}

/** Sends messages in two steps: composing, which may take long, and one transaction for everything else. */
export class Sending {
  readonly #dependencies: SendingDependencies;

  constructor(dependencies: SendingDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects with ApiError not_found or payload_too_large. */
  compose(caller: Principal, given: NewMessage): Promise<ComposedMessage> {
    return compose(this.#dependencies, caller, given);
  }

  /**
   * Stores the copy in Sent, delivers to local recipients, queues for remote ones, and sets the answered flag of the
   * message that this one replies to. Returns the summary of the copy. Throws ApiError not_found, unknown_recipient or
   * no_relay.
   */
  async send(tx: WriteTransaction, sender: MailboxOwner, message: ComposedMessage): Promise<JsonText> {
    const routes = await routesOf(tx, message.recipients, this.#dependencies);
    await lockMailboxes(tx, [sender, ...routes.local]);
    const answeredThread =
      message.answeredId === undefined ? null : await markAnswered(tx, sender, message.answeredId);
    const { id, item } = await appendMessage(
      tx,
      sender,
      {
        folderId: await getFolderByRole(tx, sender, 'sent'),
        flags: READ,
        labels: [],
        threading: true,
        threadId: answeredThread,
        deliveredAt: message.sentAt,
        isDelivery: true,
      },
      message.staged,
    );
    await deliverCopies(tx, routes.local, withoutBcc(message), {
      sender: message.sender,
      deliveredAt: message.sentAt,
    });
    await this.#queue(tx, sender, message, id, routes.remote);
    return new JsonText(item);
  }

  async #queue(
    tx: WriteTransaction,
    sender: MailboxOwner,
    message: ComposedMessage,
    sentCopy: string,
    addresses: readonly string[],
  ): Promise<void> {
    if (addresses.length === 0) return;
    const now = await tx.now();
    await insertOutgoing(tx, {
      workspace_id: sender.workspaceId,
      user_id: sender.userId,
      id: message.id,
      message_id: sentCopy,
      message_id_header: message.staged.parsed.messageId,
      sender: message.sender,
      recipients: JSON.stringify(addresses),
      attempts: 0,
      next_attempt_at: now,
      queued_at: now,
    });
    tx.afterCommit(this.#dependencies.onQueued);
  }
}

function withoutBcc({ staged }: ComposedMessage) {
  return { ...staged, parsed: { ...staged.parsed, bcc: [] } };
}

const ANSWERED = flagSet(['answered']);

/**
 * Sets the answered flag of a message; returns its thread. The caller holds the mailbox lock. Throws ApiError
 * not_found.
 */
async function markAnswered(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<string | null> {
  const summary = await findSummary(tx, owner, messageId);
  if (summary === undefined) throw notFound('message', messageId);
  const { folder_id, thread_id = null } = JSON.parse(summary);
  const change = { op: 'add', flags: ANSWERED, labels: [] } as const;
  await changeFlagsAndLabels(tx, owner, { folderId: folder_id, messageIds: [messageId] }, change);
  return thread_id;
}
