// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Content } from '../content.ts';
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { Bytes, RequestOptions, Requests } from '../requests.ts';

export interface ListFilesQuery {
  /** Only files in this folder; "" for those in the root. */
  folder_id?: string;
  /** Only files whose title contains this, without regard to case. */
  q?: string;
  /** When true, the caller's own files in the trash instead. */
  trashed?: boolean;
  /** 1 to 200, default 50; above 200 it is 200. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface FileRecord {
  /** Names the file. */
  id: string;
  /** Always file. */
  type: "file";
  /** The name that is shown; it starts as the filename. */
  title: string;
  /** The name that it was uploaded under. */
  filename: string;
  /** Determined from the stored bytes. */
  mime_type: string;
  /** Bytes of the content. */
  size_bytes: number;
  /** What is in a folder of the trash is trashed as well. */
  state: 'active' | 'trashed';
  /** The user whose it is. */
  owner_id: string;
  /** "" in the root. */
  folder_id: string;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface UploadFileQuery {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  filename: string;
  /** Where the file lands; the root when absent or "". */
  folder_id?: string;
}

/** The fields to replace, at least one. */
export interface UpdateFileBody {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  title?: string;
  /** A folder of the owner; "" is the root. */
  folder_id?: string;
}

export interface ListFileFoldersQuery {
  /** When true, the caller's own folders in the trash instead. */
  trashed?: boolean;
}

export interface FileFolder {
  /** Names the folder. */
  id: string;
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  name: string;
  /** The folder that it is in; "" at the root. */
  parent_id: string;
  /** The user whose it is. */
  owner_id: string;
  /** Whether it is in the trash, itself or with a folder that it is in. */
  trashed: boolean;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateFileFolderBody {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  name: string;
  /** A folder of the owner; "" is the root. */
  parent_id?: string;
}

/** The fields to replace, at least one. */
export interface UpdateFileFolderBody {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  name?: string;
  /** A folder of the owner; "" is the root. */
  parent_id?: string;
}

export interface ShareFileBody {
  /** The id of a user, or of a group when principal_type is group. */
  principal_id: string;
  /** viewer reads, commenter comments too, editor also changes, renames and trashes, manager shares as well. */
  role: 'viewer' | 'commenter' | 'editor' | 'manager';
  /** What principal_id names; user when absent. */
  principal_type?: 'user' | 'group';
}

export interface PermissionGrant {
  /** Revokes the grant. */
  id: string;
  /** What principal_id names. */
  principal_type: 'user' | 'group';
  /** The id of the user or the group. */
  principal_id: string;
  /** viewer reads, commenter comments too, editor also changes, renames and trashes, manager shares as well. */
  role: 'viewer' | 'commenter' | 'editor' | 'manager';
  /** Who shared it first. */
  created_by: string;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
}

export interface FileAccess {
  /** Who reaches it. */
  user_id: string;
  /** The highest that the user has. The owner may do everything. */
  role: 'viewer' | 'commenter' | 'editor' | 'manager' | 'owner';
  /** What gives the role. */
  source: 'ownership' | 'grant';
  /** The grant that gives the role. */
  permission_id?: string;
  /** What principal_id names. */
  principal_type?: 'user' | 'group';
  /** Whom the grant names: the user, or a group that the user is in. */
  principal_id?: string;
}

export interface StartUploadBody {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  filename: string;
  /** Total bytes. Decides the part size that comes back. */
  size: number;
  /** Recorded, not trusted: the type of the file is determined from its bytes. */
  mime_type?: string;
  /** Where the file lands; the root when absent or "". */
  folder_id?: string;
}

export interface UploadSession {
  /** Goes in the path of every later call. */
  session_id: string;
  /** The id that the finished file will have. */
  document_id: string;
  /** Bytes. Slice the file by exactly this; only the last part may be shorter. */
  part_size: number;
  /** Bytes of the whole file. */
  total_size: number;
}

export interface UploadStatus {
  /** Goes in the path of every later call. */
  session_id: string;
  /** The id that the finished file will have. */
  document_id: string;
  /** Bytes. Slice the file by exactly this; only the last part may be shorter. */
  part_size: number;
  /** Bytes of the whole file. */
  total_size: number;
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  filename: string;
  /** open while it takes parts. */
  state: 'open' | 'finished' | 'aborted' | 'expired';
  /** How many parts the file has. */
  part_count: number;
  /** Bytes of the parts that are here. */
  received_bytes: number;
  /** The numbers of the parts that are here, as [first, last]. */
  received_parts: number[][];
  /** The numbers of the parts that are not here yet, as [first, last]. */
  missing_parts: number[][];
  /** When an upload that is not finished ends. RFC 3339, UTC, with milliseconds. */
  expires_at: string;
}

export interface UploadedPart {
  /** The number of the part, from 1. */
  part_number: number;
  /** Bytes of this part. */
  size: number;
  /** Bytes of all the parts that are here. */
  received_bytes: number;
}

/** Files: one method for each operation. */
export class Files {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * List files
   *
   * Uploaded files, newest first: the caller's own, and those shared with the caller or with a group of theirs. Filters combine by and; an unknown folder lists nothing.
   *
   * Permission: `files.read` or `docs.documents.read`.
   */
  listFiles(query: ListFilesQuery = {}, options: RequestOptions = {}): Pages<FileRecord> {
    return this.requests.pages({ path: '/v1/files', query }, options);
  }

