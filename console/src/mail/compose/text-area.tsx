import { useLayoutEffect, useRef } from 'react';
import styles from './composer.module.css';

interface TextAreaProps {
  label: string;
  value: string;
  /** Grows when the value has changed otherwise than by the person. */
  version: number;
  autoFocus: boolean;
  onChange(value: string): void;
  onFiles(files: FileList): void;
}

/** The text of a message. The cursor stays at its words when another window changes the text. */
export function TextArea({ label, value, version, autoFocus, onChange, onFiles }: TextAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const before = useRef({ value, version, start: 0, end: 0 });
  useLayoutEffect(() => {
    const { current } = area;
    if (!current || before.current.version === version) return;
    const { value: old, start, end } = before.current;
    current.setSelectionRange(moved(start, old, value), moved(end, old, value));
    before.current = { ...before.current, value, version };
  }, [value, version]);
  useLayoutEffect(() => {
    if (!autoFocus) return;
    area.current?.focus();
    area.current?.setSelectionRange(0, 0);
  }, [autoFocus]);
  const remember = ({ selectionStart, selectionEnd, value: now }: HTMLTextAreaElement) => {
    before.current = { value: now, version, start: selectionStart, end: selectionEnd };
  };
  return (
    <textarea
      ref={area}
      className={styles.text}
      aria-label={label}
      dir="auto"
      value={value}
      onChange={({ target }) => {
        remember(target);
        onChange(target.value);
      }}
      onSelect={({ currentTarget }) => remember(currentTarget)}
      onPaste={(event) => {
        if (event.clipboardData.files.length === 0 || event.clipboardData.types.includes('text/plain'))
          return;
        event.preventDefault();
        onFiles(event.clipboardData.files);
      }}
    />
  );
}

/** Where a place in a text is after it has changed in one spot. */
function moved(place: number, old: string, now: string): number {
  const end = Math.min(place, now.length);
  for (let at = 0; at < end; at++)
    if (old[at] !== now[at]) return Math.max(at, Math.min(place + now.length - old.length, now.length));
  return end;
}
