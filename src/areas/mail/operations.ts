import { Type } from 'typebox';
import { ApiError } from '../../contract/errors.ts';
import { ANY_MEDIA_TYPE, type Operation, reads, receives, writes } from '../../contract/operation.ts';
import { requirePermission } from '../../contract/principal.ts';
import { MAX_MESSAGE_BYTES } from '../../formats/messages/message.ts';
import { flagSet } from './changes/flags.ts';
import { messageChangeOperations } from './changes/operations.ts';
import { draftOperations } from './drafts/operations.ts';
import { filterOperations } from './filters/operations.ts';
import { createFolder, deleteFolder, listFolders, updateFolder } from './folders/folders.ts';
import { pageOfLabels } from './listing/labels.ts';
import { pageOfMessages, pageOfThread } from './listing/listing.ts';
import { LabelCount, ListedMessage, MessageFilters, ThreadQuery } from './listing/schema.ts';
import {
  AttachmentToSave,
  FolderChanges,
  LetterQuery,
  MailFolder,
  Message,
  MessageSummary,
  NewFolder,
  NewMessageQuery,
  SavedFile,
} from './schema.ts';
import { sendingOperations } from './sending/operations.ts';
import type { MailService } from './service.ts';

const area = 'Mail';

const ById = Type.Object({
  id: Type.String({
    description: 'The folder, or its role, such as inbox.',
    examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});

function mailFolderOperations(): Operation[] {
  return [
    reads({
      id: 'listMailFolders',
      area,
      method: 'GET',
      path: '/v1/folders',
      summary: 'List mail folders',
      agent: {
        tool: 'list_folders',
        title: 'List mail folders',
        hint: 'All mail folders with their roles and counts.',
      },
      description: 'Every folder of the mailbox in one answer, with the number of its messages.',
      permissions: ['mail.messages.read'],
      answer: Type.Array(MailFolder),
      handle: (tx, { principal }) => listFolders(tx, principal),
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
      errors: ['not_found', 'folder_exists', 'folder_too_deep'],
      handle: (tx, { principal, body }) => createFolder(tx, principal, body),
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
      params: ById,
      body: FolderChanges,
      emits: ['folder.changed'],
      answer: MailFolder,
      errors: ['not_found', 'folder_exists', 'folder_cycle', 'folder_too_deep'],
      handle: (tx, { principal, params, body }) => updateFolder(tx, principal, params.id, body),
    }),
    deletingFolder(),
  ];
}

function deletingFolder(): Operation {
  return writes({
    id: 'deleteMailFolder',
    area,
    method: 'DELETE',
    path: '/v1/folders/:id',
    summary: 'Delete a mail folder',
    description:
      'Only an empty folder of the user: one that holds messages or folders, or has a role, is refused. Messages that were expunged from it are restored to the inbox then.',
    permissions: ['mail.folders.write'],
    params: ById,
    emits: ['folder.deleted'],
    status: 204,
    errors: ['not_found', 'folder_not_empty', 'folder_has_role'],
    handle: (tx, { principal, params }) => deleteFolder(tx, principal, params.id),
  });
}

function labels(): Operation {
  return reads({
    id: 'listLabels',
    area,
    method: 'GET',
    path: '/v1/labels',
    summary: 'List labels',
    description:
      'The labels that messages of the mailbox carry, in order, with the number of these messages.',
    permissions: ['mail.messages.read'],
    paging: { default: 25, cap: 100 },
    answer: Type.Array(LabelCount),
    handle: (tx, { principal, page }) => pageOfLabels(tx, principal, page),
  });
}

const ByMessage = Type.Object({
  id: Type.String({ description: 'The message.', examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByFolder = Type.Object({
  folder_id: Type.String({
    description: 'The folder, or its role, such as inbox.',
    examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});
const ByAttachment = Type.Object({
  id: Type.String({ description: 'The message.', examples: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  attachment_id: Type.String({ description: 'The attachment, as the message lists it.', examples: ['1'] }),
});

function messageOperations(mail: MailService): Operation[] {
  return [
    ...listing(),
    oneMessage(mail),
    conversation(),
    labels(),
    ...contents(mail),
    saving(mail),
    ...appending(mail),
  ];
}

function listing(): Operation[] {
  return [
    reads({
      id: 'listMessages',
      area,
      method: 'GET',
      path: '/v1/messages',
      summary: 'List message summaries',
      agent: {
        tool: 'list_messages',
        title: 'List messages',
        hint: 'Newest first. Give at least one of folder_id (an id or a role such as inbox), flag, label and unread.',
        hasTextOfOthers: true,
      },
      description:
        'Newest first. At least one of folder_id, flag, label and unread is required; before, after and thread_id narrow. Filters combine by and; an unknown folder lists nothing. A page of messages with several labels may end before its limit, with has_more true.',
      permissions: ['mail.messages.read'],
      query: MessageFilters,
      paging: { default: 50, cap: 200 },
      answer: Type.Array(ListedMessage),
      errors: ['filter_required'],
      check: ({ query }) => {
        if (!query.folder_id && !query.flag && !query.label && query.unread === undefined) {
          throw new ApiError('filter_required', 'Give at least one of folder_id, flag, label and unread.');
        }
        return [];
      },
      handle: (tx, { principal, query, page }) =>
        pageOfMessages(
          tx,
          principal,
          {
            folderIds: [...new Set(query.folder_id)],
            flags: flagSet(query.flag ?? []),
            labels: [...new Set(query.label)],
            unread: query.unread ?? false,
            include: query.include,
            threadId: query.thread_id,
            before: query.before === undefined ? undefined : Date.parse(query.before),
            since: query.after === undefined ? undefined : Date.parse(query.after),
          },
          page,
        ),
    }),
  ];
}

function oneMessage(mail: MailService): Operation {
  return reads({
    id: 'getMessage',
    area,
    method: 'GET',
    path: '/v1/messages/:id',
    summary: 'Get a message',
    agent: {
      tool: 'get_message',
      title: 'Read a message',
      hint: 'People, text and attachments of one message.',
      leavesOut: ['html', 'headers', 'addresses', 'received', 'references'],
      hasTextOfOthers: true,
    },
    description:
      'The full record: people as names and addresses, headers, text, sanitized HTML, attachments with what their bytes are.',
    permissions: ['mail.messages.read'],
    params: ByMessage,
    answer: Message,
    errors: ['not_found'],
    prepare: ({ principal, params }) => mail.contents.getMessage(principal, params.id),
  });
}

function conversation(): Operation {
  return reads({
    id: 'listThreadMessages',
    area,
    method: 'GET',
    path: '/v1/threads/:id/messages',
    summary: 'List the messages of a conversation',
    description: 'Over all folders, oldest first.',
    permissions: ['mail.messages.read'],
    params: Type.Object({
      id: Type.String({
        description: 'The thread_id of its messages.',
        examples: ['thr_01k0qv5m8qe3rsgm9y3f2c7d4x'],
      }),
    }),
    query: ThreadQuery,
    paging: { default: 50, cap: 200 },
    answer: Type.Array(ListedMessage),
    errors: ['not_found'],
    handle: (tx, { principal, params, query, page }) =>
      pageOfThread(tx, principal, { threadId: params.id, include: query.include ?? [] }, page),
  });
}

function contents(mail: MailService): Operation[] {
  return [
    reads({
      id: 'getRawMessage',
      area,
      method: 'GET',
      path: '/v1/messages/:id/raw',
      summary: 'Get a message as it was received',
      description:
        'Byte for byte. One Range answers 206, one outside 416; If-None-Match answers 304, and If-Range and If-Match are heeded.',
      permissions: ['mail.messages.read'],
      params: ByMessage,
      content: { mediaTypes: ['message/rfc822'] },
      errors: ['not_found', 'state_mismatch', 'range_not_satisfiable'],
      handle: (tx, { principal, params }) => mail.contents.getRaw(tx, principal, params.id),
    }),
    reads({
      id: 'getMessageHtml',
      area,
      method: 'GET',
      path: '/v1/messages/:id/html',
      summary: 'Get a message as a page',
      description:
        'The sanitized HTML with its own pictures in it, or the text, as a page to be shown in a sandboxed frame: its ' +
        'Content-Security-Policy lets nothing run, and loads nothing but the pictures that are asked for.',
      permissions: ['mail.messages.read'],
      params: ByMessage,
      query: LetterQuery,
      content: { mediaTypes: ['text/html'] },
      errors: ['not_found'],
      handle: (tx, { principal, params, query }) =>
        mail.contents.getLetter(tx, principal, params.id, query.images ?? 'none'),
    }),
    reads({
      id: 'getAttachment',
      area,
      method: 'GET',
      path: '/v1/messages/:id/attachments/:attachment_id',
      summary: 'Get an attachment',
      description:
        'The decoded bytes, always as a download, with the mime_type that they were told to have: what a sender declares is not trusted. What is within an attached message has an id of its own. Range, If-Range, If-Match and If-None-Match are heeded as for files.',
      permissions: ['mail.messages.read'],
      params: ByAttachment,
      content: { mediaTypes: [ANY_MEDIA_TYPE] },
      errors: ['not_found', 'state_mismatch', 'range_not_satisfiable'],
      prepare: ({ principal, params }) =>
        mail.contents.getAttachment(principal, params.id, params.attachment_id),
    }),
  ];
}

function saving(mail: MailService): Operation {
  return writes({
    id: 'saveAttachment',
    area,
    method: 'POST',
    path: '/v1/messages/:id/attachments/:attachment_id/save',
    summary: 'Save an attachment to the drive',
    agent: {
      tool: 'save_attachment',
      title: 'Save an attachment as a file',
      hint: 'Puts an attachment of a message into a folder of the drive.',
      hasTextOfOthers: true,
    },
    description:
      'Makes a file of it, without the bytes leaving the server. Files of one attachment share their bytes. It takes files.write as well.',
    permissions: ['mail.messages.read'],
    permit: ({ principal }) => requirePermission(principal, 'files.write'),
    params: ByAttachment,
    body: AttachmentToSave,
    emits: ['file.created'],
    answer: SavedFile,
    status: 201,
    errors: ['not_found', 'folder_trashed', 'file_too_large', 'quota_exceeded'],
    prepare: ({ principal, params }) =>
      mail.contents.decodeAttachment(principal, params.id, params.attachment_id),
    handle: (tx, { principal, body }, attachment) =>
      mail.contents.saveAttachment(tx, principal, attachment, body),
  });
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

/** Mail folders, messages, filters, changes to messages, and sending. */
export function mailOperations(mail: MailService): Operation[] {
  return [
    ...mailFolderOperations(),
    ...messageOperations(mail),
    ...filterOperations(mail),
    ...messageChangeOperations(),
    ...sendingOperations(mail),
    ...draftOperations(mail),
  ];
}