  /**
   * Upload a small file in one request
   *
   * The body is the file; its media type makes no difference. Cut off at 100 seconds: start an upload for anything large.
   *
   * Permission: `files.write`.
   */
  uploadFile(content: Bytes, query: UploadFileQuery, options: RequestOptions & { contentDigest?: string } = {}): Promise<FileRecord> {
    return this.requests.data({ method: 'POST', path: '/v1/files', content, mediaType: 'application/octet-stream', query, headers: { 'content-digest': options.contentDigest } }, options);
  }

  /**
   * Get file metadata
   *
   * The id of a document is that of no file.
   *
   * Permission: `files.read` or `docs.documents.read`.
   */
  getFile(id: string, options: RequestOptions = {}): Promise<FileRecord> {
    return this.requests.data({ path: path`/v1/files/${id}` }, options);
  }

  /**
   * Rename or move a file
   *
   * Replaces the fields that are sent; the filename stays. Renaming needs the role editor; only the owner moves a file, into a folder of the owner or, with "", to the root. A file that leaves a folder of the trash is active again.
   *
   * Permission: `files.write`.
   */
  updateFile(id: string, body: UpdateFileBody, options: RequestOptions = {}): Promise<FileRecord> {
    return this.requests.data({ method: 'PUT', path: path`/v1/files/${id}`, body }, options);
  }

  /**
   * Move a file to the trash
   *
   * Needs the role editor. Reversible. A file that is in the trash stays as it is. Whom it is shared with still see it there, but only the owner reads its content.
   *
   * Permission: `files.write`.
   */
  trashFile(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/files/${id}` }, options);
  }

  /**
   * Restore a file from the trash
   *
   * Needs the role editor. It comes back to its folder, or to the root where that is in the trash. An active file stays as it is.
   *
   * Permission: `files.write`.
   */
  restoreFile(id: string, options: RequestOptions = {}): Promise<FileRecord> {
    return this.requests.data({ method: 'POST', path: path`/v1/files/${id}/restore` }, options);
  }

  /**
   * Download a file
   *
   * The bytes, with the mime_type of the file as Content-Type, as a download under its filename. HEAD answers the headers of all of it, for a Range means something to GET only. One Range answers 206, one outside 416, one that does not parse is ignored; of several that lie inside, the whole is answered. If-None-Match and If-Modified-Since answer 304; If-Range, If-Match and If-Unmodified-Since are heeded.
   *
   * Permission: `files.read`.
   */
  getFileContent(id: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/files/${id}/content` }, options);
  }

  /**
   * List file folders
   *
   * The caller's folders in one answer: a flat list with parent ids, in order of creation. Folders are not shared.
   *
   * Permission: `files.read`.
   */
  listFileFolders(query: ListFileFoldersQuery = {}, options: RequestOptions = {}): Promise<FileFolder[]> {
    return this.requests.data({ path: '/v1/file-folders', query }, options);
  }

  /**
   * Create a file folder
   *
   * Several folders of one parent may have the same name: ids tell them apart.
   *
   * Permission: `files.write`.
   */
  createFileFolder(body: CreateFileFolderBody, options: RequestOptions = {}): Promise<FileFolder> {
    return this.requests.data({ method: 'POST', path: '/v1/file-folders', body }, options);
  }

