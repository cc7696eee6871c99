import type { FailedRecipient } from '../../../formats/messages/delivery-report.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import { deliverMessage } from '../arrival/delivering.ts';
import type { MessageStaging, StagedMessage } from '../arrival/staging.ts';
import { matchBefore } from '../filters/matching.ts';
import { findRawOfSent } from '../messages/message-store.ts';
import { stageBounce } from './bounce.ts';
import { type Outgoing, postponeOutgoing, removeOutgoing } from './outbox-store.ts';
import type { Relay, RelayOutcome } from './smtp-relay.ts';

const MINUTE_MS = 60_000;
const LONGEST_MS = 4 * 60 * MINUTE_MS;

/** RFC 5321, 4.5.4.1: "the give-up time generally needs to be at least 4-5 days". */
const GIVE_UP_AFTER_MS = 5 * 24 * 60 * MINUTE_MS;

/**
 * Milliseconds until the next attempt, after so many: from about a minute, doubling, to about four hours; a quarter more
 * or less, so that what failed together does not come back together. `chance` is from 0 to 1.
 */
export function retryDelay(attempts: number, chance: number): number {
  const usual = Math.min(MINUTE_MS * 2 ** Math.min(attempts - 1, 30), LONGEST_MS);
  return Math.round(usual * (0.75 + chance / 2));
}

/** What an attempt works with. */
export interface AttemptDependencies {
  database: Database;
  staging: MessageStaging;
  relay: Relay;
  /** The domain in whose name bounces are sent. */
  domain: string;
}

/** What an attempt came to. */
export interface Attempted {
  taken: string[];
  waiting: FailedRecipient[];
  failed: FailedRecipient[];
}

/**
 * Offers a message to the relay and records what became of each recipient: those who failed for good, and the message
 * that tells its sender so, in one transaction. `now` is in milliseconds. Rejects where the storage fails; the lease then
 * ends by itself.
 */
export async function attempt(
  parts: AttemptDependencies,
  outgoing: Outgoing,
  now: number,
): Promise<Attempted> {
  const recipients: string[] = JSON.parse(outgoing.recipients);
  const outcomes = await parts.relay.send({
    id: outgoing.id,
    sender: outgoing.sender,
    recipients,
    open: () => openRaw(parts, outgoing),
  });
  const attempted = sorted(outcomes, now - outgoing.queued_at >= GIVE_UP_AFTER_MS);
  await record(parts, outgoing, attempted, now);
  return attempted;
}

function sorted(outcomes: readonly RelayOutcome[], isLast: boolean): Attempted {
  const attempted: Attempted = { taken: [], waiting: [], failed: [] };
  for (const outcome of outcomes) {
    if (outcome.result === 'taken') attempted.taken.push(outcome.address);
    else if (outcome.result === 'deferred' && !isLast) attempted.waiting.push(outcome);
    else attempted.failed.push(outcome);
  }
  return attempted;
}

async function record(
  parts: AttemptDependencies,
  outgoing: Outgoing,
  { waiting, failed }: Attempted,
  now: number,
): Promise<void> {
  const bounce = failed.length > 0 ? await bounceOf(parts, outgoing, failed, now) : undefined;
  const nextAttemptAt = now + retryDelay(outgoing.attempts, Math.random());
  const isRecorded = await parts.database.write(async (tx) => {
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
  parts: AttemptDependencies,
  outgoing: Outgoing,
  failed: readonly FailedRecipient[],
  now: number,
): Promise<StagedMessage> {
  const original = await openRaw(parts, outgoing);
  const bounce = await stageBounce(parts.staging, outgoing, failed, { domain: parts.domain, now, original });
  const { workspace_id: workspaceId, user_id: userId } = outgoing;
  const matching = await matchBefore(parts.database, async () => [{ workspaceId, userId }], bounce.parsed);
  return { ...bounce, matching };
}

/** RFC 5321, 4.5.5: the null sender, so that a bounce never bounces. */
async function deliverBounce(
  tx: WriteTransaction,
  outgoing: Outgoing,
  bounce: StagedMessage,
  now: number,
): Promise<void> {
  const { workspace_id: workspaceId, user_id: userId, sender } = outgoing;
  const recipient = { workspaceId, userId, address: sender };
  await deliverMessage(tx, [recipient], bounce, { sender: '', deliveredAt: now });
}

async function openRaw({ database, staging }: AttemptDependencies, outgoing: Outgoing) {
  const owner = { workspaceId: outgoing.workspace_id, userId: outgoing.user_id };
  const found = await database.read((tx) => findRawOfSent(tx, owner, outgoing.message_id));
  if (!found) throw new Error(`The bytes of ${outgoing.message_id} are gone`);
  return staging.open(found.location);
}
