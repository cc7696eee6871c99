import type { PartPosition } from '../../../blobs/blob-store.ts';
import { ApiError } from '../../../contract/errors.ts';
import type { CutOff } from '../../../contract/operation.ts';

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
