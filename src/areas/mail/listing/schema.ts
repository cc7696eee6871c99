import { Type } from 'typebox';
import { FlagName, FOLDER_ID, summaryMembers } from '../schema.ts';

/** What summaries of a list have beside the rest where it is asked for. */
export const SUMMARY_PARTS = ['preview', 'recipients'] as const;

/** How many of To and of Cc a summary shows. */
export const MOST_RECIPIENTS_SHOWN = 20;
/** Characters of a preview, as code points. */
export const PREVIEW_LENGTH = 200;

const firstRecipients = (header: string) =>
  Type.Optional(
    Type.Array(Type.String(), {
      description: `Only with include=recipients: the first ${MOST_RECIPIENTS_SHOWN} of ${header}, in the form of from.`,
      examples: [['Ada Lovelace <ada@example.org>']],
    }),
  );

/** A message in a list. */
export const ListedMessage = Type.Object(
  {
    ...summaryMembers,
    preview: Type.Optional(
      Type.String({
        description: `Only with include=preview: how its text begins, on one line, at most ${PREVIEW_LENGTH} characters.`,
        examples: ['See you on Thursday.'],
      }),
    ),
    to: firstRecipients('To'),
    cc: firstRecipients('Cc'),
    more_recipients: Type.Optional(
      Type.Integer({
        description: 'Only with include=recipients: how many of To and Cc the message names beside those.',
        examples: [0],
      }),
    ),
  },
  { title: 'ListedMessage', additionalProperties: false },
);

export const Include = Type.Array(Type.Enum([...SUMMARY_PARTS]), {
  description:
    'What each summary has as well: preview (how its text begins) or recipients (to, cc and more_recipients). Repeated: both.',
  examples: [['preview']],
});

export const ThreadQuery = Type.Object({ include: Type.Optional(Include) }, { additionalProperties: false });

export const LabelCount = Type.Object(
  {
    label: Type.String({ description: 'As messages carry it.', examples: ['todo'] }),
    message_count: Type.Integer({
      description: 'How many messages carry it, in all folders.',
      examples: [12],
    }),
    unread_count: Type.Integer({ description: 'How many of them lack the read flag.', examples: [3] }),
  },
  { title: 'LabelCount', additionalProperties: false },
);

export const MessageFilters = Type.Object(
  {
    folder_id: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only messages in this folder, by its id or its role. Repeated: in any of them.',
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
    before: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'RFC 3339: only messages received before this time.',
        examples: ['2026-04-01T00:00:00Z'],
      }),
    ),
    after: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'RFC 3339: only messages received at this time or later.',
        examples: ['2026-03-01T00:00:00Z'],
      }),
    ),
    thread_id: Type.Optional(
      Type.String({
        description: 'Only messages of this conversation.',
        examples: ['thr_01k0qv5m8qe3rsgm9y3f2c7d4x'],
      }),
    ),
    include: Type.Optional(Include),
  },
  { additionalProperties: false },
);
