import { Type } from 'typebox';
import { ApiError } from '../../../contract/errors.ts';
import { type Operation, reads, receives } from '../../../contract/operation.ts';
import { MAX_MESSAGE_BYTES } from '../../../formats/messages/message.ts';
import { flagSet } from '../changes/flags.ts';
import { Message, MessageFilters, MessageSummary, NewMessageQuery } from '../schema.ts';
import type { MailService } from '../service.ts';

const area = 'Mail';
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

export function messageOperations(mail: MailService): Operation[] {
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
