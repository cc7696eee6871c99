import { BlobsFull, BlobsUnavailable } from '../../blobs/blob-store.ts';
import { StorageFull, StorageUnavailable, WorkspaceAway } from '../../storage/database.ts';

/** A refusal that is sent to the client; without a code, the library would choose one. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly responseCode: number;

  constructor(responseCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.responseCode = responseCode;
  }
}

/** "550 otherwise, never a relay". */
export function noSuchMailbox(address: string): Refusal {
  return new Refusal(550, `<${address}>: no such mailbox here`);
}

/** Converts any error to a refusal: an unexpected error becomes "451 when storage fails", without internals. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  return new Refusal(451, `${whatFailed(thrown)}, try again later`, { cause: thrown });
}

function whatFailed(thrown: unknown): string {
  if (thrown instanceof StorageFull || thrown instanceof BlobsFull) return 'There is no room here now';
  if (thrown instanceof WorkspaceAway) return 'The mailbox moves to another server';
  const isStorage = thrown instanceof StorageUnavailable || thrown instanceof BlobsUnavailable;
  return isStorage ? 'The storage cannot serve now' : 'Something failed here';
}
