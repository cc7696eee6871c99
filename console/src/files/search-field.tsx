import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useActions } from '../app/actions.ts';
import { useTexts } from '../app/texts.ts';
import { type Place, useGo } from './address.ts';
import styles from './search-field.module.css';
import { filesTexts } from './texts.ts';
import { focusList } from './view-state.ts';

/** The list follows when the hand rests this long. */
const TYPING_MS = 150;

/** The search of the page: its text is in the address. */
export function SearchField({ place }: { place: Place }) {
  const texts = useTexts(filesTexts);
  const go = useGo();
  const input = useRef<HTMLInputElement>(null);
  const q = place.kind === 'search' ? place.q : '';
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (document.activeElement !== input.current) setText(q);
  }, [q]);
  useActions([{ id: 'files-search', label: texts.search, keys: '/', run: () => input.current?.focus() }]);
  const search = (wanted: string) => {
    clearTimeout(timer.current);
    if (wanted.trim() !== '') go({ kind: 'search', q: wanted }, { replace: place.kind === 'search' });
    else if (place.kind === 'search') go({ kind: 'folder', folderId: '' });
  };
  return (
    <div className={styles.search} role="search">
      <Search aria-hidden="true" />
      <input
        ref={input}
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(target.value), TYPING_MS);
        }}
        onKeyDown={(event) => {
          if (!['Enter', 'ArrowDown', 'Escape'].includes(event.key)) return;
          event.preventDefault();
          if (event.key !== 'Escape' && text !== q) search(text);
          // A list that comes later takes the focus that nothing has.
          input.current?.blur();
          focusList();
        }}
      />
    </div>
  );
}
