import type { FilesService } from '../areas/drive/service.ts';
import { checkFileSize, checkRoom, type UploadLimits } from '../areas/drive/uploads/upload-schema.ts';
import type { SavedFiles } from '../areas/mail/messages/save-attachment.ts';
import type { BlobStore } from '../blobs/blob-store.ts';

/** The drive as the target of saved attachments, with the limits of an upload. */
export function savedFiles(files: FilesService, blobs: BlobStore, limits: UploadLimits): SavedFiles {
  return {
    check: async (size) => {
      checkFileSize(size, limits);
      checkRoom(size, await blobs.free());
    },
    create: (tx, owner, file) => files.createFile(tx, owner, file),
  };
}
