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
    [WANTED]: 'Give a string without "/", "\\" and control characters',
    description: '1 to 255 characters, not only blanks; no "/", "\\" or control characters.',
    examples: [example],
  });

export const FileName = nameOf('Minutes of Tuesday.pdf');
/** The name under which a node is shown. */
export const Title = nameOf('Minutes');
const FolderName = nameOf('Reports');

const ParentFolder = Type.String({
  description: 'A folder of the owner, or for what is new one that the caller may add to; "" is the root.',
  examples: [FOLDER_ID],
});

/** What records have beside the rest where it is asked for. */
export const RECORD_PARTS = ['role'] as const;
export type RecordPart = (typeof RECORD_PARTS)[number];

export const Include = Type.Array(Type.Enum([...RECORD_PARTS]), {
  description: 'role: what the caller may do with it is told as well.',
  examples: [['role']],
});

/** The role of the caller, in records that are asked for it. */
export const OwnRole = Type.Optional(
  Type.Enum(['viewer', 'commenter', 'editor', 'manager', 'owner'], {
    description: 'Only with include=role: the highest role of the caller, by whatever grant.',
  }),
);

export const RecordQuery = Type.Object({ include: Type.Optional(Include) }, { additionalProperties: false });

const fileMembers = {
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
};

export const File = Type.Object(fileMembers, { title: 'FileRecord', additionalProperties: false });

/** A file as it is read. */
export const ReadFile = Type.Object(
  { ...fileMembers, role: OwnRole },
  { title: 'ReadFile', additionalProperties: false },
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
    shared: Type.Optional(
      Type.Boolean({ description: 'When true, only files of others that are shared with the caller.' }),
    ),
    include: Type.Optional(Include),
  },
  { additionalProperties: false },
);

const folderMembers = {
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
};

export const FileFolder = Type.Object(folderMembers, { title: 'FileFolder', additionalProperties: false });

/** A folder in the list of folders. */
export const ListedFolder = Type.Object(
  { ...folderMembers, role: OwnRole },
  { title: 'ListedFolder', additionalProperties: false },
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
  {
    trashed: trashed('folders'),
    shared: Type.Optional(
      Type.Boolean({ description: 'When true, only folders of others that the caller reaches.' }),
    ),
    include: Type.Optional(Include),
  },
  { additionalProperties: false },
);

const PrincipalType = Type.Enum(['user', 'group'], { description: 'What principal_id names.' });

const Role = Type.Enum(['viewer', 'commenter', 'editor', 'manager'], {
  description:
    'viewer reads, commenter comments too, editor also changes, renames and trashes, manager shares as well.',
});

const Principal = Type.Object(
  {
    id: Type.String({ description: 'The id of the user or the group.', examples: [USER_ID] }),
    type: PrincipalType,
    name: Type.String({ description: 'The name of the user or the group.', examples: ['Ada Lovelace'] }),
    email: Type.Optional(
      Type.String({
        description: 'The address of the user; a group has none.',
        examples: ['ada@example.org'],
      }),
    ),
  },
  { additionalProperties: false, description: 'Who the grant is for.' },
);

export const PermissionGrant = Type.Object(
  {
    id: Type.String({ description: 'Revokes the grant.', examples: ['perm_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    principal_type: PrincipalType,
    principal_id: Type.String({ description: 'The id of the user or the group.', examples: [USER_ID] }),
    principal: Principal,
    role: Role,
    created_by: Type.String({ description: 'Who shared it first.', examples: [USER_ID] }),
    created_at: timestamp('When it was made.'),
  },
  { title: 'PermissionGrant', additionalProperties: false },
);

export const NewPermissionGrant = Type.Object(
  {
    principal_id: Type.Optional(
      Type.String({
        description: 'The id of a user, or of a group when principal_type is group. Give this or email.',
        examples: [USER_ID],
      }),
    ),
    email: Type.Optional(
      lineOfText(1, 320, {
        description: 'The address or an alias of a user of the workspace, without regard to case.',
        examples: ['ada@example.org'],
      }),
    ),
    role: Role,
    principal_type: Type.Optional(
      Type.Enum(['user', 'group'], { description: 'What principal_id names; user when absent.' }),
    ),
    notify: Type.Optional(
      Type.Boolean({
        description:
          'When true, the user, or each active member of the group, gets a message of the caller in the inbox; a copy is in Sent.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const Access = Type.Object(
  {
    user_id: Type.String({ description: 'Who reaches it.', examples: [USER_ID] }),
    name: Type.String({ description: 'The name of the user.', examples: ['Ada Lovelace'] }),
    email: Type.String({ description: 'The address of the user.', examples: ['ada@example.org'] }),
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
    principal: Type.Optional(Principal),
    folder_id: Type.Optional(
      Type.String({
        description:
          'The folder that the grant is on, above the object; absent where the grant is on the object itself.',
        examples: [FOLDER_ID],
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
export type Principal = Static<typeof Principal>;
export type Access = Static<typeof Access>;
