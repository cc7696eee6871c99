import type { Page, PageRequest } from '../../../contract/answers.ts';
import { shownTypes } from '../../../contract/change-types.ts';
import { ApiError, missingPermission, notFound } from '../../../contract/errors.ts';
import { afterId, pageById } from '../../../contract/id-order.ts';
import type { Problem } from '../../../contract/operation.ts';
import type { Principal } from '../../../contract/principal.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import { newId } from '../../../platform/ids.ts';
import type {
  Database,
  ReadTransaction,
  WorkspaceLock,
  WriteTransaction,
} from '../../../storage/database.ts';
import { settledPosition } from '../change-store.ts';
import { administratesKeys, readFeeds } from '../feed.ts';
import type { ReachableHosts } from './addresses.ts';
import { findDead, listAttempts, listDead, storeAttempt, updateDead } from './delivery-store.ts';
import { type AttemptColumns, attemptRecord, changeIn, deadRecord, webhookRecord } from './records.ts';
import {
  type CreatedWebhook,
  type DeadDelivery,
  NewWebhook,
  type Webhook,
  type WebhookAttempt,
  WebhookChanges,
} from './schema.ts';
import { newSecret, type Sender } from './sender.ts';
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks,
  removeWebhook,
  updateWebhook,
  type Webhooks,
} from './webhook-store.ts';

/** Each webhook is checked after every change. */
const MOST_WEBHOOKS = 1_000;
/** Maximum number of changes read for `waitingSince`; more than the deliveries skip before they store the position. */
const LOOKED_AT = 500;
const TEST_TYPE = 'webhook.test';

/** Finds the principal of a key, while the key is valid. */
export type FindPrincipalOf = (
  tx: ReadTransaction,
  workspaceId: string,
  keyId: string,
) => Promise<Principal | undefined>;

/** What the use cases of webhooks work with. */
export interface WebhooksDependencies {
  database: Database;
  hosts: ReachableHosts;
  sender: Sender;
  findPrincipalOf: FindPrincipalOf;
  /** The era of the feed, which changes with each restore: asked for before the transaction that creates a webhook. */
  era: () => Promise<string>;
  /** Milliseconds that changes stay readable. */
  changesTtlMs: number;
  /** Called when a webhook may have something to deliver. */
  onWork: () => void;
}

/** The problems of the URL in a request. */
export function urlProblems({ hosts }: WebhooksDependencies, { url }: { url?: string }): Problem[] {
  const message = url === undefined ? undefined : hosts.problemOf(url);
  return message === undefined ? [] : [{ pointer: '/url', code: 'not_allowed', message }];
}

/** In order of creation. */
export async function pageOfWebhooks(
  tx: ReadTransaction,
  dependencies: WebhooksDependencies,
  owner: Principal,
  page: PageRequest,
): Promise<Page<Webhook>> {
  const rows = await listWebhooks(tx, owner, afterId(page), page.limit);
  const records = new Map<string, Webhook>();
  for (const row of rows) records.set(row.id, await recordOf(tx, dependencies, row));
  return pageById(rows, ({ id }) => records.get(id) as Webhook);
}

/** Throws ApiError not_found. */
export async function getWebhook(
  tx: ReadTransaction,
  dependencies: WebhooksDependencies,
  owner: Principal,
  id: string,
): Promise<Webhook> {
  return recordOf(tx, dependencies, await getRow(tx, owner, id));
}

/**
 * Creates a webhook that follows the feed from now on. Only this result contains the secret. Throws ApiError
 * insufficient_scope, quota_exceeded.
 */
export async function createWebhook(
  tx: WriteTransaction,
  dependencies: WebhooksDependencies,
  owner: Principal,
  given: NewWebhook,
  era: string,
): Promise<CreatedWebhook> {
  requireValues(NewWebhook, given);
  refuse(urlProblems(dependencies, given));
  shownTypes(owner.permissions, given.types);
  await tx.lock(lockOf(owner));
  if ((await countWebhooks(tx, owner)) >= MOST_WEBHOOKS)
    throw new ApiError('quota_exceeded', `A user has at most ${MOST_WEBHOOKS} webhooks.`, {
      limit: MOST_WEBHOOKS,
    });
  const now = await tx.now();
  const { transaction, number } = await settledPosition(tx, owner.workspaceId);
  const row = newRow(owner, given, { era, transaction, number, now });
  await insertWebhook(tx, row);
  tx.afterCommit(dependencies.onWork);
  return { ...(await recordOf(tx, dependencies, row)), secret: row.secret };
}

