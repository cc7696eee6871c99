import { type Static, Type } from 'typebox';
import { ALL_PERMISSIONS } from '../../contract/permissions.ts';
import { lineOfText, NOT_BLANK } from '../../contract/storable-text.ts';
import { timestamp } from '../../contract/timestamp.ts';
import { PRESET_NAMES } from './presets.ts';

const USER_ID = 'usr_01k0qv5m8qe3rsgm9y3f2c7d4x';

const Name = lineOfText(1, 255, {
  ...NOT_BLANK,
  description: '1 to 255 characters, not only blanks, no control characters: what the key is for.',
  examples: ['Nightly export'],
});

const Permissions = Type.Array(Type.Enum(ALL_PERMISSIONS), {
  minItems: 1,
  maxItems: ALL_PERMISSIONS.length,
  uniqueItems: true,
  description: 'What the key may do, each permission once.',
  examples: [['mail.messages.read', 'contacts.read']],
});

const ExpiresAt = Type.String({
  format: 'date-time',
  description:
    'RFC 3339: when the key stops. Without it, it works until it is revoked. A key made by a key ends no later than that.',
  examples: ['2030-01-31T23:59:59.000Z'],
});

const members = {
  id: Type.String({ description: 'Revokes the key.', examples: ['key_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  name: Name,
  user_id: Type.String({ description: 'The user that the key acts as.', examples: [USER_ID] }),
  permissions: Permissions,
  created_at: timestamp('When it was made.'),
  expires_at: Type.Optional(ExpiresAt),
  made_by: Type.Optional(
    Type.String({
      description:
        'The key that made it, revoked or not. Absent where the command line or the first start made it, and of keys ' +
        'that are older than this member.',
      examples: ['key_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
  ),
  kind: Type.Optional(
    Type.Enum(['session'], {
      description: 'session where a browser that has signed in acts with it; absent of every other key.',
      examples: ['session'],
    }),
  ),
};

export const ApiKey = Type.Object(members, { title: 'ApiKey', additionalProperties: false });

export const OwnApiKey = Type.Object(
  {
    id: members.id,
    name: members.name,
    user_id: members.user_id,
    permissions: members.permissions,
    expires_at: Type.Union([ExpiresAt, Type.Null()], {
      description: 'When the key stops; null where it works until it is revoked.',
      examples: ['2030-01-31T23:59:59.000Z'],
    }),
  },
  { title: 'OwnApiKey', additionalProperties: false },
);

export const CreatedApiKey = Type.Object(
  {
    ...members,
    key: Type.String({
      description:
        'The key itself, shown only here: "atr_" and 40 base-62 characters, of which the last six are the CRC-32 of ' +
        'the 34 before them.',
      examples: ['atr_Zk3tq0oV0z5n1mXo7l2c9AbCdEfGhIjKlM4DjQYD'],
    }),
  },
  { title: 'CreatedApiKey', additionalProperties: false },
);

const given = {
  name: Name,
  expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'RFC 3339: when the key stops. When absent, it stops with the calling key; a later time than that of the ' +
        'calling key is refused. Where that does not end either, the new key works until it is revoked.',
      examples: ['2030-01-31T23:59:59.000Z'],
    }),
  ),
  user_id: Type.Optional(
    Type.String({
      description: 'The user that the key acts as; the caller when absent.',
      examples: [USER_ID],
    }),
  ),
};

/** A key as the command line and the first start make it. */
export const GivenKey = Type.Object({ ...given, permissions: Permissions }, { additionalProperties: false });

export const NewApiKey = Type.Object(
  {
    ...given,
    permissions: Type.Optional(Permissions),
    preset: Type.Optional(
      Type.Enum(PRESET_NAMES, {
        description:
          'Instead of permissions: those of a set that the calling key has. agent: all but mail.messages.send, ' +
          'files.share, keys.write, directory.write and webhooks.write; mail: all of mail; drive: all of files, ' +
          'documents and spreadsheets; read-only: all that reads.',
        examples: ['agent'],
      }),
    ),
  },
  { additionalProperties: false },
);

export const ApiKeyFilters = Type.Object(
  {
    user_id: Type.Optional(
      Type.String({ description: 'The keys of this user; of the caller when absent.', examples: [USER_ID] }),
    ),
  },
  { additionalProperties: false },
);

export const Revocation = Type.Object(
  {
    made_by: Type.Optional(
      Type.Boolean({
        description:
          'true revokes with the key all that it has made, that those have made, and so on, of other users too: all or ' +
          'none. Default false: what it has made goes on.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type ApiKey = Static<typeof ApiKey>;
export type OwnApiKey = Static<typeof OwnApiKey>;
export type CreatedApiKey = Static<typeof CreatedApiKey>;
export type GivenKey = Static<typeof GivenKey>;
export type NewApiKey = Static<typeof NewApiKey>;
