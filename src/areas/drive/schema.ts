import { type Static, Type } from 'typebox';
import { CONTROLS, lineOfText, NOT_BLANK } from '../../contract/storable-text.ts';
import { timestamp } from '../../contract/timestamp.ts';
import { WANTED } from '../../contract/wanted.ts';

const USER_ID = 'usr_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FILE_ID = 'file_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FOLDER_ID = 'dir_01k0qv5m8qe3rsgm9y3f2c7d4x';

/** "1–255 characters, no "/" , "\" or control characters": filenames, titles and names of folders. */
const nameOf = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 255,
    // The pattern limits the length too: TypeBox counts grapheme clusters, each of which may have any length.
    pattern: `^[^/\\\\${CONTROLS}]{1,255}$`,
    ...NOT_BLANK,
    [WANTED]: 'Must hold no "/", no "\\" and no control characters',
    description: '1 to 255 characters, not only blanks; no "/", "\\" or control characters.',
    examples: [example],
  });

export const FileName = nameOf('Minutes of Tuesday.pdf');
const Title = nameOf('Minutes');
const FolderName = nameOf('Reports');

const ParentFolder = Type.String({
  description: 'A folder of the owner; "" is the root.',
  examples: [FOLDER_ID],
});

export const File = Type.Object(
  {
    id: Type.String({ description: 'Names the file.', examples: [FILE_ID] }),
    type: Type.Literal('file', { description: 'Always file.' }),
    title: Type.String({
      description: 'The name that is shown; it starts as the filename.',
      examples: ['Minutes'],
    }),
    filename: Type.String({
      description: 'The name that it was uploaded under.',
      examples: ['Minutes of Tuesday.pdf'],
    }),
    mime_type: Type.String({
      description: 'Determined from the stored bytes.',
      examples: ['application/pdf'],
    }),
    size_bytes: Type.Integer({ description: 'Bytes of the content.', examples: [184_320] }),
    state: Type.Enum(['active', 'trashed'], {
      description: 'What is in a folder of the trash is trashed as well.',
    }),
    owner_id: Type.String({ description: 'The user whose it is.', examples: [USER_ID] }),
    folder_id: Type.String({ description: '"" in the root.', examples: [FOLDER_ID] }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'FileRecord', additionalProperties: false },
);

export const FileChanges = Type.Object(
  { title: Type.Optional(Title), folder_id: Type.Optional(ParentFolder) },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

const trashed = (what: string) =>
  Type.Optional(Type.Boolean({ description: `When true, the caller's own ${what} in the trash instead.` }));

export const FileFilters = Type.Object(
  {
    folder_id: Type.Optional(
      Type.String({
        description: 'Only files in this folder; "" for those in the root.',
        examples: [FOLDER_ID],
      }),
    ),
    q: Type.Optional(
      lineOfText(0, 255, {
        description: 'Only files whose title contains this, without regard to case.',
        examples: ['minutes'],
      }),
    ),
    trashed: trashed('files'),
  },
  { additionalProperties: false },
);

export const FileFolder = Type.Object(
  {
    id: Type.String({ description: 'Names the folder.', examples: [FOLDER_ID] }),
    name: FolderName,
    parent_id: Type.String({
      description: 'The folder that it is in; "" at the root.',
      examples: [FOLDER_ID],
    }),
    owner_id: Type.String({ description: 'The user whose it is.', examples: [USER_ID] }),
    trashed: Type.Boolean({
      description: 'Whether it is in the trash, itself or with a folder that it is in.',
    }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'FileFolder', additionalProperties: false },
);

export const NewFileFolder = Type.Object(
  { name: FolderName, parent_id: Type.Optional(ParentFolder) },
  { additionalProperties: false },
);

export const FileFolderChanges = Type.Object(
  { name: Type.Optional(FolderName), parent_id: Type.Optional(ParentFolder) },
  { additionalProperties: false, minProperties: 1, description: 'The fields to replace, at least one.' },
);

export const FileFolderFilters = Type.Object(
  { trashed: trashed('folders') },
  { additionalProperties: false },
);

const PrincipalType = Type.Enum(['user', 'group'], { description: 'What principal_id names.' });

const Role = Type.Enum(['viewer', 'commenter', 'editor', 'manager'], {
  description:
    'viewer reads, commenter comments too, editor also changes, renames and trashes, manager shares as well.',
});

export const PermissionGrant = Type.Object(
  {
    id: Type.String({ description: 'Revokes the grant.', examples: ['perm_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    principal_type: PrincipalType,
    principal_id: Type.String({ description: 'The id of the user or the group.', examples: [USER_ID] }),
    role: Role,
    created_by: Type.String({ description: 'Who shared it first.', examples: [USER_ID] }),
    created_at: timestamp('When it was made.'),
  },
  { title: 'PermissionGrant', additionalProperties: false },
);

export const NewPermissionGrant = Type.Object(
  {
    principal_id: Type.String({
      description: 'The id of a user, or of a group when principal_type is group.',
      examples: [USER_ID],
    }),
    role: Role,
    principal_type: Type.Optional(
      Type.Enum(['user', 'group'], { description: 'What principal_id names; user when absent.' }),
    ),
  },
  { additionalProperties: false },
);

export const Access = Type.Object(
  {
    user_id: Type.String({ description: 'Who reaches it.', examples: [USER_ID] }),
    role: Type.Enum(['viewer', 'commenter', 'editor', 'manager', 'owner'], {
      description: 'The highest that the user has. The owner may do everything.',
    }),
    source: Type.Enum(['ownership', 'grant'], { description: 'What gives the role.' }),
    permission_id: Type.Optional(
      Type.String({
        description: 'The grant that gives the role.',
        examples: ['perm_01k0qv5m8qe3rsgm9y3f2c7d4x'],
      }),
    ),
    principal_type: Type.Optional(PrincipalType),
    principal_id: Type.Optional(
      Type.String({
        description: 'Whom the grant names: the user, or a group that the user is in.',
        examples: [USER_ID],
      }),
    ),
  },
  { title: 'FileAccess', additionalProperties: false },
);

export type FileChanges = Static<typeof FileChanges>;
export type FileFolder = Static<typeof FileFolder>;
export type NewFileFolder = Static<typeof NewFileFolder>;
export type FileFolderChanges = Static<typeof FileFolderChanges>;
export type PermissionGrant = Static<typeof PermissionGrant>;
export type NewPermissionGrant = Static<typeof NewPermissionGrant>;
export type Access = Static<typeof Access>;
