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
  /** When true, only files of others that are shared with the caller. */
  shared?: boolean;
  /** role: what the caller may do with it is told as well. */
  include?: 'role' | ('role')[];
  /** 1 to 200, default 50; above 200 it is 200. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface ReadFile {
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
  /** Only with include=role: the highest role of the caller, by whatever grant. */
  role?: 'viewer' | 'commenter' | 'editor' | 'manager' | 'owner';
}

export interface UploadFileQuery {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  filename: string;
  /** Where the file lands; the root when absent or "". */
  folder_id?: string;
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

export interface GetFileQuery {
  /** role: what the caller may do with it is told as well. */
  include?: 'role' | ('role')[];
}

/** The fields to replace, at least one. */
export interface UpdateFileBody {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  title?: string;
  /** A folder of the owner, or for what is new one that the caller may add to; "" is the root. */
  folder_id?: string;
}

export interface ListFileFoldersQuery {
  /** When true, the caller's own folders in the trash instead. */
  trashed?: boolean;
  /** When true, only folders of others that the caller reaches. */
  shared?: boolean;
  /** role: what the caller may do with it is told as well. */
  include?: 'role' | ('role')[];
}

export interface ListedFolder {
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
  /** Only with include=role: the highest role of the caller, by whatever grant. */
  role?: 'viewer' | 'commenter' | 'editor' | 'manager' | 'owner';
}

export interface CreateFileFolderBody {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  name: string;
  /** A folder of the owner, or for what is new one that the caller may add to; "" is the root. */
  parent_id?: string;
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

/** The fields to replace, at least one. */
export interface UpdateFileFolderBody {
  /** 1 to 255 characters, not only blanks; no "/", "\" or control characters. */
  name?: string;
  /** A folder of the owner, or for what is new one that the caller may add to; "" is the root. */
  parent_id?: string;
}

export interface ShareFileBody {
  /** The id of a user, or of a group when principal_type is group. Give this or email. */
  principal_id?: string;
  /** The address or an alias of a user of the workspace, without regard to case. */
  email?: string;
  /** viewer reads, commenter comments too, editor also changes, renames and trashes, manager shares as well. */
  role: 'viewer' | 'commenter' | 'editor' | 'manager';
  /** What principal_id names; user when absent. */
  principal_type?: 'user' | 'group';
  /** When true, the user, or each active member of the group, gets a message of the caller in the inbox; a copy is in Sent. */
  notify?: boolean;
}

export interface PermissionGrant {
  /** Revokes the grant. */
  id: string;
  /** What principal_id names. */
  principal_type: 'user' | 'group';
  /** The id of the user or the group. */
  principal_id: string;
  /** Who the grant is for. */
  principal: {
    /** The id of the user or the group. */
    id: string;
    /** What principal_id names. */
    type: 'user' | 'group';
    /** The name of the user or the group. */
    name: string;
    /** The address of the user; a group has none. */
    email?: string;
  };
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
  /** The name of the user. */
  name: string;
  /** The address of the user. */
  email: string;
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
  /** Who the grant is for. */
  principal?: {
    /** The id of the user or the group. */
    id: string;
    /** What principal_id names. */
    type: 'user' | 'group';
    /** The name of the user or the group. */
    name: string;
    /** The address of the user; a group has none. */
    email?: string;
  };
  /** The folder that the grant is on, above the object; absent where the grant is on the object itself. */
  folder_id?: string;
}

export interface ShareFileFolderBody {
  /** The id of a user, or of a group when principal_type is group. Give this or email. */
  principal_id?: string;
  /** The address or an alias of a user of the workspace, without regard to case. */
  email?: string;
  /** viewer reads, commenter comments too, editor also changes, renames and trashes, manager shares as well. */
  role: 'viewer' | 'commenter' | 'editor' | 'manager';
  /** What principal_id names; user when absent. */
  principal_type?: 'user' | 'group';
  /** When true, the user, or each active member of the group, gets a message of the caller in the inbox; a copy is in Sent. */
  notify?: boolean;
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

export interface ListUploadsQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface OpenUpload {
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
  /** How many parts the file has. */
  part_count: number;
  /** Bytes of the parts that are here. */
  received_bytes: number;
  /** When an upload that is not finished ends. RFC 3339, UTC, with milliseconds. */
  expires_at: string;
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
   * Uploaded files, newest first: the caller's own, those shared with the caller or with a group of theirs, and all that lie in folders that are. Filters combine by and; an unknown folder lists nothing.
   *
   * Permission: `files.read` or `docs.documents.read`.
   */
  listFiles(query: ListFilesQuery = {}, options: RequestOptions = {}): Pages<ReadFile> {
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
  getFile(id: string, query: GetFileQuery = {}, options: RequestOptions = {}): Promise<ReadFile> {
    return this.requests.data({ path: path`/v1/files/${id}`, query }, options);
  }

  /**
   * Rename or move a file
   *
   * Replaces the fields that are sent; the filename stays. Renaming needs the role editor; only the owner moves a file, into a folder of the owner or, with "", to the root. Whoever reaches it by a shared folder gains or loses it with the move. A file that leaves a folder of the trash is active again.
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
   * The caller's folders, and those of others that the caller reaches, in one answer: a flat list with parent ids, in order of creation. The parent of a shared folder may be one that the caller does not reach.
   *
   * Permission: `files.read`.
   */
  listFileFolders(query: ListFileFoldersQuery = {}, options: RequestOptions = {}): Promise<ListedFolder[]> {
    return this.requests.data({ path: '/v1/file-folders', query }, options);
  }

  /**
   * Create a file folder
   *
   * Several folders of one parent may have the same name: ids tell them apart. In a folder of somebody else it takes the role editor, and the new folder belongs to the owner of that folder.
   *
   * Permission: `files.write`.
   */
  createFileFolder(body: CreateFileFolderBody, options: RequestOptions = {}): Promise<FileFolder> {
    return this.requests.data({ method: 'POST', path: '/v1/file-folders', body }, options);
  }

  /**
   * Rename or move a file folder
   *
   * Replaces the fields that are sent. Renaming needs the role editor; only the owner moves a folder. What is in the folder goes with it, and whoever reaches it by a shared folder gains or loses it with the move. A folder that leaves a folder of the trash is active again.
   *
   * Permission: `files.write`.
   */
  updateFileFolder(id: string, body: UpdateFileFolderBody, options: RequestOptions = {}): Promise<FileFolder> {
    return this.requests.data({ method: 'PUT', path: path`/v1/file-folders/${id}`, body }, options);
  }

  /**
   * Move a file folder to the trash
   *
   * Needs the role editor. Hides what is in it, at any depth. Reversible. A folder that is in the trash stays as it is.
   *
   * Permission: `files.write`.
   */
  trashFileFolder(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/file-folders/${id}` }, options);
  }

  /**
   * Restore a file folder from the trash
   *
   * Needs the role editor. Brings back exactly what was hidden with it: what was trashed itself before stays in the trash. It comes back to its parent, or to the root where that is in the trash. An active folder stays as it is.
   *
   * Permission: `files.write`.
   */
  restoreFileFolder(id: string, options: RequestOptions = {}): Promise<FileFolder> {
    return this.requests.data({ method: 'POST', path: path`/v1/file-folders/${id}/restore` }, options);
  }

  /**
   * Share a file or document
   *
   * Needs the role manager; the owner has every role. Names whom by principal_id, or by email for a user of the workspace. Sharing again with the same user or group changes the role of the same grant. File folders are shared at /v1/file-folders/:id/permissions. A grant to a suspended user counts once the user is active again.
   *
   * Permission: `files.share`.
   */
  shareFile(id: string, body: ShareFileBody, options: RequestOptions = {}): Promise<PermissionGrant> {
    return this.requests.data({ method: 'POST', path: path`/v1/files/${id}/permissions`, body }, options);
  }

  /**
   * List the grants on a file or document
   *
   * In one answer, in order of creation: the grants on it, not those on folders above it. Everyone who sees it may ask.
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
   * Every active user who does, members of groups too, each once: with the highest role, and the ownership or the grant that gives it, on it or on a folder above it. The owner comes first. Everyone who sees it may ask.
   *
   * Permission: `files.read`.
   */
  listFileAccess(id: string, options: RequestOptions = {}): Promise<FileAccess[]> {
    return this.requests.data({ path: path`/v1/files/${id}/access` }, options);
  }

  /**
   * Share a file folder
   *
   * Needs the role manager; the owner has every role. Names whom by principal_id, or by email for a user of the workspace. Sharing again with the same user or group changes the role of the same grant. The role counts for all that lies in the folder, now and later, at any depth; of several roles of a user the highest counts. An editor also adds to the folder. A grant to a suspended user counts once the user is active again.
   *
   * Permission: `files.share`.
   */
  shareFileFolder(id: string, body: ShareFileFolderBody, options: RequestOptions = {}): Promise<PermissionGrant> {
    return this.requests.data({ method: 'POST', path: path`/v1/file-folders/${id}/permissions`, body }, options);
  }

  /**
   * List the grants on a file folder
   *
   * In one answer, in order of creation: the grants on it, not those on folders above it. Everyone who sees it may ask.
   *
   * Permission: `files.read`.
   */
  listFileFolderPermissions(id: string, options: RequestOptions = {}): Promise<PermissionGrant[]> {
    return this.requests.data({ path: path`/v1/file-folders/${id}/permissions` }, options);
  }

  /**
   * Revoke access to a file folder
   *
   * Needs the role manager, except for the caller's own grant. Acts on the next request.
   *
   * Permission: `files.share`.
   */
  revokeFileFolderPermission(id: string, permissionId: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/file-folders/${id}/permissions/${permissionId}` }, options);
  }

  /**
   * List who reaches a file folder
   *
   * Every active user who does, members of groups too, each once: with the highest role, and the ownership or the grant that gives it, on it or on a folder above it. The owner comes first. Everyone who sees it may ask.
   *
   * Permission: `files.read`.
   */
  listFileFolderAccess(id: string, options: RequestOptions = {}): Promise<FileAccess[]> {
    return this.requests.data({ path: path`/v1/file-folders/${id}/access` }, options);
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
   * List open uploads
   *
   * The uploads of the caller that take parts, newest first.
   *
   * Permission: `files.write`.
   */
  listUploads(query: ListUploadsQuery = {}, options: RequestOptions = {}): Pages<OpenUpload> {
    return this.requests.pages({ path: '/v1/files/uploads', query }, options);
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
