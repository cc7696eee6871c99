import type { Content } from './content.ts';
import { Files as FileOperations, type FileRecord } from './generated/files.ts';
import { path } from './path.ts';
import { type UploadOptions, type UploadSource, uploadFile } from './upload.ts';

export interface DownloadOptions {
  signal?: AbortSignal;
  /** The offset of the first byte; default: 0. */
  start?: number;
}

/** Files: a method for each operation, and methods that combine several. */
export class Files extends FileOperations {
  /**
   * Uploads content of any size in parts, several at a time, each verified by the server on arrival. Rejects with
   * AtriumError, ConnectionError, the reason of an abort, or the error of the source; a later call with `session`
   * resumes the upload.
   */
  upload(
    source: Blob | Uint8Array<ArrayBuffer> | UploadSource,
    options: UploadOptions = {},
  ): Promise<FileRecord> {
    return uploadFile(this, source, options);
  }

  /** The content of a file; resumes after connection failures. */
  download(id: string, { signal, start }: DownloadOptions = {}): Promise<Content> {
    return this.requests.content(
      { path: path`/v1/files/${id}/content` },
      { ...(signal && { signal }) },
      start,
    );
  }
}
