/** A backup cannot be made there, or not be used: the message says why. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