  /**
   * Rename or move a file folder
   *
   * Replaces the fields that are sent. What is in the folder goes with it. A folder that leaves a folder of the trash is active again.
   *
   * Permission: `files.write`.
   */
  updateFileFolder(id: string, body: UpdateFileFolderBody, options: RequestOptions = {}): Promise<FileFolder> {
    return this.requests.data({ method: 'PUT', path: path`/v1/file-folders/${id}`, body }, options);
  }

  /**
   * Move a file folder to the trash
   *
   * Hides what is in it, at any depth. Reversible. A folder that is in the trash stays as it is.
   *
   * Permission: `files.write`.
   */
  trashFileFolder(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/file-folders/${id}` }, options);
  }

  /**
   * Restore a file folder from the trash
   *
   * Brings back exactly what was hidden with it: what was trashed itself before stays in the trash. It comes back to its parent, or to the root where that is in the trash. An active folder stays as it is.
   *
   * Permission: `files.write`.
   */
  restoreFileFolder(id: string, options: RequestOptions = {}): Promise<FileFolder> {
    return this.requests.data({ method: 'POST', path: path`/v1/file-folders/${id}/restore` }, options);
  }

  /**
   * Share a file or document
   *
   * Needs the role manager; the owner has every role. Sharing again with the same user or group changes the role of the same grant. Folders are not shared. A grant to a suspended user counts once the user is active again.
   *
   * Permission: `files.share`.
   */
  shareFile(id: string, body: ShareFileBody, options: RequestOptions = {}): Promise<PermissionGrant> {
    return this.requests.data({ method: 'POST', path: path`/v1/files/${id}/permissions`, body }, options);
  }

  /**
   * List the grants on a file or document
   *
   * In one answer, in order of creation. Everyone who sees it may ask.
   *
   * Permission: `files.read`.
   */
  listFilePermissions(id: string, options: RequestOptions = {}): Promise<PermissionGrant[]> {
    return this.requests.data({ path: path`/v1/files/${id}/permissions` }, options);
  }

  /**
   * Revoke access to a file or document
   *
   * Needs the role manager, except for the caller's own grant. Acts on the next request.
   *
   * Permission: `files.share`.
   */
  revokeFilePermission(id: string, permissionId: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/files/${id}/permissions/${permissionId}` }, options);
  }

  /**
   * List who reaches a file or document
   *
   * Every active user who does, members of groups too, each once: with the highest role, and the ownership or the grant that gives it. The owner comes first. Everyone who sees it may ask.
   *
   * Permission: `files.read`.
   */
  listFileAccess(id: string, options: RequestOptions = {}): Promise<FileAccess[]> {
    return this.requests.data({ path: path`/v1/files/${id}/access` }, options);
  }

  /**
   * Start an upload
   *
   * Opens a resumable upload. Slice the file by exactly part_size bytes, send each part with PUT, in any order and several at once, then complete.
   *
   * Permission: `files.write`.
   */
  startUpload(body: StartUploadBody, options: RequestOptions = {}): Promise<UploadSession> {
    return this.requests.data({ method: 'POST', path: '/v1/files/uploads', body }, options);
  }

  /**
   * Get the status of an upload
   *
   * Told until 30 days after the end of the upload.
   *
   * Permission: `files.write`.
   */
  getUpload(session: string, options: RequestOptions = {}): Promise<UploadStatus> {
    return this.requests.data({ path: path`/v1/files/uploads/${session}` }, options);
  }

  /**
   * Abort an upload
   *
   * Gives the space of its parts back. May be repeated.
   *
   * Permission: `files.write`.
   */
  abortUpload(session: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/files/uploads/${session}` }, options);
  }

  /**
   * Upload a part
   *
   * The raw bytes of one part; it is durable when the answer leaves. The same number again replaces the part. Content-Length is required, the media type makes no difference.
   *
   * Permission: `files.write`.
   */
  uploadPart(session: string, number: string, content: Bytes, options: RequestOptions & { contentDigest?: string } = {}): Promise<UploadedPart> {
    return this.requests.data({ method: 'PUT', path: path`/v1/files/uploads/${session}/parts/${number}`, content, mediaType: 'application/octet-stream', headers: { 'content-digest': options.contentDigest } }, options);
  }

  /**
   * Complete an upload
   *
   * Makes the file, at the same cost whatever its size. Where the folder has been trashed meanwhile it is refused; restore the folder and complete again.
   *
   * Permission: `files.write`.
   */
  completeUpload(session: string, options: RequestOptions = {}): Promise<FileRecord> {
    return this.requests.data({ method: 'POST', path: path`/v1/files/uploads/${session}/complete` }, options);
  }
}
