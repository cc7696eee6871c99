import { type Static, Type } from 'typebox';
import { BLANKS, CONTROLS, lineOfText, NOT_BLANK } from '../../../contract/storable-text.ts';
import { timestamp } from '../../../contract/timestamp.ts';
import { WANTED } from '../../../contract/wanted.ts';
import { FlagName, Label, MessageSummary } from '../schema.ts';

const MAX_VALUE_LENGTH = 1_000;
const MAX_CONDITIONS = 100;
const MAX_ACTIONS = 20;

/** The ops that match. "regex is reserved and refused." */
const MATCHING_OPS = ['contains', 'equals', 'starts_with', 'ends_with'] as const;
export const RESERVED_OP = 'regex';
/** The ops of the field size. */
const SIZE_OPS = ['larger_than', 'smaller_than'] as const;
export const OPS = { text: MATCHING_OPS, size: SIZE_OPS, has_attachment: ['equals'] } as const;

export const Condition = Type.Object(
  {
    field: Type.String({
      // A header name of RFC 5322 3.6.8: visible ASCII without a colon.
      pattern: '^(from|to|cc|subject|body|list|has_attachment|size|header:[!-9;-~]{1,255})$',
      [WANTED]: 'Give from, to, cc, subject, body, list, has_attachment, size or header:<name>',
      description:
        'from, to, cc, subject, body, list (List-Id), has_attachment, size, or header:<name> for a named header, without regard to the case of the name.',
      examples: ['subject', 'header:List-Id'],
    }),
    op: Type.Optional(
      Type.Enum([...MATCHING_OPS, ...SIZE_OPS, RESERVED_OP], {
        description: `Ignores case, as full Unicode case folding after NFKC does. With size larger_than or smaller_than; with has_attachment equals, which may be left out. ${RESERVED_OP} is reserved and refused with unsupported_operator.`,
      }),
    ),
    value: Type.Optional(
      Type.Union(
        [
          Type.String({
            minLength: 1,
            maxLength: MAX_VALUE_LENGTH,
            // TypeBox counts graphemes, which can be of any length.
            pattern: `^[\\s\\S]{1,${MAX_VALUE_LENGTH}}$`,
          }),
          Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
          Type.Boolean(),
        ],
        {
          description: `What to look for: 1 to ${MAX_VALUE_LENGTH} characters. With size bytes, as an integer or its digits; with has_attachment true, which may be left out, or false.`,
          examples: ['minutes'],
        },
      ),
    ),
  },
  { title: 'FilterCondition', additionalProperties: false },
);

const FOLDER_LEVEL = `[^/${CONTROLS}]{1,255}`;
const NO_BLANK_LEVEL = {
  not: {
    type: 'string',
    pattern: `(?:^|/)[${BLANKS}]+(?:/|$)`,
    [WANTED]: 'Give a string that shows something on each level, not only blanks',
  },
} as const;

export const Action = Type.Object(
  {
    type: Type.Enum(['move', 'set_flag', 'mark_read', 'mark_unread', 'add_label', 'discard'], {
      description: 'What is done with a message that matches; discard wins over all others.',
    }),
    folder: Type.Optional(
      Type.String({
        pattern: `^${FOLDER_LEVEL}(/${FOLDER_LEVEL}){0,19}$`,
        [WANTED]:
          'Give 1 to 20 levels of 1 to 255 characters, with "/" between them and no control characters',
        ...NO_BLANK_LEVEL,
        description:
          'With move, and only there: the name of a folder, "/" between levels. At most 20 levels, each of 1 to 255 ' +
          'characters, not only blanks, without control characters. The folder is created if it does not exist.',
        examples: ['Lists/Engines'],
      }),
    ),
    flag: Type.Optional(
      Type.Enum(FlagName.enum, {
        description: 'With set_flag, and only there: the flag that the message gets.',
      }),
    ),
    label: Type.Optional({
      ...Label,
      description:
        'With add_label, and only there: the label that the message gets. 1 to 255 characters, no control characters, no leading backslash.',
    }),
  },
  { title: 'FilterAction', additionalProperties: false },
);

