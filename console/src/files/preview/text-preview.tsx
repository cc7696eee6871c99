import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/api.ts';
import { useLanguage, useTexts } from '../../app/texts.ts';
import { ErrorPlace } from '../../parts/place.tsx';
import { sizeText } from '../../parts/size.ts';
import type { Item } from '../items.ts';
import { filesTexts } from '../texts.ts';
import styles from './preview.module.css';

/** More is not read for a preview; it says so. */
const SHOWN_BYTES = 512 * 1024;

interface Beginning {
  text: string;
  isWhole: boolean;
}

/** The text of a file or document as it is: Markdown and HTML as their source. */
export function TextPreview({ item }: { item: Item }) {
  const texts = useTexts(filesTexts);
  const language = useLanguage();
  const { data, error, refetch } = useQuery({
    queryKey: ['files', 'text', item.id, item.updatedAt],
    queryFn: ({ signal }) => readBeginning(item, signal),
    gcTime: 60_000,
  });
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <div className={styles.text}>
      {!data.isWhole && <p className={styles.note}>{texts.beginningOnly(sizeText(SHOWN_BYTES, language))}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reached by key */}
      <pre className={styles.source} dir="auto" tabIndex={0} role="document" aria-label={item.name}>
        {data.text}
      </pre>
    </div>
  );
}

async function readBeginning({ kind, id }: Item, signal: AbortSignal): Promise<Beginning> {
  const options = { signal };
  const content =
    kind === 'document'
      ? await api.documents.getDocumentContent(id, options)
      : await api.files.getFileContent(id, options);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of content) {
    chunks.push(new Uint8Array(chunk));
    size += chunk.length;
    if (size > SHOWN_BYTES) break;
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return { text: decoded(bytes.subarray(0, SHOWN_BYTES)), isWhole: size <= SHOWN_BYTES };
}

/** UTF-8, unless the mark at its beginning says UTF-16. */
function decoded(bytes: Uint8Array<ArrayBuffer>): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  return new TextDecoder(first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8').decode(bytes);
}
