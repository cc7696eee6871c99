import { type Static, Type } from 'typebox';
import { CONTROLS, lineOfText, NOT_BLANK } from '../../contract/storable-text.ts';
import { timestamp } from '../../contract/timestamp.ts';
import { WANTED } from '../../contract/wanted.ts';
import { FLAGS } from './changes/flags.ts';
import { MOST_LABEL_CHARACTERS, MOST_LABELS } from './changes/flags-and-labels-change.ts';
import { FOLDER_ROLES } from './folders/roles.ts';

const MESSAGE_ID = 'msg_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FOLDER_ID = 'fld_01k0qv5m8qe3rsgm9y3f2c7d4x';
const HEADER_ID = '<20260302090000.1843@example.org>';

export const FlagName = Type.Enum([...FLAGS], { description: `One of ${FLAGS.join(', ')}.` });

export const Label = lineOfText(1, 255, {
  pattern: `^[^\\\\${CONTROLS}][^${CONTROLS}]{0,254}$`,
  [WANTED]: 'Must hold no control characters and begin with no backslash',
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

const summaryMembers = {
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
    description: 'The sender as written on the message, in the form Name <address>.',
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
};

export const MessageSummary = Type.Object(summaryMembers, {
  title: 'MessageSummary',
  additionalProperties: false,
});

const AddressList = Type.Array(Type.String(), {
  description: 'Each in the form Name <address>.',
  examples: [['Ada Lovelace <ada@example.org>']],
});

export const Attachment = Type.Object(
  {
    id: Type.String({ description: 'Goes in the path that fetches the bytes.', examples: ['1'] }),
    filename: Type.String({
      description: 'As the sender named it, without a path; made up where it has no name.',
      examples: ['minutes.pdf'],
    }),
    mime_type: Type.String({ description: 'As the sender declared it.', examples: ['application/pdf'] }),
    size: Type.Integer({ description: 'Bytes, decoded.', examples: [12_288] }),
  },
  { title: 'Attachment', additionalProperties: false },
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
  { title: 'Message', additionalProperties: false },
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

export const MessageFilters = Type.Object(
  {
    folder_id: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only messages in this folder. Repeated: in any of them.',
        examples: [[FOLDER_ID]],
      }),
    ),
    flag: Type.Optional(
      Type.Array(FlagName, {
        description: 'Only messages carrying this flag. Repeated: all of them.',
        examples: [['starred']],
      }),
    ),
    label: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only messages carrying this label. Repeated: all of them.',
        examples: [['todo']],
      }),
    ),
    unread: Type.Optional(Type.Boolean({ description: 'When true, only messages without the read flag.' })),
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
  [WANTED]: 'Must hold no "/" and no control characters',
  ...NOT_BLANK,
  description: '1 to 255 characters, not only blanks, no "/" and no control characters; once in each parent.',
  examples: ['Receipts'],
});

const ParentId = Type.String({
  description: 'The folder that it is in; "" for the root.',
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

const MessageIds = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 1_000,
  description:
    '1 to 1,000 ids; one given twice counts once. All must be in the folder of the path, or nothing is changed.',
  examples: [[MESSAGE_ID]],
});

export const FlagsAndLabelsChanges = Type.Object(
  {
    message_ids: MessageIds,
    op: Type.Enum(['add', 'remove', 'set'], {
      description:
        'add and remove adjust what is present; set replaces: every flag and label that is not listed is removed.',
    }),
    flags: Type.Optional(
      Type.Array(FlagName, {
        description: 'System flags to change. Absent: none are added or removed; with set, all are removed.',
      }),
    ),
    labels: Type.Optional(
      Type.Array(Label, {
        maxItems: MOST_LABELS,
        description: `User-defined labels to change, as for flags. A message carries at most ${MOST_LABELS}, of ${MOST_LABEL_CHARACTERS} characters as JSON together.`,
      }),
    ),
  },
  { additionalProperties: false },
);

export const MarkedMessage = Type.Object(
  {
    id: summaryMembers.id,
    flags: MessageFlags,
    labels: summaryMembers.labels,
  },
  {
    title: 'MarkedMessage',
    additionalProperties: false,
    description: 'Flags and labels after the change, not the ones sent.',
  },
);

export const Move = Type.Object(
  {
    message_ids: MessageIds,
    to_folder_id: Type.String({ description: 'Where the messages go.', examples: [FOLDER_ID] }),
  },
  { additionalProperties: false },
);

export const MoveResult = Type.Object(
  {
    moved: Type.Integer({ description: 'How many messages changed their folder.', examples: [2] }),
    to_folder_id: Type.String({ description: 'Where they are now.', examples: [FOLDER_ID] }),
  },
  { title: 'MoveResult', additionalProperties: false },
);

export const ExpungeResult = Type.Object(
  { expunged: Type.Integer({ description: 'How many messages left the folder.', examples: [2] }) },
  { title: 'ExpungeResult', additionalProperties: false },
);

export type NewFolder = Static<typeof NewFolder>;
export type FolderChanges = Static<typeof FolderChanges>;
export type Move = Static<typeof Move>;
export type MoveResult = Static<typeof MoveResult>;
export type ExpungeResult = Static<typeof ExpungeResult>;
