import { Type } from 'typebox';
import { type Operation, reads, receives, writes } from '../../contract/operation.ts';
import { IfMatch } from '../../contract/preconditions.ts';
import { requirePermission } from '../../contract/principal.ts';
import { RecordQuery } from '../drive/service.ts';
import { getContent, getRevision, pageOfRevisions, putContent, receiveContent } from './contents.ts';
import {
  createDocument,
  documentOf,
  listDocuments,
  metadataProblems,
  prepareDocument,
  updateDocument,
} from './documents.ts';
import { exportContent } from './export-content.ts';
import { MAX_CONTENT_BYTES } from './markdown.ts';
import {
  Document,
  DocumentChanges,
  DocumentFilters,
  ExportQuery,
  NewDocument,
  NewDocumentRecord,
  ReadDocument,
  RevisionRecord,
  WrittenContent,
} from './schema.ts';
import type { DocumentsService } from './service.ts';

/** Operations on documents, and those that spreadsheets share with them. */
export function documentsOperations(documents: DocumentsService): Operation[] {
  return [...documentOperations(documents), ...contentOperations(documents)];
}

const area = 'Documents';
const mediaType = 'text/markdown';
const ByDocument = Type.Object({
  id: Type.String({ description: 'The document.', examples: ['doc_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByRevision = Type.Object({
  id: Type.String({ description: 'The document.', examples: ['doc_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  revision: Type.String({ description: 'The number of the revision.', examples: ['2'] }),
});

function contentOperations(documents: DocumentsService): Operation[] {
  return [...currentContent(documents), ...revisions(documents), ...exporting(documents)];
}

function currentContent(documents: DocumentsService): Operation[] {
  return [
    reads({
      id: 'getDocumentContent',
      area,
      method: 'GET',
      path: '/v1/documents/:id/content',
      summary: 'Get the content of a document',
      agent: {
        tool: 'read_document',
        title: 'Read a document',
        hint: 'Its Markdown, and the state that write_document takes as if_match.',
        hasTextOfOthers: true,
      },
      description:
        'The Markdown, to the byte as it was written; its state is the ETag. If-None-Match answers 304 while that is the same. In the trash, only the owner reads it. A spreadsheet has no such content.',
      permissions: ['docs.documents.read'],
      params: ByDocument,
      content: { mediaTypes: [mediaType] },
      errors: ['forbidden', 'state_mismatch', 'range_not_satisfiable'],
      handle: (tx, { principal, params }) => getContent(tx, documents.dependencies, principal, params.id),
    }),
    receives({
      id: 'putDocumentContent',
      area,
      method: 'PUT',
      path: '/v1/documents/:id/content',
      summary: 'Replace the content of a document',
      agent: {
        tool: 'write_document',
        title: 'Write a document',
        hint: 'With id, replaces its Markdown; if_match is the state that was read.',
        isDestructive: true,
      },
      description: `Writes the next revision: Markdown in UTF-8, without U+0000, at most ${MAX_CONTENT_BYTES} bytes, kept as they are. The same content again makes no revision, and its answer names the present one. If-Match names the state that was read, so that nobody overwrites what they have not seen: of several writers on one state one succeeds. Needs the role editor.`,
      permissions: ['docs.documents.write'],
      emits: ['document.changed'],
      params: ByDocument,
      headers: Type.Object({ 'If-Match': IfMatch }),
      rawBody: { mediaType, maxSize: MAX_CONTENT_BYTES },
      answer: WrittenContent,
      errors: ['forbidden', 'trashed', 'precondition_required', 'state_mismatch'],
      receive: (_input, content) => receiveContent(documents.dependencies, content),
      handle: (tx, { principal, params, headers }, content) =>
        putContent(tx, documents.dependencies, principal, params.id, headers, content),
    }),
  ];
}

function exporting(documents: DocumentsService): Operation[] {
  return [
    reads({
      id: 'exportDocument',
      area,
      method: 'GET',
      path: '/v1/documents/:id/export',
      summary: 'Export a document',
      description:
        'A download of the present content, as Markdown or as a page of HTML. Markdown is CommonMark with tables and strike-through; of HTML in it the text is kept and nothing else, and links lead to http, https, mailto, tel and ftp or to what lies beside. Content over 1 MB, or that takes too long to be made HTML, or whose HTML would be over 10 MB, is refused as HTML.',
      permissions: ['docs.documents.read'],
      params: ByDocument,
      query: ExportQuery,
      content: { mediaTypes: [mediaType, 'text/html'] },
      errors: ['forbidden', 'payload_too_large', 'state_mismatch', 'range_not_satisfiable'],
      handle: (tx, { principal, params, query }) =>
        exportContent(tx, documents.dependencies, principal, params.id, query.format ?? 'markdown'),
    }),
  ];
}

function revisions(documents: DocumentsService): Operation[] {
  return [
    reads({
      id: 'listDocumentRevisions',
      area,
      method: 'GET',
      path: '/v1/documents/:id/revisions',
      summary: 'List the revisions of a document',
      description:
        'Newest first. Every content that a document has had is a revision, kept whole; the first is what it was created with.',
      permissions: ['docs.documents.read'],
      params: ByDocument,
      paging: { default: 25, cap: 100 },
      answer: Type.Array(RevisionRecord),
      errors: ['forbidden'],
      handle: (tx, { principal, params, page }) =>
        pageOfRevisions(tx, documents.dependencies, principal, params.id, page),
    }),
    reads({
      id: 'getDocumentRevision',
      area,
      method: 'GET',
      path: '/v1/documents/:id/revisions/:revision',
      summary: 'Get a revision of a document',
      description: 'The content that the document had then; its ETag is the state that it had.',
      permissions: ['docs.documents.read'],
      params: ByRevision,
      content: { mediaTypes: [mediaType] },
      errors: ['forbidden', 'state_mismatch', 'range_not_satisfiable'],
      handle: (tx, { principal, params }) =>
        getRevision(tx, documents.dependencies, principal, params.id, params.revision),
    }),
  ];
}

const ByDocumentOrSpreadsheet = Type.Object({
  id: Type.String({
    description: 'The document or spreadsheet.',
    examples: ['doc_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});

function documentOperations(documents: DocumentsService): Operation[] {
  return [...reading(documents), ...writing(documents), ...trash(documents)];
}

function reading(documents: DocumentsService): Operation[] {
  return [
    reads({
      id: 'listDocuments',
      area,
      method: 'GET',
      path: '/v1/documents',
      summary: 'List documents',
      agent: {
        tool: 'list_drive',
        title: 'List a folder of the drive',
        lists: ['folder_id', 'q', 'trashed', 'shared', 'cursor'],
        hasTextOfOthers: true,
      },
      description:
        "Documents and spreadsheets, newest first: the caller's own, and those shared with the caller or with a group of theirs. Filters combine by and; an unknown folder lists nothing.",
      permissions: ['docs.documents.read'],
      query: DocumentFilters,
      paging: { default: 25, cap: 100 },
      answer: Type.Array(ReadDocument),
      handle: (tx, { principal, query, page }) =>
        listDocuments(
          tx,
          documents.dependencies,
          principal,
          {
            type: query.type,
            folderId: query.folder_id,
            q: query.q ?? '',
            trashed: query.trashed ?? false,
            shared: query.shared ?? false,
            include: query.include,
          },
          page,
        ),
    }),
    reads({
      id: 'getDocument',
      area,
      method: 'GET',
      path: '/v1/documents/:id',
      summary: 'Get a document',
      description: 'Metadata only, not contents. The id of an uploaded file is that of no document.',
      permissions: ['docs.documents.read'],
      params: ByDocumentOrSpreadsheet,
      query: RecordQuery,
      answer: ReadDocument,
      handle: (tx, { principal, params, query }) =>
        documents.dependencies.nodes.get(tx, principal, documentOf(params.id), query),
    }),
  ];
}

function writing(documents: DocumentsService): Operation[] {
  return [
    writes({
      id: 'createDocument',
      area,
      method: 'POST',
      path: '/v1/documents',
      summary: 'Create a document',
      agent: {
        tool: 'write_document',
        title: 'Write a document',
        hint: 'Without id, a new document (title, content), or an empty one of type spreadsheet.',
        lists: ['type', 'title', 'folder_id'],
      },
      description:
        'A document or spreadsheet of the caller, empty or filled by an uploaded file, which it keeps nothing to do with. How that was read, and what of it was left out, is in the answer as `import`. Filling takes files.read as well.',
      permissions: ['docs.documents.write'],
      emits: ['document.created', 'spreadsheet.created'],
      body: NewDocument,
      status: 201,
      answer: NewDocumentRecord,
      errors: ['not_found', 'forbidden', 'folder_trashed', 'unreadable_file'],
      check: ({ principal, body }) => {
        // A key without the right to download files must not read a file through a document either.
        if (body.source_file_id !== undefined) requirePermission(principal, 'files.read');
        return metadataProblems(body);
      },
      prepare: ({ principal, body }) => prepareDocument(documents.dependencies, principal, body),
      handle: (tx, { principal, body }, contents) =>
        createDocument(tx, documents.dependencies, principal, body, contents),
    }),
    writes({
      id: 'updateDocument',
      area,
      method: 'PUT',
      path: '/v1/documents/:id',
      summary: 'Rename, move or describe a document',
      description:
        'Replaces the fields that are sent; metadata is replaced whole. Needs the role editor; only the owner moves it, into a folder of the owner or, with "", to the root. What leaves a folder of the trash is active again.',
      permissions: ['docs.documents.write'],
      emits: ['document.changed', 'document.restored', 'spreadsheet.changed', 'spreadsheet.restored'],
      params: ByDocumentOrSpreadsheet,
      body: DocumentChanges,
      answer: Document,
      errors: ['forbidden', 'folder_trashed'],
      check: ({ body }) => metadataProblems(body),
      handle: (tx, { principal, params, body }) =>
        updateDocument(tx, documents.dependencies, principal, params.id, body),
    }),
  ];
}

function trash(documents: DocumentsService): Operation[] {
  return [
    writes({
      id: 'trashDocument',
      area,
      method: 'DELETE',
      path: '/v1/documents/:id',
      summary: 'Delete a document',
      agent: { tool: 'trash_item', title: 'Move to the trash', isDestructive: true, ids: ['doc', 'sht'] },
      description:
        'Moves it to the trash; there is no permanent delete. Needs the role editor. What is in the trash stays as it is. Whom it is shared with still see it there, but only the owner reads its contents.',
      permissions: ['docs.documents.write'],
      emits: ['document.trashed', 'spreadsheet.trashed'],
      params: ByDocumentOrSpreadsheet,
      status: 204,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) =>
        documents.dependencies.nodes.trash(tx, principal, documentOf(params.id)),
    }),
    writes({
      id: 'restoreDocument',
      area,
      method: 'POST',
      path: '/v1/documents/:id/restore',
      summary: 'Restore a document from the trash',
      agent: {
        tool: 'restore_item',
        title: 'Take out of the trash',
        ids: ['doc', 'sht'],
        hasTextOfOthers: true,
      },
      description:
        'Needs the role editor. It comes back to its folder, or to the root where that is in the trash. What is active stays as it is.',
      permissions: ['docs.documents.write'],
      emits: ['document.restored', 'spreadsheet.restored'],
      params: ByDocumentOrSpreadsheet,
      answer: Document,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) =>
        documents.dependencies.nodes.restore(tx, principal, documentOf(params.id)),
    }),
  ];
}
