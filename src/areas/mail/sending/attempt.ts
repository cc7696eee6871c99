import type { FailedRecipient } from '../../../formats/messages/delivery-report.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import { deliverMessage } from '../arrival/delivering.ts';
import type { MessageStaging, StagedMessage } from '../arrival/staging.ts';
import { matchBeforeDelivery } from '../filters/match-rules.ts';
import { findRawOfSent } from '../messages/message-store.ts';
import { lockMailboxes, type MailboxOwner } from '../owner.ts';
import { stageBounce } from './bounce.ts';
import { type Outgoing, postponeOutgoing, removeOutgoing } from './outbox-store.ts';
import type { RecipientResult, Relay } from './smtp-relay.ts';

const MINUTE_MS = 60_000;
const LONGEST_MS = 4 * 60 * MINUTE_MS;

/** RFC 5321, 4.5.4.1: "the give-up time generally needs to be at least 4-5 days". */
const GIVE_UP_AFTER_MS = 5 * 24 * 60 * MINUTE_MS;

/**
 * Milliseconds until the next attempt after so many attempts: exponential backoff from about a minute to about four
 * hours, with a jitter of a quarter so that messages that failed together do not retry together. `chance`: 0 to 1.
 */
export function retryDelay(attempts: number, chance: number): number {
  const usual = Math.min(MINUTE_MS * 2 ** Math.min(attempts - 1, 30), LONGEST_MS);
  return Math.round(usual * (0.75 + chance / 2));
}

/** The dependencies of an attempt. */
export interface AttemptDependencies {
  database: Database;
  staging: MessageStaging;
  relay: Relay;
  /** The domain in whose name bounces are sent. */
  domain: string;
}

/** The result of an attempt, by address: accepted by the relay, to be tried again, or failed for good. */
export interface AttemptResult {
  taken: string[];
  waiting: FailedRecipient[];
  failed: FailedRecipient[];
}

/**
 * Offers a message to the relay and records the result of each recipient. Records final failures and delivers the
 * bounce to the sender in one transaction. `now`: milliseconds. Rejects when the storage fails; the lease then expires.
 */
export async function attempt(
  dependencies: AttemptDependencies,
  outgoing: Outgoing,
  now: number,
): Promise<AttemptResult> {
  const recipients: string[] = JSON.parse(outgoing.recipients);
  const results = await dependencies.relay.send({
    id: outgoing.id,
    sender: outgoing.sender,
    recipients,
    open: () => openRaw(dependencies, outgoing),
  });
  const attempted = groupResults(results, now - outgoing.queued_at >= GIVE_UP_AFTER_MS);
  await record(dependencies, outgoing, attempted, now);
  return attempted;
}

function groupResults(results: readonly RecipientResult[], isLast: boolean): AttemptResult {
  const attempted: AttemptResult = { taken: [], waiting: [], failed: [] };
  for (const recipient of results) {
    if (recipient.result === 'taken') attempted.taken.push(recipient.address);
    else if (recipient.result === 'deferred' && !isLast) attempted.waiting.push(recipient);
    else attempted.failed.push(recipient);
  }
  return attempted;
}

async function record(
  dependencies: AttemptDependencies,
  outgoing: Outgoing,
  { waiting, failed }: AttemptResult,
  now: number,
): Promise<void> {
  const bounce = failed.length > 0 ? await bounceOf(dependencies, outgoing, failed, now) : undefined;
  const nextAttemptAt = now + retryDelay(outgoing.attempts, Math.random());
  const isRecorded = await dependencies.database.write(async (tx) => {
    if (bounce) await lockMailboxes(tx, [ownerOf(outgoing)]);
    // A workspace that leaves waits for what comes of attempts that have begun.
    await tx.join(outgoing.workspace_id, ['leaving']);
    const addresses = waiting.map(({ address }) => address);
    const isOurs =
      addresses.length > 0
        ? await postponeOutgoing(tx, outgoing, addresses, nextAttemptAt)
        : await removeOutgoing(tx, outgoing);
    if (isOurs && bounce) await deliverBounce(tx, outgoing, bounce, now);
    return isOurs;
  });
  if (!isRecorded) await bounce?.discard();
}

async function bounceOf(
  dependencies: AttemptDependencies,
  outgoing: Outgoing,
  failed: readonly FailedRecipient[],
  now: number,
): Promise<StagedMessage> {
  const original = await openRaw(dependencies, outgoing);
  const bounce = await stageBounce(dependencies.staging, outgoing, failed, {
    domain: dependencies.domain,
    now,
    original,
  });
  const matching = await matchBeforeDelivery(dependencies.database, async () => [ownerOf(outgoing)], bounce);
  return { ...bounce, matching };
}

/** RFC 5321, 4.5.5: a bounce has the null sender, so that it never bounces itself. */
async function deliverBounce(
  tx: WriteTransaction,
  outgoing: Outgoing,
  bounce: StagedMessage,
  now: number,
): Promise<void> {
  const recipient = { ...ownerOf(outgoing), address: outgoing.sender };
  await deliverMessage(tx, [recipient], bounce, { sender: '', deliveredAt: now });
}

async function openRaw({ database, staging }: AttemptDependencies, outgoing: Outgoing) {
  const found = await database.read((tx) => findRawOfSent(tx, ownerOf(outgoing), outgoing.message_id));
  if (!found) throw new Error(`The bytes of ${outgoing.message_id} are gone`);
  return staging.open(found.location);
}

function ownerOf({ workspace_id: workspaceId, user_id: userId }: Outgoing): MailboxOwner {
  return { workspaceId, userId };
}
