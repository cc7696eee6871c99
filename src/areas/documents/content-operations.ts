import { Type } from 'typebox';
import { type Operation, reads, receives } from '../../contract/operation.ts';
import { IfMatch } from '../../contract/preconditions.ts';
import { MAX_CONTENT_BYTES } from './markdown.ts';
import { ExportQuery, RevisionRecord, WrittenContent } from './schema.ts';
import type { DocumentsService } from './service.ts';

const area = 'Documents';
const mediaType = 'text/markdown';
const ByDocument = Type.Object({
  id: Type.String({ description: 'The document.', examples: ['doc_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByRevision = Type.Object({
  id: Type.String({ description: 'The document.', examples: ['doc_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  revision: Type.String({ description: 'The number of the revision.', examples: ['2'] }),
});

export function contentOperations(documents: DocumentsService): Operation[] {
  return [...present(documents), ...past(documents), ...exporting(documents)];
}

function present(documents: DocumentsService): Operation[] {
  return [
    reads({
      id: 'getDocumentContent',
      area,
      method: 'GET',
      path: '/v1/documents/:id/content',
      summary: 'Get the content of a document',
      description:
        'The Markdown, to the byte as it was written; its state is the ETag. If-None-Match answers 304 while that is the same. In the trash, only the owner reads it. A spreadsheet has no such content.',
      permissions: ['docs.documents.read'],
      params: ByDocument,
      content: { mediaTypes: [mediaType] },
      errors: ['forbidden', 'state_mismatch', 'range_not_satisfiable'],
      handle: (tx, { principal, params }) => documents.getContent(tx, principal, params.id),
    }),
    receives({
      id: 'putDocumentContent',
      area,
      method: 'PUT',
      path: '/v1/documents/:id/content',
      summary: 'Replace the content of a document',
      description: `Writes the next revision: Markdown in UTF-8, without U+0000, at most ${MAX_CONTENT_BYTES} bytes, kept as they are. The same content again makes no revision, and its answer names the present one. If-Match names the state that was read, so that nobody overwrites what they have not seen: of several writers on one state one succeeds. Needs the role editor.`,
      permissions: ['docs.documents.write'],
      params: ByDocument,
      headers: Type.Object({ 'If-Match': IfMatch }),
      rawBody: { mediaType, maxSize: MAX_CONTENT_BYTES },
      answer: WrittenContent,
      errors: ['forbidden', 'trashed', 'precondition_required', 'state_mismatch'],
      receive: (_input, content) => documents.receiveContent(content),
      handle: (tx, { principal, params, headers }, content) =>
        documents.putContent(tx, principal, params.id, headers, content),
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
        documents.export(tx, principal, params.id, query.format ?? 'markdown'),
    }),
  ];
}

function past(documents: DocumentsService): Operation[] {
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
      handle: (tx, { principal, params, page }) => documents.listRevisions(tx, principal, params.id, page),
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
      handle: (tx, { principal, params }) => documents.getRevision(tx, principal, params.id, params.revision),
    }),
  ];
}