/**
 * Replaces the given fields; waiting changes are tried immediately. Both the caller and the key that created the
 * webhook must be permitted to see its types. Throws ApiError not_found, insufficient_scope, webhook_stopped.
 */
export async function changeWebhook(
  tx: WriteTransaction,
  dependencies: WebhooksDependencies,
  owner: Principal,
  id: string,
  given: WebhookChanges,
): Promise<Webhook> {
  requireValues(WebhookChanges, given);
  refuse(urlProblems(dependencies, given));
  await tx.lock(lockOf(owner));
  const row = await getRow(tx, owner, id);
  const types = given.types ?? JSON.parse(row.types);
  await requireShown(tx, dependencies, owner, row, [...types, ...JSON.parse(row.types)]);
  if (given.types) shownTypes((await makerOf(tx, dependencies, row)).permissions, types);
  const columns = {
    name: given.name ?? row.name,
    url: given.url ?? row.url,
    types: JSON.stringify(types),
    updated_at: await tx.now(),
    next_attempt_at: await tx.now(),
  };
  await updateWebhook(tx, row, columns);
  tx.afterCommit(dependencies.onWork);
  return getWebhook(tx, dependencies, owner, id);
}

/** Throws ApiError not_found. */
export async function deleteWebhook(tx: WriteTransaction, owner: Principal, id: string): Promise<void> {
  await tx.lock(lockOf(owner));
  await removeWebhook(tx, await getRow(tx, owner, id));
}

/** Resumes at the stored position. Throws ApiError not_found, webhook_stopped, cursor_expired. */
export async function resumeWebhook(
  tx: WriteTransaction,
  dependencies: WebhooksDependencies,
  owner: Principal,
  id: string,
): Promise<Webhook> {
  await tx.lock(lockOf(owner));
  const row = await getRow(tx, owner, id);
  await makerOf(tx, dependencies, row);
  const now = await tx.now();
  if (row.disabled_reason === null) return recordOf(tx, dependencies, row);
  if (row.head_at !== null && row.head_at <= now - dependencies.changesTtlMs)
    throw new ApiError(
      'cursor_expired',
      'Changes behind its place are kept no longer. Delete the webhook, make another one, and list again what you mirror.',
    );
  const columns = {
    disabled_reason: null,
    attempts: 0,
    refusals: 0,
    failing_since: null,
    next_attempt_at: now,
  };
  await updateWebhook(tx, row, columns);
  tx.afterCommit(dependencies.onWork);
  return getWebhook(tx, dependencies, owner, id);
}

/** Sends a test event before the transaction that stores it as an attempt. Throws ApiError not_found. */
export async function sendTest(
  { database, sender }: WebhooksDependencies,
  owner: Principal,
  id: string,
): Promise<AttemptColumns> {
  const { row, at } = await database.read(async (tx) => ({
    row: await getRow(tx, owner, id),
    at: await tx.now(),
  }));
  const event = testEvent(owner, id, at);
  const { status, error, durationMs } = await sender.post(row, event);
  return {
    id: newId('wha'),
    change_id: event.id,
    type: TEST_TYPE,
    at,
    status,
    duration_ms: durationMs,
    error,
  };
}

/** Throws ApiError not_found. */
export async function keepTest(
  tx: WriteTransaction,
  owner: Principal,
  id: string,
  attempt: AttemptColumns,
): Promise<WebhookAttempt> {
  await storeAttempt(tx, await getRow(tx, owner, id), attempt);
  return attemptRecord(attempt);
}

/** The newest hundred, newest first. Throws ApiError not_found. */
export async function newestAttempts(
  tx: ReadTransaction,
  owner: Principal,
  id: string,
): Promise<WebhookAttempt[]> {
  return (await listAttempts(tx, await getRow(tx, owner, id))).map(attemptRecord);
}

/**
 * The changes that the endpoint refused while it accepted others, in the order in which they were given up. Throws
 * ApiError not_found.
 */
export async function pageOfDead(
  tx: ReadTransaction,
  owner: Principal,
  id: string,
  page: PageRequest,
): Promise<Page<DeadDelivery>> {
  const rows = await listDead(tx, await getRow(tx, owner, id), afterId(page), page.limit);
  return pageById(rows, deadRecord);
}

/**
 * Requests another delivery of a dead delivery, as soon as the webhook is active. Throws ApiError not_found,
 * insufficient_scope.
 */
