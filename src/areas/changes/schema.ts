import { type Static, Type } from 'typebox';
import { CHANGE_TYPES, TYPE_NAMES } from '../../contract/change-types.ts';
import { timestamp } from '../../contract/timestamp.ts';

const Actor = Type.Object(
  {
    user_id: Type.String({
      description: 'The user that the key acts as.',
      examples: ['usr_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
    key_id: Type.String({ description: 'The API key.', examples: ['key_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  },
  { additionalProperties: false },
);

export const Change = Type.Object(
  {
    id: Type.String({
      description: 'The same for all who see the change.',
      examples: ['chg_01k0qv5m8qe3rsgm9y3f2c7d4x'],
    }),
    type: Type.Enum(CHANGE_TYPES, {
      title: 'ChangeType',
      description: 'What has happened, to which kind of object.',
      examples: ['message.created'],
    }),
    at: timestamp('When it was written.'),
    actor: Type.Union([Actor, Type.Null()], {
      description: 'Who has written; null where no user has, such as mail that arrives.',
    }),
    ids: Type.Object(
      {},
      {
        description:
          'The objects, by the names that the API uses: message_ids and folder_id, file_id, spreadsheet_id with state and ' +
          'ranges, and so on. Plurals are lists. Never content: read the objects, with the rights of now.',
        examples: [
          { folder_id: 'fld_01k0qv5m8qe3rsgm9y3f2c7d4x', message_ids: ['msg_01k0qv5m8qe3rsgm9y3f2c7d4x'] },
        ],
        additionalProperties: true,
      },
    ),
  },
  { title: 'Change', additionalProperties: false },
);

export type Change = Static<typeof Change>;

export const ChangesPage = Type.Object(
  {
    changes: Type.Array(Change, { description: 'In the order of commits.' }),
    cursor: Type.String({ description: 'Where to read on, with or without changes.', examples: ['x7Jq3w'] }),
    more: Type.Boolean({ description: 'Whether more can be read at once.', examples: [false] }),
  },
  { title: 'ChangesPage', additionalProperties: false },
);

export type ChangesPage = Static<typeof ChangesPage>;

export const ChangesQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({
        description:
          'From an earlier answer. Without one there are no changes, and the cursor of now: take it, list what you mirror, then follow.',
        examples: ['x7Jq3w'],
      }),
    ),
    types: Type.Optional(
      Type.Array(Type.Enum(TYPE_NAMES, { title: 'ChangeTypeName' }), {
        description: 'Only these types, or kinds such as message.*. Repeatable.',
        examples: [['message.*']],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: '1 to 1,000, default 100; above 1,000 it is 1,000.',
        examples: [100],
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Seconds to wait for a change where there is none; above 30 it is 30.',
        examples: [30],
      }),
    ),
  },
  { additionalProperties: false },
);

export type ChangesQuery = Static<typeof ChangesQuery>;
