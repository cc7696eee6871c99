import { type Static, Type } from 'typebox';
import { FlagName, FOLDER_ID, Label, MESSAGE_ID, MessageFlags, summaryMembers } from '../schema.ts';
import { MOST_LABEL_CHARACTERS, MOST_LABELS } from './flags.ts';

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

const batchFlags = (what: string) =>
  Type.Optional(Type.Array(FlagName, { description: `System flags that the messages ${what}.` }));
const batchLabels = (what: string) =>
  Type.Optional(
    Type.Array(Label, {
      maxItems: MOST_LABELS,
      description: `User-defined labels that the messages ${what}, at most ${MOST_LABELS}.`,
    }),
  );

export const MessageBatch = Type.Object(
  {
    message_ids: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 1_000,
      description: '1 to 1,000 ids of messages in any folders; one given twice counts once.',
      examples: [[MESSAGE_ID]],
    }),
    add_flags: batchFlags('get'),
    remove_flags: batchFlags('lose'),
    add_labels: batchLabels('get'),
    remove_labels: batchLabels('lose'),
    move_to: Type.Optional(
      Type.String({
        description: 'The folder that the messages go to, or its role.',
        examples: ['archive'],
      }),
    ),
  },
  { additionalProperties: false },
);

export const BatchedMessage = Type.Object(
  {
    id: summaryMembers.id,
    folder_id: summaryMembers.folder_id,
    flags: MessageFlags,
    labels: summaryMembers.labels,
  },
  {
    title: 'BatchedMessage',
    additionalProperties: false,
    description: 'Folder, flags and labels after the change.',
  },
);

export const Move = Type.Object(
  {
    message_ids: MessageIds,
    to_folder_id: Type.String({
      description: 'Where the messages go: an id or a role.',
      examples: [FOLDER_ID],
    }),
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

export type MessageBatch = Static<typeof MessageBatch>;
export type Move = Static<typeof Move>;
export type MoveResult = Static<typeof MoveResult>;
export type ExpungeResult = Static<typeof ExpungeResult>;
