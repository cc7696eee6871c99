import { shownTypes } from '../../../contract/change-types.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import type { FeedPosition } from '../change-store.ts';
import { type PlacedChange, readFeeds } from '../feed.ts';
import { MOST_REFUSALS } from './delivery.ts';
import { findRedelivery, type WebhookDeadDeliveries } from './delivery-store.ts';
import { changeIn } from './records.ts';
import { findByKey, type WebhookKey, type Webhooks } from './webhook-store.ts';
import type { FindPrincipalOf } from './webhooks.ts';

/** Maximum number of changes looked at in search of one that the webhook accepts. */
const LOOKED_AT = 200;
/** The next change, and the one after it. */
const NEEDED = 2;

/** The next work for a webhook. */
export type Offer =
  | { readonly kind: 'redelivery'; readonly dead: WebhookDeadDeliveries }
  /** A dead delivery of a type that the webhook does not have any more: nobody is told of it. */
  | { readonly kind: 'unwanted'; readonly dead: WebhookDeadDeliveries }
  /** The next change; and the change after it, which may be accepted where the first one is refused. */
  | { readonly kind: 'next'; readonly head: PlacedChange; readonly next: PlacedChange | undefined }
  /** The next change was finally refused, and a later change has arrived. */
  | { readonly kind: 'past'; readonly head: PlacedChange; readonly next: PlacedChange }
  /** The stored position is from another era, or many changes after it are not for this webhook. */
  | { readonly kind: 'position'; readonly position: FeedPosition | 'now' };

/** An offer, and the webhook's row as read. */
export interface Found {
  readonly row: Webhooks;
  readonly offer: Offer;
}

/** Finds the next work of webhooks. */
export class Offers {
  readonly #findPrincipalOf: FindPrincipalOf;
  /** By webhook, the position up to which the changes are not for it, so they are not read again and again. */
  readonly #passed = new Map<string, { state: string; position: FeedPosition }>();

  constructor(findPrincipalOf: FindPrincipalOf) {
    this.#findPrincipalOf = findPrincipalOf;
  }

  /** The next work of an active webhook without a lease; undefined where there is none. */
  async find(tx: ReadTransaction, key: WebhookKey, era: string): Promise<Found | undefined> {
    const [row, now] = [await findByKey(tx, key), await tx.now()];
    if (!row || row.disabled_reason !== null || row.leased_until > now) return undefined;
    const offer = await this.#offerOf(tx, row, { now, era });
    return offer && { row, offer };
  }

  async #offerOf(
    tx: ReadTransaction,
    row: Webhooks,
    { now, era }: { now: number; era: string },
  ): Promise<Offer | undefined> {
    const maker = await this.#findPrincipalOf(tx, row.workspace_id, row.key_id);
    if (!maker) return undefined;
    const shown = shownTypes(maker.permissions, JSON.parse(row.types));
    const dead = await findRedelivery(tx, row);
    if (dead) return { kind: shown.has(changeIn(dead).type) ? 'redelivery' : 'unwanted', dead };
    const isDue = row.next_attempt_at <= now;
    if (!isDue && row.refusals !== MOST_REFUSALS) return undefined;
    if (row.era !== era) return { kind: 'position', position: 'now' };
    const read = await readFeeds(tx, maker, shown, this.#beginOf(row), LOOKED_AT, NEEDED);
    const [head, next] = read.changes;
    if (!head) return this.#pass(row, read);
    if (isDue) return { kind: 'next', head, next };
    return next && { kind: 'past', head, next };
  }

  #beginOf(row: Webhooks): FeedPosition {
    const passed = this.#passed.get(row.id);
    if (passed?.state === stateOf(row)) return passed.position;
    return { transaction: row.transaction_id, number: row.number };
  }

  /**
   * Stores the position after many changes, and caches it after few: a write for each change would cost more than
   * reading it.
   */
  #pass(row: Webhooks, { more, position }: { more: boolean; position: FeedPosition }): Offer | undefined {
    if (more) return { kind: 'position', position };
    this.#passed.set(row.id, { state: stateOf(row), position });
    return undefined;
  }
}

/** The state for which a cached position is valid: after a delivery or a change of types, it is not. */
function stateOf({ lease, types }: Webhooks): string {
  return `${lease} ${types}`;
}
