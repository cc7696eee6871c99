import { useQuery } from '@tanstack/react-query';
import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import type { Message } from '../../../client/src/index.ts';
import { ticketFor } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { Button } from '../parts/button.tsx';
import { ErrorPlace } from '../parts/place.tsx';
import styles from './letter-frame.module.css';
import { LetterPlace } from './letter-place.tsx';
import { mailTexts } from './texts.ts';

const REMOTE_IMAGE = /<img\b[^<>]* src="(?:https?:)?\/\//i;

/**
 * The HTML of a message in a frame of its own in which nothing runs. The page cannot ask the frame how tall its letter is, so
 * the height is estimated from the letter, and the frame scrolls where that was too little.
 */
export function LetterFrame({ message, isAlone }: { message: Message; isAlone: boolean }) {
  const texts = useTexts(mailTexts);
  const [images, setImages] = useState<'none' | 'remote'>('none');
  const path = `/v1/messages/${encodeURIComponent(message.id)}/html?images=${images}`;
  const ticket = useQuery({
    queryKey: ['ticket', path],
    queryFn: () => ticketFor(path),
    // A ticket is good once.
    gcTime: 0,
    structuralSharing: false,
  });
  if (ticket.error)
    return (
      <>
        <p className={styles.note}>{texts.letterFailed}</p>
        <ErrorPlace error={ticket.error} onRetry={() => void ticket.refetch()} />
      </>
    );
  return (
    <>
      {REMOTE_IMAGE.test(message.html) && (
        <div className={styles.remote}>
          <ImageOff aria-hidden="true" />
          <span>{images === 'none' ? texts.remoteBlocked : texts.remoteShown}</span>
          {images === 'none' && (
            <Button kind="quiet" onPress={() => setImages('remote')}>
              {texts.showRemote}
            </Button>
          )}
        </div>
      )}
      <LetterPlace src={ticket.data} height={heightOf(message)} isAlone={isAlone} />
    </>
  );
}

const LINE = 21;
const CHARACTERS = 85;
const IMAGE = 140;
const LEAST = 140;
const MOST = 3000;

/** In pixels, about. */
function heightOf({ text, html }: Message): number {
  let lines = 2;
  for (const line of text.split('\n')) lines += 1 + Math.floor(line.length / CHARACTERS);
  const images = html.split('<img').length - 1;
  return Math.min(MOST, Math.max(LEAST, lines * LINE + Math.min(images, 10) * IMAGE));
}
