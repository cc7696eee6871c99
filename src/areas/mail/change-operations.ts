import { Type } from 'typebox';
import { type Operation, writes, writesJointly } from '../../api/operation.ts';
import { flagSet } from './flags.ts';
import { ExpungeResult, MarkChanges, MarkedMessage, MessageSummary, Move, MoveResult } from './schema.ts';
import type { MailboxOwner, MailService } from './service.ts';

const area = 'Mail';
const permissions = ['mail.messages.write'] as const;
const InFolder = Type.Object({
  folder_id: Type.String({
    description: 'The folder that holds the messages now.',
    examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});

/** What changes messages that are there already. */
export function messageChangeOperations(mail: MailService): Operation[] {
  return [...batches(mail), ...expunging(mail)];
}

function batches(mail: MailService): Operation[] {
  return [
    writesJointly({
      id: 'changeMessageFlags',
      area,
      method: 'POST',
      path: '/v1/folders/:folder_id/messages/flags',
      summary: 'Change flags and labels',
      description:
        'One call takes a whole batch: all messages are changed or none. The answer has each message once, in the order asked, with its flags and labels after the change. Labels keep the order in which they were added; those that set leaves keep their places.',
      permissions,
      params: InFolder,
      body: MarkChanges,
      answer: Type.Array(MarkedMessage),
      errors: ['not_found', 'messages_not_in_folder'],
      lock: ({ principal }) => mail.lockOf(principal),
      handle: (tx, inputs) =>
        mail.changeMarks(
          tx,
          ownerOf(mail, inputs),
          inputs.map(({ params, body: { message_ids, op, flags = [], labels = [] } }) => ({
            folderId: params.folder_id,
            messageIds: message_ids,
            change: { op, flags: flagSet(flags), labels },
          })),
        ),
    }),
    writesJointly({
      id: 'moveMessages',
      area,
      method: 'POST',
      path: '/v1/folders/:folder_id/messages/move',
      summary: 'Move messages',
      description:
        'All messages are moved or none. A message keeps its id, flags and labels. Moving to the folder that holds them already moves nothing.',
      permissions,
      params: InFolder,
      body: Move,
      answer: MoveResult,
      errors: ['not_found', 'messages_not_in_folder'],
      lock: ({ principal }) => mail.lockOf(principal),
      handle: (tx, inputs) =>
        mail.moveMessages(
          tx,
          ownerOf(mail, inputs),
          inputs.map(({ params, body }) => ({
            fromId: params.folder_id,
            toId: body.to_folder_id,
            messageIds: body.message_ids,
          })),
        ),
    }),
  ];
}

function expunging(mail: MailService): Operation[] {
  return [
    writes({
      id: 'expungeMailFolder',
      area,
      method: 'POST',
      path: '/v1/folders/:folder_id/expunge',
      summary: 'Expunge a folder',
      description:
        'Its messages with the deleted flag leave every listing and count, and their ids answer 404. They can be restored.',
      permissions,
      params: Type.Object({
        folder_id: Type.String({ description: 'The folder.', examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
      }),
      answer: ExpungeResult,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => mail.expungeFolder(tx, principal, params.folder_id),
    }),
    writes({
      id: 'restoreMessage',
      area,
      method: 'POST',
      path: '/v1/messages/:id/restore',
      summary: 'Restore an expunged message',
      description:
        'Puts it back into the folder that it left, or the inbox where that is gone, without the deleted flag; id, labels and thread are as they were. A message that was not expunged stays as it is, and is answered the same way.',
      permissions,
      params: Type.Object({
        id: Type.String({ description: 'The message.', examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
      }),
      answer: MessageSummary,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => mail.restoreMessage(tx, principal, params.id),
    }),
  ];
}

/** Of all one: they wait for the lock of one mailbox. Throws TypeError where they are of several. */
function ownerOf(mail: MailService, inputs: readonly { principal: MailboxOwner }[]): MailboxOwner {
  const [first] = inputs;
  if (!first) throw new TypeError('There is no request');
  const mailboxes = new Set(inputs.map(({ principal }) => mail.lockOf(principal)));
  if (mailboxes.size > 1) throw new TypeError('The changes of one transaction are of several mailboxes');
  return first.principal;
}
