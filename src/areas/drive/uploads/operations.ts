import { Type } from 'typebox';
import { ANY_MEDIA_TYPE, type Operation, reads, receives, writes } from '../../../contract/operation.ts';
import { File } from '../schema.ts';
import { digestProblems } from './received-content.ts';
import {
  checkFileSize,
  MAX_PARTS,
  NewFileQuery,
  NewUpload,
  OpenUpload,
  partNumber,
  UploadedPart,
  UploadSession,
  UploadStatus,
} from './upload-schema.ts';
import type { Uploads } from './uploads.ts';

const area = 'Files';
const BySession = Type.Object({
  session: Type.String({
    description: 'The session_id of the upload.',
    examples: ['upl_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});
const ByPart = Type.Object({
  session: Type.String({
    description: 'The session_id of the upload.',
    examples: ['upl_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
  number: Type.String({ description: 'The number of the part, from 1.', examples: ['1'] }),
});
const ContentDigest = Type.Object({
  'Content-Digest': Type.Optional(
    Type.String({
      description: 'As in RFC 9530: sha-256=:…:, the digest of this body. It is checked.',
      examples: ['sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:'],
    }),
  ),
});

export function uploadOperations(uploads: Uploads): Operation[] {
  return [
    startUpload(uploads),
    listUploads(uploads),
    getUpload(uploads),
    abortUpload(uploads),
    uploadPart(uploads),
    completeUpload(uploads),
    uploadFile(uploads),
  ];
}

function startUpload(uploads: Uploads): Operation {
  return writes({
    id: 'startUpload',
    area,
    method: 'POST',
    path: '/v1/files/uploads',
    summary: 'Start an upload',
    description:
      'Opens a resumable upload. Slice the file by exactly part_size bytes, send each part with PUT, in any order and several at once, then complete.',
    permissions: ['files.write'],
    body: NewUpload,
    answer: UploadSession,
    status: 201,
    errors: ['not_found', 'forbidden', 'folder_trashed', 'file_too_large', 'quota_exceeded'],
    prepare: ({ body }) => uploads.checkFits(body),
    handle: (tx, { principal, body }) => uploads.start(tx, principal, body),
  });
}

function listUploads(uploads: Uploads): Operation {
  return reads({
    id: 'listUploads',
    area,
    method: 'GET',
    path: '/v1/files/uploads',
    summary: 'List open uploads',
    description: 'The uploads of the caller that take parts, newest first.',
    permissions: ['files.write'],
    paging: { default: 25, cap: 100 },
    answer: Type.Array(OpenUpload),
    handle: (tx, { principal, page }) => uploads.listOpen(tx, principal, page),
  });
}

function getUpload(uploads: Uploads): Operation {
  return reads({
    id: 'getUpload',
    area,
    method: 'GET',
    path: '/v1/files/uploads/:session',
    summary: 'Get the status of an upload',
    description: 'Told until 30 days after the end of the upload.',
    permissions: ['files.write'],
    params: BySession,
    answer: UploadStatus,
    handle: (tx, { principal, params }) => uploads.getStatus(tx, principal, params.session),
  });
}

function abortUpload(uploads: Uploads): Operation {
  return writes({
    id: 'abortUpload',
    area,
    method: 'DELETE',
    path: '/v1/files/uploads/:session',
    summary: 'Abort an upload',
    description: 'Gives the space of its parts back. May be repeated.',
    permissions: ['files.write'],
    params: BySession,
    status: 204,
    errors: ['upload_finished'],
    handle: (tx, { principal, params }) => uploads.abort(tx, principal, params.session),
  });
}

function uploadPart(uploads: Uploads): Operation {
  return receives({
    id: 'uploadPart',
    area,
    method: 'PUT',
    path: '/v1/files/uploads/:session/parts/:number',
    summary: 'Upload a part',
    description:
      'The raw bytes of one part; it is durable when the answer leaves. The same number again replaces the part. Content-Length is required, the media type makes no difference.',
    permissions: ['files.write'],
    params: ByPart,
    headers: ContentDigest,
    rawBody: { mediaType: ANY_MEDIA_TYPE, maxSize: Number.POSITIVE_INFINITY, lengthRequired: true },
    answer: UploadedPart,
    errors: [
      'invalid_part_number',
      'invalid_part_size',
      'digest_mismatch',
      'length_required',
      'upload_finished',
      'upload_aborted',
      'upload_expired',
      'quota_exceeded',
    ],
    check: ({ params, headers }) => {
      const problems = digestProblems(headers);
      if (problems.length === 0) partNumber(params.number, MAX_PARTS);
      return problems;
    },
    receive: ({ principal, params, headers }, content) =>
      uploads.receivePart(principal, { sessionId: params.session, number: params.number }, headers, content),
    handle: (tx, { principal }, part) => uploads.acceptPart(tx, principal, part),
  });
}

function completeUpload(uploads: Uploads): Operation {
  return writes({
    id: 'completeUpload',
    area,
    method: 'POST',
    path: '/v1/files/uploads/:session/complete',
    summary: 'Complete an upload',
    description:
      'Makes the file, at the same cost whatever its size. Where the folder has been trashed meanwhile it is refused; restore the folder and complete again.',
    permissions: ['files.write'],
    emits: ['file.created'],
    params: BySession,
    answer: File,
    status: 201,
    errors: [
      'forbidden',
      'parts_missing',
      'folder_trashed',
      'upload_finished',
      'upload_aborted',
      'upload_expired',
    ],
    prepare: ({ principal, params }) => uploads.assemble(principal, params.session),
    handle: (tx, { principal }, upload) => uploads.complete(tx, principal, upload),
  });
}

function uploadFile(uploads: Uploads): Operation {
  return receives({
    id: 'uploadFile',
    area,
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a small file in one request',
    agent: {
      tool: 'write_file',
      title: 'Write a new file',
      hint: 'From content, or content_base64 for bytes.',
    },
    description:
      'The body is the file; its media type makes no difference. Cut off at 100 seconds: start an upload for anything large.',
    permissions: ['files.write'],
    emits: ['file.created'],
    query: NewFileQuery,
    headers: ContentDigest,
    rawBody: {
      mediaType: ANY_MEDIA_TYPE,
      maxSize: Number.POSITIVE_INFINITY,
      checkSize: (announced) => checkFileSize(announced, uploads.limits),
      // A getter, because operations are also declared only to generate the reference, where `uploads` has no limits.
      get cutOff() {
        return uploads.limits.singleRequest;
      },
    },
    answer: File,
    status: 201,
    errors: [
      'not_found',
      'forbidden',
      'folder_trashed',
      'digest_mismatch',
      'upload_timeout',
      'file_too_large',
      'quota_exceeded',
    ],
    check: ({ headers }) => digestProblems(headers),
    receive: ({ principal, query, headers }, content) => {
      const { filename, folder_id: folderId = '' } = query;
      return uploads.receiveFile(principal, { filename, folderId, headers }, content);
    },
    handle: (tx, { principal }, file) => uploads.createUploadedFile(tx, principal, file),
  });
}
