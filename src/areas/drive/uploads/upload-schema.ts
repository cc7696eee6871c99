import { type Static, Type } from 'typebox';
import type { PartPosition } from '../../../blobs/blob-store.ts';
import { ApiError } from '../../../contract/errors.ts';
import type { CutOff } from '../../../contract/operation.ts';
import { timestamp } from '../../../contract/timestamp.ts';
import { FileName } from '../schema.ts';

/** The limits of uploads. */
export interface UploadLimits {
  /** Bytes. */
  maxFileSize: number;
  /** Lifetime of an upload from its start. */
  ttlMs: number;
  /** Time limit for a file that is uploaded in one request. */
  singleRequest: CutOff;
}

/** "Single-request upload: cut off at 100 seconds." */
export const SINGLE_REQUEST: CutOff = {
  afterMs: 100_000,
  message: 'A single request has 100 seconds; upload the file in parts (POST /v1/files/uploads).',
};

const SMALLEST_PART = 8 * 1024 * 1024;
export const MAX_PARTS = 10_000;

/** Part size and count for an upload: "8 MiB, doubled until there are at most 10,000 parts". */
export function partLayout(size: number): { partSize: number; partCount: number } {
  let partSize = SMALLEST_PART;
  while (size > partSize * MAX_PARTS) partSize *= 2;
  return { partSize, partCount: Math.ceil(size / partSize) };
}

/** The byte range of the file that a part contains. */
export function partPosition(
  { total_size: total, part_size: partSize }: { total_size: number; part_size: number },
  number: number,
): PartPosition {
  const start = (number - 1) * partSize;
  return { number, start, size: Math.min(partSize, total - start) };
}

/** Throws ApiError file_too_large. */
export function checkFileSize(size: number, { maxFileSize }: UploadLimits): void {
  if (size <= maxFileSize) return;
  throw new ApiError('file_too_large', `The file is larger than ${maxFileSize} bytes.`, {
    max_size: maxFileSize,
  });
}

/** Throws ApiError quota_exceeded if there is not enough free space. */
export function checkRoom(size: number, free: number): void {
  if (size <= free) return;
  throw new ApiError('quota_exceeded', 'There is no room left for a file of this size.', { size });
}

/** Parses the number of a part in a path. Throws ApiError invalid_part_number. */
export function partNumber(text: string, partCount: number): number {
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= partCount) return number;
  const expected = partCount > 0 ? [1, partCount] : [];
  const message =
    partCount > 0 ? `The parts are numbered from 1 to ${partCount}.` : 'An empty file has no parts.';
  throw new ApiError('invalid_part_number', message, {
    expected,
    actual: /^-?\d{1,15}$/.test(text) ? Number(text) : text.slice(0, 100),
  });
}

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

export const OpenUpload = Type.Object(
  {
    ...sessionMembers,
    filename: FileName,
    part_count: UploadStatus.properties.part_count,
    received_bytes: UploadStatus.properties.received_bytes,
    expires_at: UploadStatus.properties.expires_at,
  },
  { title: 'OpenUpload', additionalProperties: false },
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
