import { shownTypes } from '../../../contract/change-types.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import type { FeedPosition } from '../change-store.ts';
import { type PlacedChange, readFeeds } from '../feed.ts';
import { MOST_REFUSALS } from './delivery.ts';
import { findRedelivery, type WebhookDeadDeliveries } from './delivery-store.ts';
import type { FindPrincipalOf } from './service.ts';
import { findByKey, type WebhookKey, type Webhooks } from './webhook-store.ts';

/** Changes that are looked at for one that the webhook takes. */
const LOOKED_AT = 200;

/** What is to be done for a webhook next. */
export type Offer =
  | { readonly kind: 'redelivery'; readonly dead: WebhookDeadDeliveries }
  /** The next change; and the one behind it, which may be accepted where it is refused. */
  | { readonly kind: 'next'; readonly head: PlacedChange; readonly next: PlacedChange | undefined }
  /** The next change was refused for good, and now there is one behind it. */
  | { readonly kind: 'past'; readonly head: PlacedChange; readonly next: PlacedChange }
  /** Its place is in another database, or in front of many changes that it does not take. */
  | { readonly kind: 'place'; readonly position: FeedPosition | 'now' };

/** An offer, and the webhook as it was read. */
export interface Found {
  readonly row: Webhooks;
  readonly offer: Offer;
}

/** Looks for what webhooks are to deliver. */
export class Offers {
  readonly #findPrincipalOf: FindPrincipalOf;
  /** By webhook, what was found to hold nothing for it, so that it is not read again and again. */
  readonly #passed = new Map<string, { state: string; position: FeedPosition }>();

  constructor(findPrincipalOf: FindPrincipalOf) {
    this.#findPrincipalOf = findPrincipalOf;
  }

  /** What an active webhook that nobody holds has to deliver now; undefined where that is nothing. */
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
    const dead = await findRedelivery(tx, row);
    if (dead) return { kind: 'redelivery', dead };
    const isDue = row.next_attempt_at <= now;
    if (!isDue && row.refusals !== MOST_REFUSALS) return undefined;
    if (row.era !== era) return { kind: 'place', position: 'now' };
    const shown = shownTypes(maker.permissions, JSON.parse(row.types));
    const read = await readFeeds(tx, maker, shown, this.#beginOf(row), LOOKED_AT);
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

  /** Of many changes the place is stored, of few it is only remembered: a write for each would cost more than reading them. */
  #pass(row: Webhooks, { more, position }: { more: boolean; position: FeedPosition }): Offer | undefined {
    if (more) return { kind: 'place', position };
    this.#passed.set(row.id, { state: stateOf(row), position });
    return undefined;
  }
}

/** What was passed over may have been delivered, or be wanted, once this has changed. */
function stateOf({ lease, types }: Webhooks): string {
  return `${lease} ${types}`;
}
