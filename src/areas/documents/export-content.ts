import type { RawLocation, Staging } from '../../blobs/staging.ts';
import { Content } from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import { requireParameter } from '../../contract/required-values.ts';
import { MAX_PAGE_SOURCE, renderPage } from '../../formats/markdown/page-thread.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { TooManyWaiting } from '../../turns/fair-queue.ts';
import type { DriveOwner } from '../drive/service.ts';
import { type ContentDependencies, contentOf, textDocument } from './contents.ts';
import { getLatestStored, type StoredRevision } from './revision-store.ts';
import { type ExportFormat, ExportQuery } from './schema.ts';

const ENDINGS: Readonly<Record<ExportFormat, string>> = { markdown: '.md', html: '.html' };

/**
 * The current content as a file to save. Throws ApiError not_found, forbidden or payload_too_large; opening the content
 * may throw these too.
 */
export async function exportContent(
  tx: ReadTransaction,
  { nodes, staging }: ContentDependencies,
  user: DriveOwner,
  id: string,
  format: ExportFormat,
): Promise<Content> {
  requireParameter(ExportQuery.properties.format, format, 'format');
  const { node } = await nodes.requireReadable(tx, user, textDocument(id));
  const stored = await getLatestStored(tx, { workspaceId: user.workspaceId, id });
  const filename = filenameOf(node.title, ENDINGS[format]);
  if (format === 'markdown') return new Content({ ...contentOf(stored, staging), filename });
  if (stored.size > MAX_PAGE_SOURCE) throw tooMuchForPage(stored.size);
  const open = () => pageOf(staging, stored, node.title);
  return new Content({ mediaType: 'text/html; charset=utf-8', filename, open });
}

/** Replaces characters of a title that are not allowed in a filename. */
function filenameOf(title: string, ending: string): string {
  const name = title.replaceAll(/[/\\]/g, '-');
  return name.toLowerCase().endsWith(ending) ? name : `${name}${ending}`;
}

async function pageOf(
  staging: Staging,
  { size, location }: StoredRevision,
  title: string,
): Promise<Uint8Array> {
  const markdown = await bytesOf(staging, location);
  const page = await renderPage(markdown, title).catch((cause) => {
    if (cause instanceof TooManyWaiting) throw cause;
    throw tooMuchForPage(size, { cause });
  });
  if (page === undefined) throw tooMuchForPage(size);
  return page;
}

function tooMuchForPage(size: number, options?: ErrorOptions): ApiError {
  const message = `The content is over ${MAX_PAGE_SOURCE} bytes, too entangled to be made HTML, or its HTML too long; export it as Markdown.`;
  return new ApiError('payload_too_large', message, { size, max_size: MAX_PAGE_SOURCE }, options);
}

async function bytesOf(staging: Staging, location: RawLocation): Promise<Uint8Array> {
  const content = await staging.open(location);
  return content instanceof Uint8Array ? content : Buffer.concat(await content.toArray());
}
