import { Type } from 'typebox';
import { hasMember } from '../../../contract/json.ts';
import { type Operation, type Problem, writes } from '../../../contract/operation.ts';
import { MessageSummary } from '../schema.ts';
import { expungeFolder, restoreMessage } from './expunge.ts';
import { flagSet } from './flags.ts';
import { changeFlagsAndLabels } from './flags-and-labels.ts';
import { moveMessages } from './move-messages.ts';
import {
  BatchedMessage,
  ExpungeResult,
  FlagsAndLabelsChanges,
  MarkedMessage,
  MessageBatch,
  Move,
  MoveResult,
} from './schema.ts';
import { changeWholeBatch } from './whole-batch.ts';

const area = 'Mail';
const permissions = ['mail.messages.write'] as const;
const InFolder = Type.Object({
  folder_id: Type.String({
    description: 'The folder that holds the messages now, or its role.',
    examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});

/** Operations that change stored messages. */
export function messageChangeOperations(): Operation[] {
  return [...batches(), wholeBatch(), ...expunging()];
}

function batches(): Operation[] {
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
      emits: ['message.changed'],
      answer: Type.Array(MarkedMessage),
      errors: ['not_found', 'messages_not_in_folder'],
      handle: (tx, { principal, params, body: { message_ids, op, flags = [], labels = [] } }) =>
        changeFlagsAndLabels(
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
      agent: {
        tool: 'move_messages',
        title: 'Move messages',
        hint: 'From folder_id to to_folder_id, all or none.',
        isDestructive: true,
      },
      description:
        'All messages are moved or none. A message keeps its id, flags and labels. Moving to the folder that holds them already moves nothing.',
      permissions,
      params: InFolder,
      body: Move,
      emits: ['message.moved'],
      answer: MoveResult,
      errors: ['not_found', 'messages_not_in_folder'],
      handle: (tx, { principal, params, body }) =>
        moveMessages(
          tx,
          principal,
          { folderId: params.folder_id, messageIds: body.message_ids },
          body.to_folder_id,
        ),
    }),
  ];
}

/** What a flag or label that is both added and removed is told. */
function contradictions(body: Partial<MessageBatch>): Problem[] {
  return (['flags', 'labels'] as const).flatMap((kind) => {
    const removed = new Set<string>(body[`remove_${kind}`]);
    return (body[`add_${kind}`] ?? []).flatMap((one, i) =>
      removed.has(one)
        ? [{ pointer: `/add_${kind}/${i}`, code: 'not_allowed', message: `Remove it or add it, not both.` }]
        : [],
    );
  });
}

const CHANGES = ['add_flags', 'remove_flags', 'add_labels', 'remove_labels', 'move_to'];

/** `body` lacks the fields of `sent` that violate the schema: such a change is given all the same. */
function batchProblems(body: Partial<MessageBatch>, sent: unknown): Problem[] {
  if (CHANGES.some((change) => hasMember(sent, change))) return contradictions(body);
  const message = 'Give at least one of add_flags, remove_flags, add_labels, remove_labels and move_to.';
  return [{ pointer: '', code: 'required', message }];
}

function wholeBatch(): Operation {
  return writes({
    id: 'changeMessages',
    area,
    method: 'POST',
    path: '/v1/messages/batch',
    summary: 'Change and move messages of any folders',
    agent: [
      {
        tool: 'change_messages',
        title: 'Change messages',
        hint: 'Adds and removes flags and labels; move_to a folder id or role.',
        isDestructive: true,
      },
      {
        tool: 'trash_item',
        title: 'Move to the trash',
        hint: 'id of a message, contact, file, folder of the drive, document, spreadsheet or draft.',
        isDestructive: true,
        ids: ['msg'],
        asArguments: ({ id }) => ({ message_ids: [id], move_to: 'trash' }),
      },
    ],
    description:
      'Flags, labels and folder of up to 1,000 messages in one step: all are changed or none. At least one change is given. The answer has each message once, in the order asked, as it is then.',
    permissions,
    body: MessageBatch,
    emits: ['message.changed', 'message.moved'],
    answer: Type.Array(BatchedMessage),
    errors: ['not_found'],
    check: ({ body }, sent) => batchProblems(body, sent),
    handle: (tx, { principal, body }) => changeWholeBatch(tx, principal, body),
  });
}

function expunging(): Operation[] {
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
        folder_id: Type.String({
          description: 'The folder, or its role, such as inbox.',
          examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
        }),
      }),
      emits: ['message.expunged'],
      answer: ExpungeResult,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => expungeFolder(tx, principal, params.folder_id),
    }),
    writes({
      id: 'restoreMessage',
      area,
      method: 'POST',
      path: '/v1/messages/:id/restore',
      summary: 'Restore an expunged message',
      agent: {
        tool: 'restore_item',
        title: 'Take out of the trash',
        hint: 'id of what is in the trash.',
        hasTextOfOthers: true,
        ids: ['msg'],
      },
      description:
        'Puts it back into the folder that it left, or the inbox where that is gone, without the deleted flag; id, labels and thread are as they were. A message that was not expunged stays as it is, and is answered the same way.',
      permissions,
      params: Type.Object({
        id: Type.String({ description: 'The message.', examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
      }),
      emits: ['message.restored'],
      answer: MessageSummary,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => restoreMessage(tx, principal, params.id),
    }),
  ];
}
