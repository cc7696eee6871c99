import { JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import type { MayMail } from '../../../contract/outside-mail.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { appendMessage } from '../arrival/appending.ts';
import { deliverCopies } from '../arrival/delivering.ts';
import { flagSet, READ } from '../changes/flags.ts';
import { changeFlagsAndLabels } from '../changes/flags-and-labels.ts';
import { findSummary } from '../messages/message-store.ts';
import { lockMailboxes, type MailboxOwner } from '../owner.ts';
import { type ComposedMessage, type ComposerDependencies, compose } from './compose.ts';
import { composeNotice, type Notice } from './notice.ts';
import { insertOutgoing } from './outbox-store.ts';
import { outsidersAmong, type Routes, refuseOthers, routesOf, unknownRecipients } from './recipients.ts';
import type { NewMessage } from './schema.ts';

/** The dependencies of sending. */
export interface SenderDependencies extends ComposerDependencies {
  hasRelay: boolean;
  /** Called once a queued message is durable. */
  onQueued: () => void;
}

/** Sends messages in two steps: composing, which may take long, and one transaction for everything else. */
export class MessageSender {
  readonly #dependencies: SenderDependencies;

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Composes a message, before the transaction that sends it. Rejects with ApiError not_found or payload_too_large. */
  compose(caller: Principal, given: NewMessage): Promise<ComposedMessage> {
    return compose(this.#dependencies, caller, given);
  }

  /**
   * Stores the copy in Sent, delivers to local recipients, queues for remote ones, and sets the answered flag of the
   * message that this one replies to. Returns the summary of the copy. Throws ApiError not_found, unknown_recipient or
   * no_relay.
   */
  async send(tx: WriteTransaction, sender: MailboxOwner, message: ComposedMessage): Promise<JsonText> {
    return this.sendAlong(tx, sender, message, await this.route(tx, sender, message));
  }

  /** Finds who takes a message, and locks every mailbox that it touches. Throws ApiError unknown_recipient or no_relay. */
  async route(tx: WriteTransaction, sender: MailboxOwner, message: ComposedMessage): Promise<Routes> {
    const routes = await routesOf(tx, message.recipients, this.#dependencies);
    await lockMailboxes(tx, [sender, ...routes.local]);
    return routes;
  }

  /** The addresses of those of these recipients, "Name <address>" or an address, whom no active user of the workspace is. */
  outsiders(tx: ReadTransaction, workspaceId: string, recipients: readonly string[]): Promise<string[]> {
    return outsidersAmong(tx, workspaceId, recipients, this.#dependencies.directory);
  }

  /**
   * Sends a composed message in two steps, for a transaction that writes something else in between: takes every lock that
   * sending needs, and returns what sends it. Throws ApiError unknown_recipient or no_relay.
   */
  async prepareSend(
    tx: WriteTransaction,
    sender: MailboxOwner,
    message: ComposedMessage,
  ): Promise<() => Promise<JsonText>> {
    const routes = await this.route(tx, sender, message);
    return () => this.sendAlong(tx, sender, message, routes);
  }

  /**
   * Composes a notice of another area in the name of a user, before the transaction that sends it. Rejects with ApiError
   * unknown_recipient.
   */
  composeNotice(sender: MailboxOwner, notice: Notice): Promise<ComposedMessage> {
    return composeNotice(this.#dependencies, sender, notice);
  }

  /**
   * The routes of several messages, with the mailboxes of all of them locked at once: before the first write. Throws as
   * route, and MailsOthers.
   */
  async routeAll(
    tx: WriteTransaction,
    sender: MailboxOwner,
    messages: readonly ComposedMessage[],
    mayMail: MayMail,
  ): Promise<Routes[]> {
    const all: Routes[] = [];
    for (const { recipients } of messages) all.push(await routesOf(tx, recipients, this.#dependencies));
    // By the very routes that the messages take: whose an address is may change from one look to the next.
    refuseOthers(all, sender.workspaceId, mayMail);
    await lockMailboxes(tx, [sender, ...all.flatMap(({ local }) => local)]);
    return all;
  }

  /** Those of these addresses that are of this server and that no active user has. */
  unknownRecipients(tx: ReadTransaction, addresses: readonly string[]): Promise<string[]> {
    return unknownRecipients(tx, addresses, this.#dependencies);
  }

  /** Sends a message as send does, along routes that were found in this transaction. Throws ApiError not_found. */
  async sendAlong(
    tx: WriteTransaction,
    sender: MailboxOwner,
    message: ComposedMessage,
    routes: Routes,
  ): Promise<JsonText> {
    const { id, item } = await appendMessage(
      tx,
      sender,
      {
        folderId: 'sent',
        flags: READ,
        labels: [],
        threading: true,
        threadId: await threadOf(tx, sender, message),
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

/** The thread that a message joins whatever its headers say; marks what it answers. Throws ApiError not_found. */
async function threadOf(
  tx: WriteTransaction,
  sender: MailboxOwner,
  { answeredId, draftThread }: ComposedMessage,
): Promise<string | null> {
  if (answeredId === undefined) return draftThread ?? null;
  const answered = await markAnswered(tx, sender, answeredId);
  if (answered === undefined && draftThread === undefined) throw notFound('message', answeredId);
  return draftThread ?? answered?.threadId ?? null;
}

/** Sets the answered flag of a message; undefined where it is gone. The caller holds the mailbox lock. */
async function markAnswered(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<{ threadId: string | null } | undefined> {
  const summary = await findSummary(tx, owner, messageId);
  if (summary === undefined) return undefined;
  const { folder_id, thread_id = null } = JSON.parse(summary);
  const change = { op: 'add', flags: ANSWERED, labels: [] } as const;
  await changeFlagsAndLabels(tx, owner, { folderId: folder_id, messageIds: [messageId] }, change);
  return { threadId: thread_id };
}
