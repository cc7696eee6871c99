/** Rules and names that were made to cost more than their size. */
import { type Doors, type HostileInput, idOf } from './hostile-input.ts';
import { hostileMessages } from './messages.ts';
import { testTurns } from './test-turns.ts';

const rule = (conditions: object[]) => ({ match: 'all', conditions, actions: [{ type: 'mark_read' }] });
const hundred = (condition: object) => Array<object>(100).fill(condition);

const RULES: Record<string, object[]> = {
  'bodies that hold a thousand letters': hundred({ field: 'body', op: 'contains', value: 'a'.repeat(1_000) }),
  'bodies that hold what folds into more': hundred({
    field: 'body',
    op: 'contains',
    value: 'ﷺ'.repeat(1_000),
  }),
  'bodies that hold marks': hundred({ field: 'body', op: 'contains', value: '\u0301\u0323'.repeat(500) }),
  'bodies that nearly hold a value': hundred({
    field: 'body',
    op: 'contains',
    value: `${'a'.repeat(85)}b${'a'.repeat(858)}`,
  }),
  'headers that no message has': hundred({ field: `header:${'x'.repeat(255)}`, op: 'ends_with', value: 'ß' }),
};

const MAIL: Record<string, string> = {
  'a few letters': 'a'.repeat(3_800),
  letters: 'a'.repeat(900_000),
  'what folds into more': 'ﷺ'.repeat(200_000),
  marks: `e${'\u0301\u0323'.repeat(200_000)}`,
};

const running = (what: string, conditions: object[], kind: string, text: string): HostileInput => ({
  name: `a hundred conditions on ${what}, and mail of ${kind}`,
  send: async ({ request, deliver, inboxId }) => {
    const filter = { name: 'Hostile', priority: 1, rule: rule(conditions) };
    const id = idOf(await request('POST', '/v1/mail/filters', { body: filter }));
    await deliver(Buffer.from(`Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`));
    await request('POST', '/v1/mail/filters/preview', { body: { rule: filter.rule } });
    await request('POST', `/v1/mail/filters/${id}/apply`, { body: { folder_id: inboxId } });
    await request('DELETE', `/v1/mail/filters/${id}`);
    await removeMail(request, inboxId);
  },
});

/** Others would look through it too. */
async function removeMail(request: Doors['request'], folderId: string): Promise<void> {
  const { json } = await request('GET', `/v1/messages?folder_id=${folderId}`);
  const messages = (json?.data ?? []) as { id: string }[];
  const body = { message_ids: messages.map(({ id }) => id), op: 'add', flags: ['deleted'] };
  await request('POST', `/v1/folders/${folderId}/messages/flags`, { body });
  await request('POST', `/v1/folders/${folderId}/expunge`);
}

const lookingThroughHeads: HostileInput = {
  name: 'a condition on headers, and stored mail whose header sections are slow to read',
  send: async ({ request, deliver, inboxId }) => {
    for (let count = 0; count < 2; count++)
      await deliver(hostileMessages['words in charsets of their own in five fields'] ?? '');
    const conditions = [{ field: 'header:subject', op: 'contains', value: 'x' }];
    const filter = { name: 'Hostile', priority: 1, rule: rule(conditions) };
    const id = idOf(await request('POST', '/v1/mail/filters', { body: filter }));
    await request('POST', '/v1/mail/filters/preview', { body: { rule: filter.rule } });
    await request('POST', `/v1/mail/filters/${id}/apply`, { body: { folder_id: inboxId } });
    await request('DELETE', `/v1/mail/filters/${id}`);
  },
};

const INPUTS: readonly HostileInput[] = [
  ...Object.entries(RULES).flatMap(([what, conditions]) =>
    Object.entries(MAIL).map(([kind, text]) => running(what, conditions, kind, text)),
  ),
  lookingThroughHeads,
];

testTurns('filters', INPUTS);
