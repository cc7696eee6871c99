import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { useTexts } from '../app/texts.ts';
import styles from './letter-frame.module.css';
import { mailTexts } from './texts.ts';

/** The frame has the keyboard for so long after Control or Command: time to copy what is selected there. */
const LENT_MS = 1500;

interface LetterPlaceProps {
  src: string | undefined;
  height: number;
  isAlone: boolean;
}

/**
 * The frame of a letter, and the keyboard beside it. Nothing runs in the frame, so a key that is pressed there is lost to the
 * page. Hence its place has the focus, not the frame: a press on the letter gives the focus to the place at once. The frame gets
 * it by Enter, for the links of the letter, which Tab leaves; and for a moment by Control or Command after a press on the
 * letter, to copy from it.
 */
export function LetterPlace({ src, height, isAlone }: LetterPlaceProps) {
  const texts = useTexts(mailTexts);
  const hint = useId();
  const { place, frame, onKeyDown } = useKeyboard();
  return (
    <div
      ref={place}
      className={styles.place}
      data-alone={isAlone || undefined}
      style={{ height }}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a letter that scrolls must be reached by key
      tabIndex={0}
      aria-label={texts.letter}
      aria-describedby={hint}
      onKeyDown={onKeyDown}
    >
      <span id={hint} className="visually-hidden">
        {texts.letterKeys}
      </span>
      {src && (
        <iframe
          ref={frame}
          key={src}
          className={styles.frame}
          title={texts.letter}
          src={src}
          tabIndex={-1}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
        />
      )}
    </div>
  );
}

function useKeyboard() {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  /** Whether the frame was given the keyboard, rather than having taken it by a press. */
  const isGiven = useRef(false);
  /** Whether the last thing that the person did was to press on the letter. */
  const isPressed = useRef(false);
  useEffect(() => {
    const isInFrame = () => frame.current !== null && document.activeElement === frame.current;
    const takeBack = () => isInFrame() && place.current?.focus({ preventScroll: true });
    // The window loses the focus to the frame as it does to another window.
    const left = () => {
      if (isGiven.current) return;
      // Firefox tells only afterwards who has the focus now.
      setTimeout(() => {
        // It may have been given to the frame meanwhile.
        if (isGiven.current || !isInFrame()) return;
        isPressed.current = true;
        takeBack();
      });
    };
    const back = () => {
      isGiven.current = false;
    };
    const moved = ({ target, type, key }: Event & { key?: string }) => {
      const isLending = type === 'keydown' && /^(?:Control|Meta)$/.test(key ?? '');
      if (target !== frame.current && !isLending) isPressed.current = false;
    };
    addEventListener('blur', left);
    addEventListener('focus', back);
    addEventListener('pointerdown', moved, true);
    addEventListener('keydown', moved, true);
    return () => {
      removeEventListener('blur', left);
      removeEventListener('focus', back);
      removeEventListener('pointerdown', moved, true);
      removeEventListener('keydown', moved, true);
    };
  }, []);
  const give = () => {
    isGiven.current = true;
    frame.current?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      give();
    } else if (isPressed.current && /^(?:Control|Meta)$/.test(event.key)) {
      give();
      setTimeout(() => {
        isGiven.current = false;
        if (document.activeElement === frame.current) place.current?.focus({ preventScroll: true });
      }, LENT_MS);
    }
  };
  return { place, frame, onKeyDown };
}
