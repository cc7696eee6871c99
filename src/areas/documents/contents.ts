import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type StagedBytes, type Staging, takeOver } from '../../blobs/staging.ts';
import { Content, type Page, type PageRequest, pageOf } from '../../contract/answers.ts';
import { notFound } from '../../contract/errors.ts';
import { requireState } from '../../contract/preconditions.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { type DriveOwner, emitNode, type Nodes, type Wanted } from '../drive/service.ts';
import { markdownOf, streamOf, verifyUtf8 } from './markdown.ts';
import type { NewContents, PrepareContents } from './new-contents.ts';
import {
  type DocumentKey,
  findRevision,
  getLatest,
  getLatestStored,
  insertRevision,
  listRevisions,
  type Revision,
  type StoredRevision,
} from './revision-store.ts';
import type { RevisionRecord, WrittenContent } from './schema.ts';

/** The services that document contents use. */
export interface ContentDependencies {
  nodes: Nodes;
  staging: Staging;
}

/** Only finds documents with Markdown content: the id of a spreadsheet leads to not_found. */
export function textDocument(id: string): Wanted {
  return { id, kinds: ['document'], resource: 'document' };
}

/** Prepares the first revision of new documents: empty, or from an uploaded text. */
export function prepareContent(staging: Staging): PrepareContents {
  return async (source) => {
    if (!source) return firstRevision(await stageContent(staging, streamOf(Buffer.alloc(0))));
    const { markdown, encoding } = await markdownOf(source);
    const revision = firstRevision(await stageContent(staging, streamOf(markdown)));
    return { ...revision, imported: { format: 'text', encoding } };
  };
}

/** Staged content with its digest. */
export interface StagedContent extends StagedBytes {
  /** SHA-256, in base64url. */
  digest: string;
}

/** Stages content. Rejects with the errors of the source and of the staging. */
async function stageContent(staging: Staging, source: AsyncIterable<Uint8Array>): Promise<StagedContent> {
  const hash = createHash('sha256');
  const staged = await staging.stage(updateHash(source, hash));
  return { ...staged, digest: hash.digest('base64url') };
}

async function* updateHash(source: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Stages content before the transaction that stores it. Rejects with ApiError validation_failed if it is not UTF-8. */
export function receiveContent(
  { staging }: ContentDependencies,
  content: AsyncIterable<Uint8Array>,
): Promise<StagedContent> {
  return stageContent(staging, verifyUtf8(content));
}

/** Prepares a document with this text, before the transaction that creates it. Rejects as `receiveContent`. */
export async function prepareText(
  dependencies: ContentDependencies,
  content: AsyncIterable<Uint8Array>,
): Promise<NewContents> {
  return firstRevision(await receiveContent(dependencies, content));
}

/** The staged content as the first revision of a new document. */
function firstRevision(staged: StagedContent): NewContents {
  return {
    onCreated: async (tx, { ownerId, ...key }) => void (await addRevision(tx, key, 1, ownerId, staged)),
    discard: staged.discard,
  };
}

/** The current content of a document. Throws ApiError not_found or forbidden. */
export async function getContent(
  tx: ReadTransaction,
  dependencies: ContentDependencies,
  user: DriveOwner,
  id: string,
): Promise<Content> {
  await dependencies.nodes.requireReadable(tx, user, textDocument(id));
  return contentOf(await getLatestStored(tx, { workspaceId: user.workspaceId, id }), dependencies.staging);
}

/** The content of a revision. Throws ApiError not_found or forbidden. */
export async function getRevision(
  tx: ReadTransaction,
  dependencies: ContentDependencies,
  user: DriveOwner,
  id: string,
  revision: string,
): Promise<Content> {
  await dependencies.nodes.requireReadable(tx, user, textDocument(id));
  const key = { workspaceId: user.workspaceId, id };
  const found = /^[1-9]\d{0,14}$/.test(revision) ? await findRevision(tx, key, Number(revision)) : undefined;
  if (!found) throw notFound('revision', revision);
  return contentOf(found, dependencies.staging);
}

/** One page of the revisions of a document, newest first. Throws ApiError not_found or forbidden. */
export async function pageOfRevisions(
  tx: ReadTransaction,
  { nodes }: ContentDependencies,
  user: DriveOwner,
  id: string,
  { after, limit }: PageRequest,
): Promise<Page<RevisionRecord>> {
  await nodes.requireReadable(tx, user, textDocument(id));
  const before = Number(after?.[0] ?? Number.MAX_SAFE_INTEGER);
  const rows = await listRevisions(tx, { workspaceId: user.workspaceId, id }, before, limit);
  return pageOf(rows, revisionRecord, ({ revision }) => [revision]);
}

/**
 * Makes staged content the next revision if If-Match names the current state. Writing the same content again stores
 * nothing: "the state token changes exactly when something stored changed". Throws ApiError not_found, forbidden,
 * trashed, precondition_required or state_mismatch.
 */
export async function putContent(
  tx: WriteTransaction,
  { nodes }: ContentDependencies,
  user: DriveOwner,
  id: string,
  headers: IncomingHttpHeaders,
  staged: StagedContent,
): Promise<WrittenContent> {
  await nodes.requireWritable(tx, user, textDocument(id));
  const key = { workspaceId: user.workspaceId, id };
  await tx.lock({ workspaceId: user.workspaceId, scope: `document ${id}` });
  const { revision, state, digest } = await getLatest(tx, key);
  requireState(headers, state);
  if (staged.digest === digest) {
    tx.afterCommit(() => void staged.discard());
    return { revision, state };
  }
  emitNode(tx, await nodes.hold(tx, user.workspaceId, id), 'changed');
  await nodes.touch(tx, user.workspaceId, id);
  return addRevision(tx, key, revision + 1, user.userId, staged);
}

async function addRevision(
  tx: WriteTransaction,
  key: DocumentKey,
  revision: number,
  createdBy: string,
  staged: StagedContent,
): Promise<WrittenContent> {
  const state = randomUUID();
  const { size, digest, location } = staged;
  const made = { created_by: createdBy, created_at: Date.now() };
  await insertRevision(tx, key, { ...made, revision, state, size, digest, location });
  await takeOver(tx, staged);
  return { revision, state };
}

/** The content of a revision, opened when it is sent. */
export function contentOf({ state, created_at, size, location }: StoredRevision, staging: Staging): Content {
  return new Content({
    mediaType: 'text/markdown; charset=utf-8',
    size,
    validators: { etag: `"${state}"`, lastModified: created_at },
    open: (range) => staging.open(location, range),
  });
}

function revisionRecord({ created_at, ...revision }: Revision): RevisionRecord {
  return { ...revision, created_at: new Date(created_at).toISOString() };
}
