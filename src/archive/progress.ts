/** What is kept, or was found good, so far. */
export interface Progress {
  rows: number;
  blobs: number;
  bytes: number;
}
