// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Content } from '../content.ts';
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { Bytes, RequestOptions, Requests } from '../requests.ts';

export interface ListDocumentsQuery {
  /** Only those in this folder; "" for those in the root. */
  folder_id?: string;
  /** Only those whose title contains this, without regard to case. */
  q?: string;
  /** Only those of this type. */
  type?: 'document' | 'spreadsheet';
  /** When true, the caller's own documents in the trash instead. */
  trashed?: boolean;
  /** When true, only documents of others that are shared with the caller. */
  shared?: boolean;
  /** role: what the caller may do with it is told as well. */
  include?: 'role' | ('role')[];
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface ReadDocument {
  /** Names the document or the spreadsheet. */
  id: string;
  /** A document has Markdown as its content, a spreadsheet cells. */
  type: 'document' | 'spreadsheet';
  /** The name that is shown. */
  title: string;
  /** Any JSON object of the caller, up to 16 KiB. */
  metadata: Record<string, unknown>;
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

export interface CreateDocumentBody {
  /** A document has Markdown as its content, a spreadsheet cells. */
  type: 'document' | 'spreadsheet';
  /** 1 to 255 characters, not only blanks, no control characters. */
  title: string;
  /** A folder of the owner; "" is the root. */
  folder_id?: string;
  /** Any JSON object of the caller, up to 16 KiB. */
  metadata?: Record<string, unknown>;
  /** An uploaded file that fills it: Markdown or other text for a document, .xlsx or .csv for a spreadsheet. Texts are in UTF-8, UTF-16, UTF-32 or Windows-1252. Of an .xlsx, values, formulas, number formats, sheets, hidden sheets, rows and columns, column widths, merged cells, notes, links, filters, defined names and frozen panes are kept; what is not (charts, images, macros, pivot tables, conditional formatting, data validation, fonts, colours …) is listed in import_notes. In formulas, defined names become what they stand for. In a .csv, a first line such as sep=; gives the separator; TRUE and FALSE are booleans, a number that is written back as the same text (also 12.50, which gets the number format 0.00) is a number, and all else is text, such as 1E5, 007 and dates. */
  source_file_id?: string;
}

/** Only where a file has filled it. */
export interface ImportOutcome {
  /** What the file was read as. */
  format: 'text' | 'csv' | 'xlsx';
  /** Of a text. That of its byte-order mark; without one UTF-8 where that is valid, else UTF-16 or UTF-32 where the zero bytes show it, else windows-1252. */
  encoding?: 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be' | 'windows-1252';
  /** What stands between the fields of a .csv. */
  separator?: string;
  /** The kinds of contents of an .xlsx that the spreadsheet does not keep; import_notes says where they are. */
  left_out?: ('charts' | 'column_widths' | 'comments' | 'conditional_formatting' | 'custom_views' | 'data_validation' | 'defined_names' | 'embedded_objects' | 'external_links' | 'filters' | 'hyperlinks' | 'images' | 'macros' | 'merged_cells' | 'outlines' | 'pivot_tables' | 'print_settings' | 'protection' | 'row_heights' | 'scenarios' | 'shapes' | 'slicers' | 'sparklines' | 'split_panes' | 'styles' | 'tab_colors' | 'tables' | 'threaded_comments' | 'view_settings')[];
}

export interface NewDocumentRecord {
  /** Names the document or the spreadsheet. */
  id: string;
  /** A document has Markdown as its content, a spreadsheet cells. */
  type: 'document' | 'spreadsheet';
  /** The name that is shown. */
  title: string;
  /** Any JSON object of the caller, up to 16 KiB. */
  metadata: Record<string, unknown>;
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
  /** Only where a file has filled it. */
  import?: ImportOutcome;
  /** What an .xlsx had that the spreadsheet does not keep, with its place; at most 1,000 entries. Empty where nothing was lost. */
  import_notes?: {
    /** What is not kept. */
    what: 'charts' | 'column_widths' | 'comments' | 'conditional_formatting' | 'custom_views' | 'data_validation' | 'defined_names' | 'embedded_objects' | 'external_links' | 'filters' | 'hyperlinks' | 'images' | 'macros' | 'merged_cells' | 'outlines' | 'pivot_tables' | 'print_settings' | 'protection' | 'row_heights' | 'scenarios' | 'shapes' | 'slicers' | 'sparklines' | 'split_panes' | 'styles' | 'tab_colors' | 'tables' | 'threaded_comments' | 'view_settings';
    /** The sheet; absent for the whole workbook. */
    sheet?: string;
    /** The cells, where it has some: A1, A1:C3, A:C or 2:5. */
    range?: string;
    /** The name of a table or of a defined name. */
    name?: string;
    /** How many further places are not listed one by one. */
    count?: number;
  }[];
}

export interface GetDocumentQuery {
  /** role: what the caller may do with it is told as well. */
  include?: 'role' | ('role')[];
}

/** The fields to replace, at least one. */
export interface UpdateDocumentBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  title?: string;
  /** A folder of the owner; "" is the root. */
  folder_id?: string;
  /** Any JSON object of the caller, up to 16 KiB. */
  metadata?: Record<string, unknown>;
}

export interface DocumentRecord {
  /** Names the document or the spreadsheet. */
  id: string;
  /** A document has Markdown as its content, a spreadsheet cells. */
  type: 'document' | 'spreadsheet';
  /** The name that is shown. */
  title: string;
  /** Any JSON object of the caller, up to 16 KiB. */
  metadata: Record<string, unknown>;
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

export interface WrittenDocument {
  /** From 1, without gaps. */
  revision: number;
  /** The ETag of the content, without its quotes. */
  state: string;
}

export interface ListDocumentRevisionsQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface DocumentRevision {
  /** From 1, without gaps. */
  revision: number;
  /** The ETag of the content, without its quotes. */
  state: string;
  /** Who wrote it. */
  created_by: string;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
}

export interface ExportDocumentQuery {
  /** markdown when absent: the content as it is. */
  format?: 'markdown' | 'html';
}

/** Documents: one method for each operation. */
export class Documents {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * List documents
   *
   * Documents and spreadsheets, newest first: the caller's own, and those shared with the caller or with a group of theirs. Filters combine by and; an unknown folder lists nothing.
   *
   * Permission: `docs.documents.read`.
   */
  listDocuments(query: ListDocumentsQuery = {}, options: RequestOptions = {}): Pages<ReadDocument> {
    return this.requests.pages({ path: '/v1/documents', query }, options);
  }

