import { Download, FileQuestion } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { ticketFor } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyPlace, ErrorPlace } from '../../parts/place.tsx';
import { contentPath } from '../downloads.ts';
import type { Item } from '../items.ts';
import { filesTexts } from '../texts.ts';
import styles from './preview.module.css';
import { SheetPreview } from './sheet-preview.tsx';
import { TextPreview } from './text-preview.tsx';

const PdfPreview = lazy(() => import('./pdf-preview.tsx'));

/** What browsers show as pictures. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon|apng|x-ms-bmp)$/;
const TEXTS = /^text\/|[/+](?:json|xml|javascript|x-sh|x-shellscript|yaml|x-yaml|toml|sql)$/;

interface PreviewProps {
  item: Item;
  onSave(): void;
}

/** Shows what is in a file, where a browser can: nothing of it is run. */
export function Preview({ item, onSave }: PreviewProps) {
  const texts = useTexts(filesTexts);
  const type = item.mediaType ?? '';
  if (item.kind === 'spreadsheet') return <SheetPreview id={item.id} />;
  if (item.kind === 'document' || TEXTS.test(type)) return <TextPreview item={item} />;
  if (PICTURES.test(type) || /^(?:audio|video)\//.test(type)) return <MediaPreview {...{ item, onSave }} />;
  if (type === 'application/pdf')
    return (
      <Suspense fallback={null}>
        <PdfPreview path={`/v1/files/${item.id}/content`} name={item.name} />
      </Suspense>
    );
  return <NoPreview title={texts.noPreview} {...{ onSave }} />;
}

function NoPreview({ title, onSave }: { title: string; onSave(): void }) {
  const texts = useTexts(filesTexts);
  return (
    <EmptyPlace icon={<FileQuestion />} title={title}>
      <Button onPress={onSave}>
        <Download />
        {texts.download}
      </Button>
    </EmptyPlace>
  );
}

function MediaPreview({ item, onSave }: PreviewProps) {
  const texts = useTexts(filesTexts);
  const [isBroken, setBroken] = useState(false);
  const { url, error, again } = useTicket(contentPath(item));
  if (isBroken) return <NoPreview title={texts.brokenPreview} onSave={onSave} />;
  if (error !== undefined) return <ErrorPlace error={error} onRetry={again} />;
  if (url === undefined) return null;
  return <div className={styles.media}>{mediaOf(item, url, () => setBroken(true))}</div>;
}

function mediaOf({ mediaType = '', name }: Item, src: string, onError: () => void): ReactNode {
  if (mediaType.startsWith('image/'))
    return <img className={styles.picture} src={src} alt={name} onError={onError} />;
  if (mediaType.startsWith('audio/'))
    // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for the files of people
    return <audio className={styles.audio} src={src} controls aria-label={name} onError={onError} />;
  // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for the files of people
  return <video className={styles.picture} src={src} controls aria-label={name} onError={onError} />;
}

/** An address for one showing of a content. */
function useTicket(path: string): { url?: string; error?: unknown; again(): void } {
  const [state, setState] = useState<{ url?: string; error?: unknown }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isOver = false;
    setState({});
    ticketFor(path).then(
      (url) => isOver || setState({ url }),
      (error: unknown) => isOver || setState({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [path, round]);
  return { ...state, again: () => setRound((n) => n + 1) };
}