export async function redeliver(
  tx: WriteTransaction,
  dependencies: WebhooksDependencies,
  owner: Principal,
  id: string,
  deliveryId: string,
): Promise<DeadDelivery> {
  const row = await getRow(tx, owner, id);
  const dead = await findDead(tx, row, deliveryId);
  if (!dead) throw notFound('dead_delivery', deliveryId);
  await requireShown(tx, dependencies, owner, row, [changeIn(dead).type]);
  await updateDead(tx, dead, { redelivering: 1 });
  tx.afterCommit(dependencies.onWork);
  return deadRecord({ ...dead, redelivering: 1 });
}

/**
 * Otherwise a caller who may change webhooks could redirect changes that only the key that made the webhook may see.
 * Throws ApiError insufficient_scope.
 */
async function requireShown(
  tx: ReadTransaction,
  dependencies: WebhooksDependencies,
  caller: Principal,
  { workspace_id, key_id }: Webhooks,
  types: readonly string[],
): Promise<void> {
  const isOfKeys = [...shownTypes(caller.permissions, types)].some((type) => type.startsWith('api_key.'));
  if (!isOfKeys || administratesKeys(caller)) return;
  const maker = await dependencies.findPrincipalOf(tx, workspace_id, key_id);
  if (maker && administratesKeys(maker)) throw missingPermission('directory.write');
}

/** Throws ApiError webhook_stopped. */
async function makerOf(
  tx: ReadTransaction,
  dependencies: WebhooksDependencies,
  { workspace_id, key_id }: Webhooks,
): Promise<Principal> {
  const maker = await dependencies.findPrincipalOf(tx, workspace_id, key_id);
  if (maker) return maker;
  throw new ApiError(
    'webhook_stopped',
    'The API key that made the webhook has ended, and the webhook with it.',
    {
      key_id,
    },
  );
}

async function recordOf(
  tx: ReadTransaction,
  dependencies: WebhooksDependencies,
  row: Webhooks,
): Promise<Webhook> {
  const maker = await dependencies.findPrincipalOf(tx, row.workspace_id, row.key_id);
  const now = await tx.now();
  const waitsSince = maker && (await waitingSince(tx, maker, row));
  return webhookRecord(row, { hasKey: maker !== undefined, waitsSince, now });
}

/** The time when the oldest change that waits for the endpoint was written. */
async function waitingSince(
  tx: ReadTransaction,
  maker: Principal,
  { types, transaction_id: transaction, number }: Webhooks,
): Promise<number | undefined> {
  const shown = shownTypes(maker.permissions, JSON.parse(types));
  const { changes } = await readFeeds(tx, maker, shown, { transaction, number }, LOOKED_AT, 1);
  const [first] = changes;
  return first && Date.parse(first.change.at);
}

function newRow(
  { workspaceId, userId, keyId }: Principal,
  { name = '', url, types }: NewWebhook,
  { era, transaction, number, now }: { era: string; transaction: number; number: number; now: number },
): Webhooks {
  return {
    workspace_id: workspaceId,
    user_id: userId,
    key_id: keyId,
    id: newId('whk'),
    name,
    url,
    types: JSON.stringify(types),
    secret: newSecret(),
    disabled_reason: null,
    era,
    transaction_id: transaction,
    number,
    lease: 0,
    leased_until: 0,
    attempts: 0,
    refusals: 0,
    next_attempt_at: now,
    failing_since: null,
    head_at: null,
    last_delivered_at: null,
    attempts_made: 0,
    created_at: now,
    updated_at: now,
  };
}

/** An artificial change, with every field that a receiver needs to know the format. */
function testEvent({ userId, keyId }: Principal, webhookId: string, now: number) {
  const at = new Date(now).toISOString();
  const id = newId('chg');
  const actor = { user_id: userId, key_id: keyId };
  return {
    id,
    type: TEST_TYPE,
    at,
    data: { id, type: TEST_TYPE, at, actor, ids: { webhook_id: webhookId } },
  };
}

/** Throws ApiError not_found. */
async function getRow(tx: ReadTransaction, owner: Principal, id: string): Promise<Webhooks> {
  const row = await findWebhook(tx, owner, id);
  if (!row) throw notFound('webhook', id);
  return row;
}

/** The lock that serializes a user's operations on webhooks. */
function lockOf({ workspaceId, userId }: Principal): WorkspaceLock {
  return { workspaceId, scope: `webhooks of ${workspaceId} ${userId}` };
}