  /**
   * Create a document
   *
   * A document or spreadsheet of the caller, empty or filled by an uploaded file, which it keeps nothing to do with. How that was read, and what of it was left out, is in the answer as `import`. Filling takes files.read as well.
   *
   * Permission: `docs.documents.write`.
   */
  createDocument(body: CreateDocumentBody, options: RequestOptions = {}): Promise<NewDocumentRecord> {
    return this.requests.data({ method: 'POST', path: '/v1/documents', body }, options);
  }

  /**
   * Get a document
   *
   * Metadata only, not contents. The id of an uploaded file is that of no document.
   *
   * Permission: `docs.documents.read`.
   */
  getDocument(id: string, query: GetDocumentQuery = {}, options: RequestOptions = {}): Promise<ReadDocument> {
    return this.requests.data({ path: path`/v1/documents/${id}`, query }, options);
  }

  /**
   * Rename, move or describe a document
   *
   * Replaces the fields that are sent; metadata is replaced whole. Needs the role editor; only the owner moves it, into a folder of the owner or, with "", to the root. What leaves a folder of the trash is active again.
   *
   * Permission: `docs.documents.write`.
   */
  updateDocument(id: string, body: UpdateDocumentBody, options: RequestOptions = {}): Promise<DocumentRecord> {
    return this.requests.data({ method: 'PUT', path: path`/v1/documents/${id}`, body }, options);
  }

  /**
   * Delete a document
   *
   * Moves it to the trash; there is no permanent delete. Needs the role editor. What is in the trash stays as it is. Whom it is shared with still see it there, but only the owner reads its contents.
   *
   * Permission: `docs.documents.write`.
   */
  trashDocument(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/documents/${id}` }, options);
  }

  /**
   * Restore a document from the trash
   *
   * Needs the role editor. It comes back to its folder, or to the root where that is in the trash. What is active stays as it is.
   *
   * Permission: `docs.documents.write`.
   */
  restoreDocument(id: string, options: RequestOptions = {}): Promise<DocumentRecord> {
    return this.requests.data({ method: 'POST', path: path`/v1/documents/${id}/restore` }, options);
  }

  /**
   * Get the content of a document
   *
   * The Markdown, to the byte as it was written; its state is the ETag. If-None-Match answers 304 while that is the same. In the trash, only the owner reads it. A spreadsheet has no such content.
   *
   * Permission: `docs.documents.read`.
   */
  getDocumentContent(id: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/documents/${id}/content` }, options);
  }

  /**
   * Replace the content of a document
   *
   * Writes the next revision: Markdown in UTF-8, without U+0000, at most 10000000 bytes, kept as they are. The same content again makes no revision, and its answer names the present one. If-Match names the state that was read, so that nobody overwrites what they have not seen: of several writers on one state one succeeds. Needs the role editor.
   *
   * Permission: `docs.documents.write`.
   */
  putDocumentContent(id: string, content: Bytes, options: RequestOptions & { ifMatch?: string } = {}): Promise<WrittenDocument> {
    return this.requests.data({ method: 'PUT', path: path`/v1/documents/${id}/content`, content, mediaType: 'text/markdown', headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * List the revisions of a document
   *
   * Newest first. Every content that a document has had is a revision, kept whole; the first is what it was created with.
   *
   * Permission: `docs.documents.read`.
   */
  listDocumentRevisions(id: string, query: ListDocumentRevisionsQuery = {}, options: RequestOptions = {}): Pages<DocumentRevision> {
    return this.requests.pages({ path: path`/v1/documents/${id}/revisions`, query }, options);
  }

  /**
   * Get a revision of a document
   *
   * The content that the document had then; its ETag is the state that it had.
   *
   * Permission: `docs.documents.read`.
   */
  getDocumentRevision(id: string, revision: string, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/documents/${id}/revisions/${revision}` }, options);
  }

  /**
   * Export a document
   *
   * A download of the present content, as Markdown or as a page of HTML. Markdown is CommonMark with tables and strike-through; of HTML in it the text is kept and nothing else, and links lead to http, https, mailto, tel and ftp or to what lies beside. Content over 1 MB, or that takes too long to be made HTML, or whose HTML would be over 10 MB, is refused as HTML.
   *
   * Permission: `docs.documents.read`.
   */
  exportDocument(id: string, query: ExportDocumentQuery = {}, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/documents/${id}/export`, query }, options);
  }
}
