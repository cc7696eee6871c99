import { type Static, Type } from 'typebox';
import { CONTROLS, lineOfText, NOT_BLANK } from '../../contract/storable-text.ts';
import { timestamp } from '../../contract/timestamp.ts';
import { WANTED } from '../../contract/wanted.ts';
import { MAX_NESTED_MESSAGES } from '../../formats/messages/attachment-parts.ts';
import { FileRecord, FileTitle } from '../drive/service.ts';
import { FLAGS, MOST_LABELS } from './changes/flags.ts';

/** "Each mailbox starts with folders whose role is inbox, drafts, sent, archive, junk, trash." */
export const FOLDER_ROLES = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'] as const;

export type FolderRole = (typeof FOLDER_ROLES)[number];

/** Whether a text is a role, which is taken wherever the id of a folder is. */
export function isRole(text: string): text is FolderRole {
  return (FOLDER_ROLES as readonly string[]).includes(text);
}

export const MESSAGE_ID = 'msg_01k0qv5m8qe3rsgm9y3f2c7d4x';
export const FOLDER_ID = 'fld_01k0qv5m8qe3rsgm9y3f2c7d4x';
const HEADER_ID = '<20260302090000.1843@example.org>';

export const FlagName = Type.Enum([...FLAGS], { description: `One of ${FLAGS.join(', ')}.` });

export const Label = lineOfText(1, 255, {
  pattern: `^[^\\\\${CONTROLS}][^${CONTROLS}]{0,254}$`,
  [WANTED]: 'Give a string without control characters that begins with no backslash',
  description: '1 to 255 characters, no control characters, no leading backslash.',
  examples: ['todo'],
});

export const MessageFlags = Type.Object(
  {
    read: Type.Boolean({ description: 'The Seen flag. False means unread.' }),
    starred: Type.Boolean({ description: 'One star, not a colour.' }),
    answered: Type.Boolean({
      description: 'Set automatically when the message is replied to through this API.',
    }),
    draft: Type.Boolean({ description: 'Draft message.' }),
    deleted: Type.Boolean({ description: 'Marked for removal but present until the folder is expunged.' }),
  },
  { description: 'What is true of the message.', title: 'MessageFlags', additionalProperties: false },
);

