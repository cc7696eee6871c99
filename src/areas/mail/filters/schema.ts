import { type Static, Type } from 'typebox';
import { FlagName } from '../schema.ts';

const MAX_VALUE_LENGTH = 1_000;
const MAX_CONDITIONS = 100;
const MAX_ACTIONS = 20;
const DATE = 'RFC 3339, UTC, with milliseconds.';

/** The ops that match. "regex is reserved and refused." */
export const MATCHING_OPS = ['contains', 'equals', 'starts_with', 'ends_with'] as const;
export const RESERVED_OP = 'regex';

export const Condition = Type.Object(
  {
    field: Type.String({
      // A header name of RFC 5322 3.6.8: visible ASCII without a colon.
      pattern: '^(from|to|cc|subject|body|header:[!-9;-~]{1,255})$',
      description:
        'from, to, cc, subject, body, or header:<name> for a named header, without regard to the case of the name.',
      examples: ['subject', 'header:List-Id'],
    }),
    op: Type.Enum([...MATCHING_OPS, RESERVED_OP], {
      description: `Ignores case, as full Unicode case folding after NFKC does. ${RESERVED_OP} is reserved and refused with unsupported_operator.`,
    }),
    value: Type.String({
      minLength: 1,
      maxLength: MAX_VALUE_LENGTH,
      description: `What to look for: 1 to ${MAX_VALUE_LENGTH} characters.`,
      examples: ['minutes'],
    }),
  },
  { additionalProperties: false },
);

const FOLDER_LEVEL = '[^/\\u0000-\\u001f\\u007f]{1,255}';

export const Action = Type.Object(
  {
    type: Type.Enum(['move', 'set_flag', 'mark_read', 'mark_unread', 'discard']),
    folder: Type.Optional(
      Type.String({
        pattern: `^${FOLDER_LEVEL}(/${FOLDER_LEVEL}){0,19}$`,
        description:
          'With move, and only there: the name of a folder, "/" between levels. At most 20 levels, each of 1 to 255 ' +
          'characters without control characters. The folder is created if it does not exist.',
        examples: ['Lists/Engines'],
      }),
    ),
    flag: Type.Optional(
      Type.Enum(FlagName.enum, {
        description: 'With set_flag, and only there: the flag that the message gets.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const Rule = Type.Object(
  {
    match: Type.Optional(
      Type.Enum(['all', 'any'], {
        default: 'all',
        description: 'all: every condition must hold; any: one suffices.',
      }),
    ),
    conditions: Type.Array(Condition, { minItems: 1, maxItems: MAX_CONDITIONS }),
    actions: Type.Array(Action, { minItems: 1, maxItems: MAX_ACTIONS }),
  },
  {
    additionalProperties: false,
    description:
      'discard wins if any matching filter sets it; move takes the folder from the last matching filter that names one; ' +
      'flag actions accumulate, and where two contradict, the later one wins.',
  },
);

export type Condition = Static<typeof Condition>;
export type Action = Static<typeof Action>;
export type Rule = Static<typeof Rule>;

const settings = {
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: '1 to 255 characters, no control characters: a label for people; not used in matching.',
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
    id: Type.String({ examples: ['flt_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    ...settings,
    rule: Rule,
    created_at: Type.String({ description: DATE }),
    updated_at: Type.String({ description: DATE }),
  },
  { additionalProperties: false },
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

export type MailFilter = Static<typeof MailFilter>;
export type NewMailFilter = Static<typeof NewMailFilter>;
export type MailFilterChanges = Static<typeof MailFilterChanges>;
