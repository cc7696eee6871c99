import { Type } from 'typebox';
import { type Operation, writes } from '../../../contract/operation.ts';
import {
  ExpungeResult,
  FlagsAndLabelsChanges,
  MarkedMessage,
  MessageSummary,
  Move,
  MoveResult,
} from '../schema.ts';
import type { MailService } from '../service.ts';
import { flagSet } from './flags.ts';

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
    writes({
      id: 'changeMessageFlags',
      area,
      method: 'POST',
      path: '/v1/folders/:folder_id/messages/flags',
      summary: 'Change flags and labels',
      description:
        'One call takes a whole batch: all messages are changed or none. The answer has each message once, in the order asked, with its flags and labels after the change. Labels keep the order in which they were added; those that set leaves keep their places.',
      permissions,
      params: InFolder,
      body: FlagsAndLabelsChanges,
      answer: Type.Array(MarkedMessage),
      errors: ['not_found', 'messages_not_in_folder'],
      handle: (tx, { principal, params, body: { message_ids, op, flags = [], labels = [] } }) =>
        mail.changeFlagsAndLabels(
          tx,
          principal,
          { folderId: params.folder_id, messageIds: message_ids },
          { op, flags: flagSet(flags), labels },
        ),
    }),
    writes({
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
      handle: (tx, { principal, params, body }) =>
        mail.moveMessages(
          tx,
          principal,
          { folderId: params.folder_id, messageIds: body.message_ids },
          body.to_folder_id,
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
