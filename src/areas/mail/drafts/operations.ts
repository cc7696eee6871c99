import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import { IfMatch } from '../../../contract/preconditions.ts';
import { type Principal, requirePermission } from '../../../contract/principal.ts';
import { MessageSummary } from '../schema.ts';
import { namedProblems } from '../sending/recipients.ts';
import type { MailService } from '../service.ts';
import {
  composeAgain,
  composeNew,
  createDraft,
  deleteDraftMessage,
  readDraft,
  replaceDraft,
} from './drafts.ts';
import { Draft, DraftFields } from './schema.ts';
import { prepareDraft, sendDraft } from './send-draft.ts';

const area = 'Mail';

const ByDraft = Type.Object({
  id: Type.String({ description: 'The draft.', examples: ['drf_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const headers = Type.Object({ 'If-Match': Type.Optional(IfMatch) });

/** As for sending: what a draft holds is read from the drive and from the answered message when it is kept. */
function checkFields({ principal, body }: { principal: Principal; body: Partial<DraftFields> }) {
  if (body.file_ids !== undefined) requirePermission(principal, 'files.read');
  if (body.reply_to_message_id !== undefined) requirePermission(principal, 'mail.messages.read');
  return namedProblems(body);
}

/** Drafts: messages that are not sent yet. */
export function draftOperations(mail: MailService): Operation[] {
  return [...keeping(mail), ...reading(mail), deletion(), sending(mail)];
}

function keeping(mail: MailService): Operation[] {
  return [
    writes({
      id: 'createDraft',
      area,
      method: 'POST',
      path: '/v1/drafts',
      summary: 'Keep a draft',
      agent: {
        tool: 'save_draft',
        title: 'Save a draft',
        hint: 'Without id, a new draft.',
        hasTextOfOthers: true,
      },
      description:
        'Takes what sending takes, and requires none of it. The message is kept in the folder with the role drafts, with the flags draft and read; files are attached, and headers that answer a message set, as they are now. Attaching files takes files.read as well, and answering a message mail.messages.read.',
      permissions: ['mail.messages.write'],
      body: DraftFields,
      emits: ['message.created'],
      answer: Draft,
      status: 201,
      errors: ['not_found', 'forbidden'],
      check: checkFields,
      prepare: ({ principal, body }) => composeNew(mail.dependencies, principal, body),
      handle: (tx, { principal, body }, composed) => createDraft(tx, principal, body, composed),
    }),
    writes({
      id: 'replaceDraft',
      area,
      method: 'PUT',
      path: '/v1/drafts/:id',
      summary: 'Replace a draft',
      agent: {
        tool: 'save_draft',
        title: 'Save a draft',
        hint: 'With id, replaces the whole draft.',
        isDestructive: true,
        hasTextOfOthers: true,
      },
      description:
        'Replaces all of it: what is not named is dropped. The draft and its message keep their ids, and the message its folder, flags, labels, date and Message-Id. With If-Match, only that state is replaced: of several windows that save at once one succeeds. Files are attached as they are now.',
      permissions: ['mail.messages.write'],
      params: ByDraft,
      headers,
      body: DraftFields,
      emits: ['message.changed'],
      answer: Draft,
      errors: ['not_found', 'forbidden', 'state_mismatch', 'draft_sending'],
      check: checkFields,
      prepare: ({ principal, params, headers: sent, body }) =>
        composeAgain(mail.dependencies, principal, params.id, { headers: sent, given: body }),
      handle: (tx, { principal, params, headers: sent, body }, composed) =>
        replaceDraft(tx, principal, params.id, { headers: sent, given: body, composed }),
    }),
  ];
}

function reading(mail: MailService): Operation[] {
  return [
    reads({
      id: 'getDraft',
      area,
      method: 'GET',
      path: '/v1/drafts/:id',
      summary: 'Get a draft',
      description:
        'content is what was given last, so that an editor can go on; message is the full record. The state is the ETag, too: If-None-Match answers 304 while it is the same. The id is drf_ and what follows msg_ in the id of a message that was kept as a draft.',
      permissions: ['mail.messages.read'],
      params: ByDraft,
      answer: Draft,
      tagged: true,
      errors: ['not_found', 'state_mismatch'],
      prepare: ({ principal, params, headers: sent }) =>
        readDraft(mail.dependencies, principal, params.id, sent),
    }),
  ];
}

function deletion(): Operation {
  return writes({
    id: 'deleteDraft',
    area,
    method: 'DELETE',
    path: '/v1/drafts/:id',
    summary: 'Delete a draft',
    agent: { tool: 'trash_item', title: 'Move to the trash', isDestructive: true, ids: ['drf'] },
    description:
      'Its message is expunged at once, whatever its flags. Restoring the message brings the draft back.',
    permissions: ['mail.messages.write'],
    params: ByDraft,
    headers,
    emits: ['message.expunged'],
    status: 204,
    errors: ['not_found', 'state_mismatch', 'draft_sending'],
    handle: (tx, { principal, params, headers: sent }) => deleteDraftMessage(tx, principal, params.id, sent),
  });
}

function sending(mail: MailService): Operation {
  return writes({
    id: 'sendDraft',
    area,
    method: 'POST',
    path: '/v1/drafts/:id/send',
    summary: 'Send a draft',
    agent: {
      tool: 'send_message',
      title: 'Send a message',
      hint: 'With id, sends that draft.',
      isDestructive: true,
      isOpen: true,
      hasTextOfOthers: true,
    },
    description:
      'Sends what was kept, as POST /v1/messages does, under a new date, and removes the draft, in one transaction. Answers the summary of the copy in Sent. The attachments are those of the draft, even where a file has changed or gone since; a reply stays one, even where the answered message has gone. A draft that is refused stays as it is. While it is being sent, other requests that write it are refused with draft_sending.',
    permissions: ['mail.messages.send'],
    params: ByDraft,
    headers,
    emits: ['message.created', 'message.changed', 'message.expunged', 'folder.created'],
    answer: MessageSummary,
    errors: [
      'not_found',
      'state_mismatch',
      'draft_sending',
      'no_recipients',
      'unknown_recipient',
      'no_relay',
    ],
    prepare: ({ principal, params, headers: sent }) =>
      prepareDraft(mail.dependencies, principal, { draftId: params.id, headers: sent }),
    handle: (tx, { principal, params, headers: sent }, prepared) =>
      sendDraft(
        tx,
        principal,
        { draftId: params.id, headers: sent },
        { dependencies: mail.dependencies, sending: mail.sending, prepared },
      ),
  });
}