export const summaryMembers = {
  id: Type.String({ description: 'Use wherever an endpoint takes a message id.', examples: [MESSAGE_ID] }),
  folder_id: Type.String({ description: 'The folder that holds the message now.', examples: [FOLDER_ID] }),
  thread_id: Type.Optional(
    Type.String({
      description: 'Groups a conversation. Absent on mail that predates threading.',
      examples: ['thr_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
  ),
  subject: Type.String({ description: 'Decoded; "" when there is none.', examples: ['Minutes of Tuesday'] }),
  from: Type.String({
    description:
      'The sender as written on the message, in the form Name <address>. A name that needs it is quoted, as RFC 5322 does.',
    examples: ['Ada Lovelace <ada@example.org>'],
  }),
  date: timestamp('When the server received the message.'),
  size: Type.Integer({
    description: 'Bytes of the whole message, including attachments.',
    examples: [18_304],
  }),
  flags: MessageFlags,
  labels: Type.Array(Type.String(), {
    description: 'User-defined labels, in the order in which they were added.',
    examples: [['todo']],
  }),
  message_id: Type.String({
    description: 'The RFC 5322 Message-Id header; "" when there is none.',
    examples: [HEADER_ID],
  }),
  sent_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description:
      'When it was sent, by its Date header, which its sender wrote; null when there is none that can be read.',
    examples: ['2026-03-02T09:00:00.000Z'],
  }),
  has_attachments: Type.Boolean({ description: 'Whether the full record lists attachments.' }),
};

export const MessageSummary = Type.Object(summaryMembers, {
  title: 'MessageSummary',
  additionalProperties: false,
});

const AddressList = Type.Array(Type.String(), {
  description: 'Each in the form Name <address>; a name that needs it is quoted.',
  examples: [['Ada Lovelace <ada@example.org>']],
});

const attachmentMembers = {
  id: Type.String({
    description: 'Goes in the path that fetches the bytes.',
    examples: ['att_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
  filename: Type.String({
    description: 'As the sender named it, without a path; made up where it has no name.',
    examples: ['minutes.pdf'],
  }),
  mime_type: Type.String({ description: 'Told from its bytes.', examples: ['application/pdf'] }),
  declared_type: Type.String({
    description: 'As the sender declared it, which may be wrong.',
    examples: ['application/pdf'],
  }),
  size: Type.Integer({ description: 'Bytes, decoded.', examples: [12_288] }),
};

/** Declared to one level: a recursive schema would be a type without end in the client. */
const NestedAttachment = Type.Object(
  {
    ...attachmentMembers,
    attachments: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'Of a message within: what is attached to it, of the same form.',
        examples: [[]],
      }),
    ),
  },
  { title: 'NestedAttachment', additionalProperties: false },
);

export const Attachment = Type.Object(
  {
    ...attachmentMembers,
    attachments: Type.Optional(
      Type.Array(NestedAttachment, {
        description: `Of an attached message: what is attached to it, each with an id of its own; to a depth of ${MAX_NESTED_MESSAGES}.`,
      }),
    ),
  },
  { title: 'Attachment', additionalProperties: false },
);

const Mailbox = Type.Object(
  {
    name: Type.String({ description: '"" when there is none.', examples: ['Ada Lovelace'] }),
    address: Type.String({
      description: 'As written; "" when the header has only a name.',
      examples: ['ada@example.org'],
    }),
  },
  { title: 'Mailbox', additionalProperties: false },
);

const mailboxes = (header: string) => Type.Array(Mailbox, { description: `Of the header ${header}.` });

const Addresses = Type.Object(
  {
    from: mailboxes('From'),
    sender: mailboxes('Sender'),
    to: mailboxes('To'),
    cc: mailboxes('Cc'),
    bcc: mailboxes('Bcc; for mail that was sent here, its blind recipients'),
    reply_to: mailboxes('Reply-To'),
  },
  {
    title: 'MessageAddresses',
    additionalProperties: false,
    description: 'The people of the message, names and addresses apart: nothing has to be parsed.',
  },
);

export const AppliedFilter = Type.Object(
  {
    filter_id: Type.String({ description: 'The filter.', examples: ['flt_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    name: Type.String({
      description: 'The name that the filter had when the message arrived.',
      examples: ['Lists'],
    }),
    actions: Type.Array(
      Type.Object(
        {
          type: Type.String({ description: 'As in the rule.', examples: ['move'] }),
          folder: Type.Optional(Type.String({ description: 'Of move.', examples: ['Lists/Engines'] })),
          flag: Type.Optional(Type.String({ description: 'Of set_flag.', examples: ['starred'] })),
          label: Type.Optional(Type.String({ description: 'Of add_label.', examples: ['invoices'] })),
        },
        { additionalProperties: false },
      ),
      { description: 'What the filter did, in order; what a later filter did may have undone it.' },
    ),
  },
  { title: 'AppliedFilter', additionalProperties: false },
);

export const Message = Type.Object(
  {
    ...summaryMembers,
    to: AddressList,
    cc: AddressList,
    bcc: AddressList,
    reply_to: AddressList,
    addresses: Addresses,
    headers: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'As the message has it.', examples: ['List-Id'] }),
          value: Type.String({ description: 'Decoded, on one line.', examples: ['<engines.example.org>'] }),
        },
        { title: 'MessageHeader', additionalProperties: false },
      ),
      { description: 'The header fields in order, at most 200.' },
    ),
    received: Type.Optional(
      Type.Object(
        {
          envelope_from: Type.String({
            description: 'The address of MAIL FROM; "" for a bounce.',
            examples: ['ada@example.org'],
          }),
          remote: Type.String({
            description: 'The IP address of the client that sent it.',
            examples: ['203.0.113.7'],
          }),
        },
        {
          title: 'ReceivedBySmtp',
          additionalProperties: false,
          description:
            'How mail came by SMTP; absent for other mail, and for mail that came before this was noted.',
        },
      ),
    ),
    in_reply_to: Type.String({
      description: 'The Message-Id that this message answers; "" when there is none.',
      examples: [HEADER_ID],
    }),
    references: Type.Array(Type.String(), {
      description: 'The Message-Ids of the References header.',
      examples: [[HEADER_ID]],
    }),
    text: Type.String({
      description: 'The text as people read it; made from the HTML where there is no plain text.',
      examples: ['See you on Thursday.'],
    }),
    html: Type.String({
      description: 'Sanitized: safe to show. "" when there is none.',
      examples: ['<p>See you on Thursday.</p>'],
    }),
    attachments: Type.Array(Attachment, { description: 'Files that came with it, in order.' }),
    applied_filters: Type.Array(AppliedFilter, {
      description: 'The filters that acted when the message arrived, in the order in which they ran.',
    }),
    truncated: Type.Optional(
      Type.Boolean({
        description:
          'True when subject, sender, text, html or a list was too long to show whole; the raw message has all.',
      }),
    ),
  },
  { description: 'The full record of a message.', title: 'Message', additionalProperties: false },
);

