import { type Static, Type } from 'typebox';
import { timestamp } from '../../../contract/timestamp.ts';
import { FileName } from '../schema.ts';

const SESSION_ID = 'upl_01k0qv5m8qe3rsgm9y3f2c7d4x';
const FILE_ID = 'file_01k0qv5m8qe3rsgm9y3f2c7d4x';
const MIB = 1024 * 1024;

const TargetFolder = Type.String({
  description: 'Where the file lands; the root when absent or "".',
  examples: ['dir_01k0qv5m8qe3rsgm9y3f2c7d4x'],
});

export const NewUpload = Type.Object(
  {
    filename: FileName,
    size: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Total bytes. Decides the part size that comes back.',
      examples: [20 * MIB],
    }),
    mime_type: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Recorded, not trusted: the type of the file is determined from its bytes.',
        examples: ['video/mp4'],
      }),
    ),
    folder_id: Type.Optional(TargetFolder),
  },
  { additionalProperties: false },
);

export const NewFileQuery = Type.Object(
  { filename: FileName, folder_id: Type.Optional(TargetFolder) },
  { additionalProperties: false },
);

const sessionMembers = {
  session_id: Type.String({ description: 'Goes in the path of every later call.', examples: [SESSION_ID] }),
  document_id: Type.String({ description: 'The id that the finished file will have.', examples: [FILE_ID] }),
  part_size: Type.Integer({
    description: 'Bytes. Slice the file by exactly this; only the last part may be shorter.',
    examples: [8 * MIB],
  }),
  total_size: Type.Integer({ description: 'Bytes of the whole file.', examples: [20 * MIB] }),
};

export const UploadSession = Type.Object(sessionMembers, {
  title: 'UploadSession',
  additionalProperties: false,
});

const Ranges = (description: string, example: number[][]) =>
  Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), { description, examples: [example] });

export const UploadStatus = Type.Object(
  {
    ...sessionMembers,
    filename: FileName,
    state: Type.Enum(['open', 'finished', 'aborted', 'expired'], {
      description: 'open while it takes parts.',
    }),
    part_count: Type.Integer({ description: 'How many parts the file has.', examples: [3] }),
    received_bytes: Type.Integer({ description: 'Bytes of the parts that are here.', examples: [16 * MIB] }),
    received_parts: Ranges('The numbers of the parts that are here, as [first, last].', [[1, 2]]),
    missing_parts: Ranges('The numbers of the parts that are not here yet, as [first, last].', [[3, 3]]),
    expires_at: timestamp('When an upload that is not finished ends.'),
  },
  { title: 'UploadStatus', additionalProperties: false },
);

export const UploadedPart = Type.Object(
  {
    part_number: Type.Integer({ description: 'The number of the part, from 1.', examples: [2] }),
    size: Type.Integer({ description: 'Bytes of this part.', examples: [8 * MIB] }),
    received_bytes: Type.Integer({
      description: 'Bytes of all the parts that are here.',
      examples: [16 * MIB],
    }),
  },
  { title: 'UploadedPart', additionalProperties: false },
);

export type NewUpload = Static<typeof NewUpload>;
