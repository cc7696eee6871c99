import type { Upload } from './upload-store.ts';

/** How an upload stands in this moment. */
export interface Progress {
  /** Bytes that the server has. */
  done: number;
  /** Bytes in a second; 0 while nothing is sent. */
  speed: number;
  /** The file cannot be read any more: the person chooses it again. */
  needsFile?: boolean;
}

export interface UploadsState {
  uploads: readonly Upload[];
  progress: ReadonlyMap<string, Progress>;
  isCutOff: boolean;
  /** Whether they outlive the page. */
  isLasting: boolean;
}
