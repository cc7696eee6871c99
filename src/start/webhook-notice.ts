import type { Notice } from '../areas/changes/webhooks/deliveries.ts';
import type { DirectoryService } from '../areas/directory/service.ts';
import type { MailService } from '../areas/mail/service.ts';
import { newId } from '../platform/ids.ts';
import type { Database } from '../storage/database.ts';
import type { Webhooks } from '../storage/schema/tables.ts';

interface Areas {
  database: Database;
  directory: DirectoryService;
  mail: MailService;
}

/** Prepares the message to the owner of a webhook that was disabled because its endpoint accepted nothing for days. */
export async function webhookNotice(
  { database, directory, mail }: Areas,
  { workspace_id: workspaceId, user_id: userId, id, name, url }: Webhooks,
  domain: string,
): Promise<Notice> {
  const owner = { workspaceId, userId };
  const user = await database.read((tx) => directory.getUser(tx, workspaceId, userId));
  const deliveredAt = Date.now();
  const raw = [
    `From: Atrium <no-reply@${domain}>`,
    `To: ${user.email}`,
    'Subject: A webhook was disabled',
    `Date: ${new Date(deliveredAt).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${newId('out')}@${domain}>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    `The endpoint of a webhook has accepted nothing for five days, so nothing is sent to it any more.`,
    '',
    `Webhook: ${id}${name === '' ? '' : ` (${name})`}`,
    `Endpoint: ${url}`,
    '',
    'Its place in the changes is kept. What went wrong last:',
    '',
    `  GET /v1/webhooks/${id}/attempts`,
    '',
    'Once the endpoint answers again, this goes on from there:',
    '',
    `  POST /v1/webhooks/${id}/resume`,
    '',
  ].join('\r\n');
  const message = await mail.receive(chunks(raw));
  return {
    deliver: async (tx) => {
      const folderId = await mail.getFolderByRole(tx, owner, 'inbox');
      const arrival = { folderId, flags: 0, labels: [], threading: true, deliveredAt, isDelivery: true };
      await mail.append(tx, owner, arrival, message);
    },
    discard: () => message.discard(),
  };
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
