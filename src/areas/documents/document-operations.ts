import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../contract/operation.ts';
import { requirePermission } from '../../contract/principal.ts';
import { metadataProblems } from './record.ts';
import { Document, DocumentChanges, DocumentFilters, NewDocument, NewDocumentRecord } from './schema.ts';
import type { DocumentsService } from './service.ts';

const area = 'Documents';
const ByDocument = Type.Object({
  id: Type.String({
    description: 'The document or spreadsheet.',
    examples: ['doc_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});

export function documentOperations(documents: DocumentsService): Operation[] {
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
      description:
        "Documents and spreadsheets, newest first: the caller's own, and those shared with the caller or with a group of theirs. Filters combine by and; an unknown folder lists nothing.",
      permissions: ['docs.documents.read'],
      query: DocumentFilters,
      paging: { default: 25, cap: 100 },
      answer: Type.Array(Document),
      handle: (tx, { principal, query, page }) =>
        documents.list(
          tx,
          principal,
          {
            type: query.type,
            folderId: query.folder_id,
            q: query.q ?? '',
            trashed: query.trashed ?? false,
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
      params: ByDocument,
      answer: Document,
      handle: (tx, { principal, params }) => documents.get(tx, principal, params.id),
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
      description:
        'A document or spreadsheet of the caller, empty or filled by an uploaded file, which it keeps nothing to do with. How that was read, and what of it was left out, is in the answer as `import`. Filling takes files.read as well.',
      permissions: ['docs.documents.write'],
      body: NewDocument,
      status: 201,
      answer: NewDocumentRecord,
      errors: ['not_found', 'forbidden', 'folder_trashed', 'unreadable_file'],
      check: ({ principal, body }) => {
        // A key that could not download a file must not read it as a document either.
        if (body.source_file_id !== undefined) requirePermission(principal, 'files.read');
        return metadataProblems(body);
      },
      prepare: ({ principal, body }) => documents.prepare(principal, body),
      handle: (tx, { principal, body }, contents) => documents.create(tx, principal, body, contents),
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
      params: ByDocument,
      body: DocumentChanges,
      answer: Document,
      errors: ['forbidden', 'folder_trashed'],
      check: ({ body }) => metadataProblems(body),
      handle: (tx, { principal, params, body }) => documents.update(tx, principal, params.id, body),
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
      description:
        'Moves it to the trash; there is no permanent delete. Needs the role editor. What is in the trash stays as it is. Whom it is shared with still see it there, but only the owner reads its contents.',
      permissions: ['docs.documents.write'],
      params: ByDocument,
      status: 204,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => documents.trash(tx, principal, params.id),
    }),
    writes({
      id: 'restoreDocument',
      area,
      method: 'POST',
      path: '/v1/documents/:id/restore',
      summary: 'Restore a document from the trash',
      description:
        'Needs the role editor. It comes back to its folder, or to the root where that is in the trash. What is active stays as it is.',
      permissions: ['docs.documents.write'],
      params: ByDocument,
      answer: Document,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => documents.restore(tx, principal, params.id),
    }),
  ];
}