export const MailFolder = Type.Object(
  {
    id: Type.String({ description: 'Names the folder.', examples: [FOLDER_ID] }),
    name: Type.String({ description: 'Once in each parent.', examples: ['Inbox'] }),
    parent_id: Type.String({
      description: 'The folder that it is in; "" at the root.',
      examples: [FOLDER_ID],
    }),
    role: Type.Union([Type.Enum([...FOLDER_ROLES]), Type.Null()], {
      description: 'What the folder is for, where each mailbox has one; null for folders of the user.',
    }),
    message_count: Type.Integer({ description: 'How many messages it holds.', examples: [1_204] }),
    unread_count: Type.Integer({ description: 'How many of them lack the read flag.', examples: [7] }),
    created_at: timestamp('When it was made.'),
  },
  { title: 'MailFolder', additionalProperties: false },
);

export const LetterQuery = Type.Object(
  {
    images: Type.Optional(
      Type.Enum(['none', 'remote'], {
        description:
          'remote lets the page load pictures from the servers of others, which tells them that the message is read. ' +
          'Default none.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const NewMessageQuery = Type.Object(
  {
    flag: Type.Optional(
      Type.Array(FlagName, { description: 'Flags that the message gets.', examples: [['read']] }),
    ),
    label: Type.Optional(
      Type.Array(Label, {
        maxItems: MOST_LABELS,
        description: `Labels that the message gets, at most ${MOST_LABELS}.`,
        examples: [['todo']],
      }),
    ),
  },
  { additionalProperties: false },
);

export const FolderName = lineOfText(1, 255, {
  pattern: `^[^/${CONTROLS}]{1,255}$`,
  [WANTED]: 'Give a string without "/" and control characters',
  ...NOT_BLANK,
  description: '1 to 255 characters, not only blanks, no "/" and no control characters; once in each parent.',
  examples: ['Receipts'],
});

const ParentId = Type.String({
  description: 'The folder that it is in, by its id or its role; "" for the root.',
  examples: [FOLDER_ID],
});

export const NewFolder = Type.Object(
  { name: FolderName, parent_id: Type.Optional(ParentId) },
  { additionalProperties: false },
);

export const FolderChanges = Type.Object(
  { name: Type.Optional(FolderName), parent_id: Type.Optional(ParentId) },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

/** The file that an attachment becomes; the reference of each area names its types itself. */
export const SavedFile = Type.Object(FileRecord.properties, {
  title: 'SavedFile',
  additionalProperties: false,
});

export const AttachmentToSave = Type.Object(
  {
    folder_id: Type.Optional(
      Type.String({
        description: 'The folder of the drive that the file goes to; the root when absent or "".',
        examples: ['dir_01k0qv5m8qe3rsgm9y3f2c7d4x'],
      }),
    ),
    title: Type.Optional({
      ...FileTitle,
      description:
        'The name that the file is shown under; the filename of the attachment when absent. 1 to 255 characters, not only blanks; no "/", "\\" or control characters.',
    }),
  },
  { additionalProperties: false },
);

export type NewFolder = Static<typeof NewFolder>;
export type FolderChanges = Static<typeof FolderChanges>;
export type AttachmentToSave = Static<typeof AttachmentToSave>;
