import { Type } from 'typebox';
import { ApiError } from '../../contract/errors.ts';
import { type Operation, reads, receives, writes } from '../../contract/operation.ts';
import { requirePermission } from '../../contract/principal.ts';
import { MAX_MESSAGE_BYTES } from '../../formats/messages/message.ts';
import { flagSet } from './changes/flags.ts';
import { filterOperations } from './filters/operations.ts';
import {
  ExpungeResult,
  FlagsAndLabelsChanges,
  FolderChanges,
  MailFolder,
  MarkedMessage,
  Message,
  MessageFilters,
  MessageSummary,
  Move,
  MoveResult,
  NewFolder,
  NewMessageQuery,
} from './schema.ts';
import { recipientProblems } from './sending/recipients.ts';
import { NewMessage } from './sending/schema.ts';
import type { MailService } from './service.ts';

const area = 'Mail';

function mailFolderOperations(mail: MailService): Operation[] {
  return [
    reads({
      id: 'listMailFolders',
      area,
      method: 'GET',
      path: '/v1/folders',
      summary: 'List mail folders',
      description: 'Every folder of the mailbox in one answer, with the number of its messages.',
      permissions: ['mail.messages.read'],
      answer: Type.Array(MailFolder),
      handle: (tx, { principal }) => mail.listFolders(tx, principal),
    }),
    writes({
      id: 'createMailFolder',
      area,
      method: 'POST',
      path: '/v1/folders',
      summary: 'Create a mail folder',
      description: 'In the root unless parent_id names a folder. Names are compared exactly, case included.',
      permissions: ['mail.folders.write'],
      body: NewFolder,
      emits: ['folder.created'],
      answer: MailFolder,
      status: 201,
      errors: ['not_found', 'folder_exists'],
      handle: (tx, { principal, body }) => mail.createFolder(tx, principal, body),
    }),
    writes({
      id: 'updateMailFolder',
      area,
      method: 'PUT',
      path: '/v1/folders/:id',
      summary: 'Rename or move a mail folder',
      description:
        'What is in the folder goes with it. A folder with a role can be renamed and moved like any other and keeps its role: mail arrives in the inbox whatever it is called.',
      permissions: ['mail.folders.write'],
      params: Type.Object({
        id: Type.String({ description: 'The folder.', examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
      }),
      body: FolderChanges,
      emits: ['folder.changed'],
      answer: MailFolder,
      errors: ['not_found', 'folder_exists', 'folder_cycle'],
      handle: (tx, { principal, params, body }) => mail.updateFolder(tx, principal, params.id, body),
    }),
  ];
}

const ByMessage = Type.Object({
  id: Type.String({ description: 'The message.', examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByFolder = Type.Object({
  folder_id: Type.String({ description: 'The folder.', examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByAttachment = Type.Object({
  id: Type.String({ description: 'The message.', examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  attachment_id: Type.String({ description: 'The attachment, as the message lists it.', examples: ['1'] }),
});

function messageOperations(mail: MailService): Operation[] {
  return [...reading(mail), ...contents(mail), ...appending(mail)];
}

function reading(mail: MailService): Operation[] {
  return [
    reads({
      id: 'listMessages',
      area,
      method: 'GET',
      path: '/v1/messages',
      summary: 'List message summaries',
      description:
        'Newest first. At least one of folder_id, flag, label and unread is required. Filters combine by and; an unknown folder lists nothing. A page of messages with several labels may end before its limit, with has_more true.',
      permissions: ['mail.messages.read'],
      query: MessageFilters,
      paging: { default: 50, cap: 200 },
      answer: Type.Array(MessageSummary),
      errors: ['filter_required'],
      check: ({ query }) => {
        if (!query.folder_id && !query.flag && !query.label && query.unread === undefined) {
          throw new ApiError('filter_required', 'Give at least one of folder_id, flag, label and unread.');
        }
        return [];
      },
      handle: (tx, { principal, query, page }) =>
        mail.listMessages(
          tx,
          principal,
          {
            folderIds: [...new Set(query.folder_id)],
            flags: flagSet(query.flag ?? []),
            labels: [...new Set(query.label)],
            unread: query.unread ?? false,
          },
          page,
        ),
    }),
    reads({
      id: 'getMessage',
      area,
      method: 'GET',
      path: '/v1/messages/:id',
      summary: 'Get a message',
      description: 'The full record: recipients, text, sanitized HTML, attachments.',
      permissions: ['mail.messages.read'],
      params: ByMessage,
      answer: Message,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => mail.getMessage(tx, principal, params.id),
    }),
  ];
}

function contents(mail: MailService): Operation[] {
  return [
    reads({
      id: 'getRawMessage',
      area,
      method: 'GET',
      path: '/v1/messages/:id/raw',
      summary: 'Get a message as it was received',
      description: 'Byte for byte.',
      permissions: ['mail.messages.read'],
      params: ByMessage,
      content: { mediaTypes: ['message/rfc822'] },
      errors: ['not_found'],
      handle: (tx, { principal, params }) => mail.getRaw(tx, principal, params.id),
    }),
    reads({
      id: 'getAttachment',
      area,
      method: 'GET',
      path: '/v1/messages/:id/attachments/:attachment_id',
      summary: 'Get an attachment',
      description: 'The decoded bytes, always as a download: what a sender declares is not trusted.',
      permissions: ['mail.messages.read'],
      params: ByAttachment,
      content: { mediaTypes: ['application/octet-stream'] },
      errors: ['not_found'],
      handle: (tx, { principal, params }) =>
        mail.getAttachment(tx, principal, params.id, params.attachment_id),
    }),
  ];
}

function appending(mail: MailService): Operation[] {
  return [
    receives({
      id: 'appendMessage',
      area,
      method: 'POST',
      path: '/v1/folders/:folder_id/messages',
      summary: 'Append a message to a folder',
      description:
        'Takes the message as it is; no filters run. Its date is that of the newest Received header, else of Date, else now.',
      permissions: ['mail.messages.write'],
      params: ByFolder,
      query: NewMessageQuery,
      rawBody: { mediaType: 'message/rfc822', maxSize: MAX_MESSAGE_BYTES },
      emits: ['message.created', 'message.changed'],
      answer: MessageSummary,
      status: 201,
      errors: ['not_found'],
      receive: (_input, content) => mail.receive(content),
      handle: (tx, { principal, params, query }, message) =>
        mail.append(
          tx,
          principal,
          {
            folderId: params.folder_id,
            flags: flagSet(query.flag ?? []),
            labels: query.label ?? [],
            threading: true,
            deliveredAt: Date.now(),
          },
          message,
        ),
    }),
  ];
}

const permissions = ['mail.messages.write'] as const;
const InFolder = Type.Object({
  folder_id: Type.String({
    description: 'The folder that holds the messages now.',
    examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});

/** Operations that change stored messages. */
function messageChangeOperations(mail: MailService): Operation[] {
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
      emits: ['message.changed'],
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
      emits: ['message.moved'],
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
      emits: ['message.expunged'],
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
      emits: ['message.restored'],
      answer: MessageSummary,
      errors: ['not_found'],
      handle: (tx, { principal, params }) => mail.restoreMessage(tx, principal, params.id),
    }),
  ];
}

function sendOperations(mail: MailService): Operation[] {
  return [
    writes({
      id: 'sendMessage',
      area: 'Mail',
      method: 'POST',
      path: '/v1/messages',
      summary: 'Send a message',
      description: `From the user that the key acts as. Answers the summary of the copy in Sent. Everyone whose address a user of this server has gets it at once, everyone else through the relay, in the background: what cannot be delivered within five days comes back as a message from MAILER-DAEMON. All recipients get it or none: an unknown address of the own domain, or an address elsewhere where no relay is set, refuses the whole. With its files, encoded for mail, it has at most ${MAX_MESSAGE_BYTES} bytes. Attaching files takes files.read as well, and answering a message mail.messages.read. A reply names the message that it answers as reply_to_message_id, and joins its conversation; its recipients are given as those of any message.`,
      permissions: ['mail.messages.send'],
      body: NewMessage,
      emits: ['message.created', 'message.changed', 'folder.created'],
      answer: MessageSummary,
      status: 201,
      errors: ['not_found', 'forbidden', 'unknown_recipient', 'no_relay'],
      check: ({ principal, body }) => {
        // An attachment leaves the drive: a key that may not download a file must not mail it either.
        if (body.file_ids !== undefined) requirePermission(principal, 'files.read');
        // A reply reveals subject and references of the answered message: a key that may not read it must not see them.
        if (body.reply_to_message_id !== undefined) requirePermission(principal, 'mail.messages.read');
        return recipientProblems(body);
      },
      prepare: ({ principal, body }) => mail.compose(principal, body),
      handle: (tx, { principal }, message) => mail.send(tx, principal, message),
    }),
  ];
}

/** Mail folders, messages, filters, changes to messages, and sending. */
export function mailOperations(mail: MailService): Operation[] {
  return [
    ...mailFolderOperations(mail),
    ...messageOperations(mail),
    ...filterOperations(mail),
    ...messageChangeOperations(mail),
    ...sendOperations(mail),
  ];
}
