import { NotPrepared, type Received } from '../../../contract/operation.ts';
import type { MayMail } from '../../../contract/outside-mail.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { DirectoryService } from '../../directory/service.ts';
import type { ComposedMessage, MailService, Notice } from '../../mail/service.ts';
import { addressKey } from '../events/holders.ts';
import type { CalendarOwner } from '../owner.ts';
import { noticesOf, type OwnChange, type Owner } from './notices.ts';

/** Messages that were composed before the transaction that sends them, and for what. */
export interface PreparedNotices extends Received {
  notices: string;
  messages: readonly ComposedMessage[];
  eventId: string;
  at: number;
}

/** How attendees are told: what has been composed for them, and who of those outside may be mailed. */
export interface Telling {
  prepared: PreparedNotices | undefined;
  mayMail: MayMail;
}

interface NotificationDependencies {
  mail: MailService;
  directory: DirectoryService;
}

/**
 * Tells the attendees of an event of a change by its owner, in the transaction of the change. What they are told depends
 * on what is stored, and composing a message takes longer than a transaction may: the first run of the transaction only
 * finds out what to compose. It runs again until what was composed fits; each time that it does not, another change of
 * the event has succeeded.
 */
export class Notification {
  /** When the change takes place, in milliseconds since the epoch: the same in each run. */
  readonly at: number;
  /** The id for a new event: the same in each run. */
  readonly eventId: string;
  readonly #dependencies: NotificationDependencies;
  readonly #owner: CalendarOwner;
  readonly #prepared: PreparedNotices | undefined;
  readonly #mayMail: MayMail;

  constructor(dependencies: NotificationDependencies, owner: CalendarOwner, { prepared, mayMail }: Telling) {
    this.#dependencies = dependencies;
    this.#owner = owner;
    this.#prepared = prepared;
    this.#mayMail = mayMail;
    this.at = prepared?.at ?? Date.now();
    this.eventId = prepared?.eventId ?? newId('evt');
  }

  /**
   * Finds who is told what, and locks the mailboxes: called before the first write. The result sends the messages.
   * Throws NotPrepared, MailsOthers, and ApiError unknown_recipient or no_relay.
   */
  async ready(tx: WriteTransaction, change: OwnChange): Promise<() => Promise<void>> {
    const { mail } = this.#dependencies;
    const told = noticesOf(change, await this.#ownerOf(tx), this.at);
    const notices = await this.#reachable(tx, told, change);
    const prepared = this.#prepared;
    if (notices.length === 0) {
      if (prepared) tx.afterCommit(() => void prepared.discard());
      return async () => undefined;
    }
    const key = JSON.stringify(notices);
    if (prepared?.notices !== key) throw new NotPrepared(() => this.#prepare(notices, key));
    const routes = await mail.sending.routeAll(tx, this.#owner, prepared.messages, this.#mayMail);
    return async () => {
      for (const [i, message] of prepared.messages.entries()) {
        const route = routes[i];
        if (route) await mail.sending.sendAlong(tx, this.#owner, message, route);
      }
    };
  }

  async #ownerOf(tx: ReadTransaction): Promise<Owner> {
    const { workspaceId, userId } = this.#owner;
    const { name, email, aliases } = await this.#dependencies.directory.getUser(tx, workspaceId, userId);
    return { name, email, addresses: [email, ...aliases].map(addressKey) };
  }

  /** Without those who take no mail any more: an event that listed them before can still be moved and removed. */
  async #reachable(tx: ReadTransaction, notices: Notice[], { before }: OwnChange): Promise<Notice[]> {
    if (!before || notices.length === 0) return notices;
    const listed = noticesOf({ before, after: undefined }, await this.#ownerOf(tx), this.at);
    const gone = new Set(
      await this.#dependencies.mail.sending.unknownRecipients(
        tx,
        listed.flatMap(({ to }) => to),
      ),
    );
    if (gone.size === 0) return notices;
    return notices
      .map((notice) => ({ ...notice, to: notice.to.filter((address) => !gone.has(address)) }))
      .filter(({ to }) => to.length > 0);
  }

  async #prepare(notices: readonly Notice[], key: string): Promise<PreparedNotices> {
    const messages: ComposedMessage[] = [];
    const discard = async () => {
      for (const message of messages) await message.discard();
    };
    try {
      for (const notice of notices)
        messages.push(await this.#dependencies.mail.sending.composeNotice(this.#owner, notice));
    } catch (error) {
      await discard();
      throw error;
    }
    return { notices: key, messages, eventId: this.eventId, at: this.at, discard };
  }
}
