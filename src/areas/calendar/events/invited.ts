import type { ChangeType } from '../../../contract/change-types.ts';
import { emitBatch } from '../../../storage/changes.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { EventRow } from './event-store.ts';
import { listedAddresses } from './holders.ts';
import { definitionOf, type EventChange } from './save-events.ts';

/** Finds the users of the workspace who have these addresses (their keys): ids by address. */
export type UserFinder = (
  tx: ReadTransaction,
  addresses: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

type EventChangeType = ChangeType & `event.${string}`;

/** Addresses that are looked up in one statement. */
const ADDRESSES_A_STATEMENT = 1_000;

/**
 * Reports a change of one event to the owner of its calendar and to the users whom it invites, or invited before: who is
 * no longer invited learns that too. `versions`: the event before and after, as far as there is one. Returns the users, by
 * address.
 */
export async function emitEvent(
  tx: WriteTransaction,
  type: EventChangeType,
  versions: readonly [EventRow, ...EventRow[]],
  findUsers: UserFinder,
): Promise<ReadonlyMap<string, string>> {
  const [{ workspace_id: workspaceId, user_id: ownerId, calendar_id, id: event_id }] = versions;
  const users = await usersWith(tx, invitedBy(versions), findUsers);
  // People who are invited answer an event by its id alone.
  const ids = type === 'event.responded' ? { event_id } : { calendar_id, event_id };
  tx.emit({ workspaceId, type, viewers: [ownerId, ...users.values()], ids });
  return users;
}

/**
 * Events of one calendar that change together: its owner is reported one change of all of them, and each user whom some
 * of them invite, or invited before, one of these.
 */
export class EventBatch {
  readonly #type: EventChangeType;
  readonly #findUsers: UserFinder;
  readonly #eventIds: string[] = [];
  readonly #byInvited = new Map<string, string[]>();

  constructor(type: EventChangeType, findUsers: UserFinder) {
    this.#type = type;
    this.#findUsers = findUsers;
  }

  /** Adds events; few enough to be in memory. */
  async add(tx: ReadTransaction, changes: readonly EventChange[]): Promise<void> {
    const invited: { row: EventRow; addresses: Set<string> }[] = [];
    for (const { before, after } of changes) {
      this.#eventIds.push(after.id);
      invited.push({ row: after, addresses: invitedBy(before ? [before, after] : [after]) });
      await giveWay();
    }
    const all = new Set(invited.flatMap(({ addresses }) => [...addresses]));
    const users = await usersWith(tx, all, this.#findUsers);
    for (const { row, addresses } of invited) {
      const ids = new Set([...addresses].flatMap((address) => users.get(address) ?? []));
      for (const userId of ids) if (userId !== row.user_id) this.#note(userId, row.id);
      await giveWay();
    }
  }

  #note(userId: string, eventId: string): void {
    const noted = this.#byInvited.get(userId);
    if (noted) noted.push(eventId);
    else this.#byInvited.set(userId, [eventId]);
  }

  /** Reports what was added, of a calendar of this user. */
  emit(
    tx: WriteTransaction,
    calendar: { readonly workspace_id: string; readonly user_id: string; readonly id: string },
  ): void {
    for (const [viewer, eventIds] of [[calendar.user_id, this.#eventIds] as const, ...this.#byInvited]) {
      const ids = { calendar_id: calendar.id };
      const change = { workspaceId: calendar.workspace_id, type: this.#type, viewers: [viewer], ids };
      emitBatch(tx, change, 'event_ids', eventIds);
    }
  }
}

function invitedBy(versions: readonly EventRow[]): Set<string> {
  return new Set(versions.flatMap((row) => [...listedAddresses(definitionOf(row))]));
}

/** The users of the workspace with these addresses: ids by address. */
async function usersWith(
  tx: ReadTransaction,
  addresses: ReadonlySet<string>,
  findUsers: UserFinder,
): Promise<Map<string, string>> {
  const users = new Map<string, string>();
  const all = [...addresses];
  for (let i = 0; i < all.length; i += ADDRESSES_A_STATEMENT) {
    for (const [address, id] of await findUsers(tx, all.slice(i, i + ADDRESSES_A_STATEMENT)))
      users.set(address, id);
  }
  return users;
}