export const Rule = Type.Object(
  {
    match: Type.Optional(
      Type.Enum(['all', 'any'], {
        default: 'all',
        description: 'all: every condition must hold; any: one suffices.',
      }),
    ),
    conditions: Type.Array(Condition, {
      minItems: 1,
      maxItems: MAX_CONDITIONS,
      description: 'What a message has to be like.',
    }),
    actions: Type.Array(Action, {
      minItems: 1,
      maxItems: MAX_ACTIONS,
      description: 'What is done then, in order.',
    }),
  },
  {
    title: 'FilterRule',
    additionalProperties: false,
    description:
      'discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; ' +
      'flag actions and labels accumulate, and where two flag actions contradict, the later one wins.',
  },
);

export type Condition = Static<typeof Condition>;
export type Action = Static<typeof Action>;
export type Rule = Static<typeof Rule>;

const settings = {
  name: lineOfText(1, 255, {
    ...NOT_BLANK,
    description:
      '1 to 255 characters, not only blanks, no control characters: a label for people; not used in matching.',
    examples: ['Mailing lists'],
  }),
  priority: Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Lower numbers run first, equal ones in order of creation.',
    examples: [10],
  }),
  enabled: Type.Boolean({ description: 'Whether the filter runs over mail that arrives.' }),
};

export const MailFilter = Type.Object(
  {
    id: Type.String({ description: 'Names the filter.', examples: ['flt_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    ...settings,
    rule: Rule,
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'MailFilter', additionalProperties: false },
);

export const NewMailFilter = Type.Object(
  { ...settings, enabled: Type.Optional({ ...settings.enabled, default: true }), rule: Rule },
  { additionalProperties: false },
);

export const MailFilterChanges = Type.Object(
  {
    name: Type.Optional(settings.name),
    priority: Type.Optional(settings.priority),
    enabled: Type.Optional(settings.enabled),
    rule: Type.Optional(Rule),
  },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

/** How many messages, newest first, one preview examines, and how many bytes of them it reads. */
export const PREVIEWED_MESSAGES = 10_000;
export const PREVIEWED_BYTES = 64 * 1024 * 1024;
export const SHOWN = { default: 25, cap: 100 };

export const PreviewRequest = Type.Object(
  {
    rule: Rule,
    folder_id: Type.Optional(
      Type.String({
        description: 'Only mail in this folder; of the whole mailbox when absent.',
        examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: SHOWN.default,
        description: `How many of the matching messages to show: 1 to ${SHOWN.cap}, default ${SHOWN.default}; above ${SHOWN.cap} it is ${SHOWN.cap}.`,
        examples: [10],
      }),
    ),
  },
  { additionalProperties: false },
);

export const Preview = Type.Object(
  {
    scanned: Type.Integer({
      description: `How many messages were looked at: the newest ${PREVIEWED_MESSAGES}, or fewer where the recipients, bodies and headers that the rule needs are over ${PREVIEWED_BYTES / 1024 / 1024} MiB together. Fewer than there are means that older ones were not.`,
      examples: [1_204],
    }),
    matched: Type.Integer({ description: 'How many of those match, shown or not.', examples: [17] }),
    messages: Type.Array(MessageSummary, { description: 'The newest that match, newest first.' }),
  },
  { title: 'FilterPreview', additionalProperties: false },
);

export const ApplyRequest = Type.Object(
  {
    folder_id: Type.String({
      description: 'The folder whose mail the filter runs over.',
      examples: ['fld_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
  },
  { additionalProperties: false },
);

export const Applied = Type.Object(
  {
    scanned: Type.Integer({
      description: 'How many messages were looked at: all that the folder held.',
      examples: [1_204],
    }),
    matched: Type.Integer({ description: 'How many of those match.', examples: [17] }),
    changed: Type.Integer({
      description: 'How many of those have another folder, other flags or other labels now.',
      examples: [16],
    }),
  },
  { title: 'AppliedMailFilter', additionalProperties: false },
);

export type PreviewRequest = Static<typeof PreviewRequest>;
export type Applied = Static<typeof Applied>;
export type MailFilter = Static<typeof MailFilter>;
export type NewMailFilter = Static<typeof NewMailFilter>;
export type MailFilterChanges = Static<typeof MailFilterChanges>;
