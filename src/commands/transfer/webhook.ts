import type { Command } from 'commander';
import type { DeadDelivery, Webhook, WebhookAttempt } from '../../../client/src/generated/areas.ts';
import { show, table } from '../output.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './connection.ts';

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('Webhooks of a server, and their deliveries');
  const list = webhook.command('list').description('List the webhooks of the user of the key');
  withConnectionOptions(list).action(listWebhooks);
  const test = webhook
    .command('test')
    .description('Post a test to the endpoint of a webhook; fails where it is not accepted')
    .argument('<id>');
  withConnectionOptions(test).action(testWebhook);
  const attempts = webhook
    .command('attempts')
    .description('List the newest hundred attempts of a webhook, newest first')
    .argument('<id>');
  withConnectionOptions(attempts).action(listAttempts);
  const redeliver = webhook
    .command('redeliver')
    .description('Deliver once more what a webhook was refused for good')
    .argument('<id>')
    .argument('[delivery...]', 'ids of dead deliveries; default: all');
  withConnectionOptions(redeliver).action(redeliverDead);
}

async function listWebhooks(options: ConnectionOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const webhooks = await Array.fromAsync(atrium.changes.listWebhooks());
  show(command, webhooks, () => table(['ID', 'STATE', 'LAG', 'TYPES', 'URL'], webhooks.map(webhookRow)));
}

function webhookRow({ id, state, disabled_reason: reason, lag_seconds: lag, types, url }: Webhook): string[] {
  return [id, reason === null ? state : `${state} (${reason})`, `${lag} s`, types.join(), url];
}

async function testWebhook(id: string, options: ConnectionOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const attempt = await atrium.changes.testWebhook(id);
  show(command, attempt, () => `${attempt.error ?? 'Accepted.'} It took ${attempt.duration_ms} ms.`);
  if (attempt.error !== null) process.exitCode = 1;
}

async function listAttempts(id: string, options: ConnectionOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const attempts = await atrium.changes.listWebhookAttempts(id);
  show(command, attempts, () =>
    table(['AT', 'CHANGE', 'TYPE', 'STATUS', 'TOOK', 'ERROR'], attempts.map(attemptRow)),
  );
}

function attemptRow(attempt: WebhookAttempt): string[] {
  const { at, change_id: change, type, status, duration_ms: ms, error } = attempt;
  return [at, change, type, String(status ?? ''), `${ms} ms`, error ?? ''];
}

async function redeliverDead(
  id: string,
  deliveries: string[],
  options: ConnectionOptions,
  command: Command,
): Promise<void> {
  const { atrium } = await connect(options);
  const named = deliveries.length > 0 ? deliveries : await idsOf(atrium.changes.listDeadDeliveries(id));
  const redelivered: DeadDelivery[] = [];
  for (const delivery of named) redelivered.push(await atrium.changes.redeliverDeadDelivery(id, delivery));
  show(command, redelivered, () => redelivered.map(sentence).join('\n'));
}

async function idsOf(dead: AsyncIterable<DeadDelivery>): Promise<string[]> {
  return (await Array.fromAsync(dead)).map(({ id }) => id);
}

function sentence({ id, type, change_id: change }: DeadDelivery): string {
  return `${type} ${change} is delivered once more (${id}).`;
}
