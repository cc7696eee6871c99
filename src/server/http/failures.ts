import { BlobsFull, BlobsUnavailable } from '../../blobs/blob-store.ts';
import { ApiError } from '../../contract/errors.ts';
import { StorageFull, StorageUnavailable } from '../../storage/database.ts';
import { TooManyWaiting } from '../../turns/fair-queue.ts';
import { Unwanted } from '../../turns/wanted.ts';

/** Anything thrown as the one shape. What is no refusal shows no internals. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof BlobsFull || thrown instanceof StorageFull) {
    const message = 'There is no room left for what is to be stored; nothing was.';
    return new ApiError('quota_exceeded', message, {}, { cause: thrown });
  }
  if (thrown instanceof StorageUnavailable || thrown instanceof BlobsUnavailable) {
    return new ApiError(
      'unavailable',
      'The storage cannot serve now. Try again in a moment; repeat a write with the same Idempotency-Key.',
      {},
      { cause: thrown },
    );
  }
  if (thrown instanceof TooManyWaiting) {
    const message = 'Too much work of this kind waits already. Try again in a moment.';
    return new ApiError('unavailable', message, {}, { cause: thrown });
  }
  if (thrown instanceof Unwanted) return new ApiError('request_timeout', 'The client has left.');
  return new ApiError('internal', 'Something failed inside the server.', {}, { cause: thrown });
}
