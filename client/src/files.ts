import type { Content } from './content.ts';
import { Files as FileOperations, type FileRecord } from './generated/files.ts';
import { path } from './path.ts';
import { type UploadOptions, type UploadSource, uploadFile } from './upload.ts';

export interface DownloadOptions {
  signal?: AbortSignal;
  /** The offset of the first byte that is wanted; default: 0. */
  start?: number;
}

/** Files: one method for each operation, and what takes several. */
export class Files extends FileOperations {
  /**
   * Uploads content of any size: part by part, several at once, each checked on arrival. Rejects with AtriumError,
   * ConnectionError, the reason of an abort, or what reading the source rejects with; `session` then goes on with it.
   */
  upload(
    source: Blob | Uint8Array<ArrayBuffer> | UploadSource,
    options: UploadOptions = {},
  ): Promise<FileRecord> {
    return uploadFile(this, source, options);
  }

  /** The content of a file, however often the connection breaks. */
  download(id: string, { signal, start }: DownloadOptions = {}): Promise<Content> {
    return this.requests.content(
      { path: path`/v1/files/${id}/content` },
      { ...(signal && { signal }) },
      start,
    );
  }
}
