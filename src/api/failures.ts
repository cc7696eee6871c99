import { BlobsFull, BlobsUnavailable } from '../blobs/blob-store.ts';
import { StorageUnavailable } from '../storage/database.ts';
import { ApiError, type ErrorCode } from './errors.ts';

/** What the HTTP framework refuses by itself, by its code. */
const FRAMEWORK_REFUSALS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The Content-Type is not one this operation takes.',
  ],
  FST_ERR_BAD_URL: ['malformed_request', 'The path is not valid percent-encoded UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'No path has a part as long as this.'],
  FST_ERR_NOT_FOUND: ['not_found', 'There is no such path.'],
};

/** Anything thrown as the one shape. What is no refusal shows no internals. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof BlobsFull) {
    return new ApiError('quota_exceeded', 'There is no room left for the content.', {}, { cause: thrown });
  }
  if (thrown instanceof StorageUnavailable || thrown instanceof BlobsUnavailable) {
    return new ApiError(
      'unavailable',
      'The storage cannot serve now. Try again in a moment; repeat a write with the same Idempotency-Key.',
      {},
      { cause: thrown },
    );
  }
  const refusal = FRAMEWORK_REFUSALS[codeOf(thrown)];
  if (refusal) return new ApiError(refusal[0], refusal[1], {}, { cause: thrown });
  return new ApiError('internal', 'Something failed inside the server.', {}, { cause: thrown });
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
