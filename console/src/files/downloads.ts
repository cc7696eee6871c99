import { download } from '../app/api.ts';
import { reasonOf } from '../app/refusals.ts';
import { showToast } from '../app/toasts.tsx';
import type { Item } from './items.ts';
import type { filesTexts } from './texts.ts';

/** Browsers drop downloads that begin at the same moment. */
const BETWEEN_MS = 400;

/** The path of the API that answers the content of an item as a download. */
export function contentPath({ kind, id }: Pick<Item, 'kind' | 'id'>): string {
  if (kind === 'file') return `/v1/files/${id}/content`;
  return kind === 'document' ? `/v1/documents/${id}/export` : `/v1/spreadsheets/${id}/export`;
}

/** Saves files one after the other; the browser names documents and sheets as the server says. */
export async function downloadAll(items: readonly Item[], texts: typeof filesTexts.en): Promise<void> {
  const files = items.filter(({ kind }) => kind !== 'folder');
  if (files.length < items.length) showToast({ text: texts.foldersNotSaved, kind: 'problem' });
  for (const [index, item] of files.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    try {
      await download(contentPath(item), item.kind === 'file' ? item.name : undefined);
    } catch (error) {
      const reason = reasonOf(error);
      showToast({ text: texts.refused(texts.downloadOf(item.name), reason), kind: 'problem' });
    }
  }
}
