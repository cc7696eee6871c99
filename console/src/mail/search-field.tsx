import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type FormEvent, type RefObject, useEffect, useState } from 'react';
import { useTexts } from '../app/texts.ts';
import { linkTo } from './places.ts';
import styles from './search-field.module.css';
import { mailTexts } from './texts.ts';

/** The search of the page. Enter asks. */
export function SearchField({ q, field }: { q: string; field: RefObject<HTMLInputElement | null> }) {
  const texts = useTexts(mailTexts);
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate(linkTo({ kind: 'search', q: text.trim(), only: '' }));
  };
  return (
    <search className={styles.search}>
      <form onSubmit={submit}>
        <Search aria-hidden="true" />
        <input
          ref={field}
          type="search"
          className={styles.field}
          aria-label={texts.searchMail}
          placeholder={texts.searchHint}
          value={text}
          maxLength={1000}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <kbd>/</kbd>
      </form>
    </search>
  );
}

const OPERATORS = [
  ['from:', 'op_from'],
  ['to:', 'op_to'],
  ['subject:', 'op_subject'],
  ['has:attachment', 'op_attachment'],
  ['is:unread', 'op_unread'],
  ['is:starred', 'op_starred'],
  ['in:trash', 'op_in'],
  ['label:', 'op_label'],
  ['before:2026-01-31', 'op_before'],
  ['after:2026', 'op_after'],
  ['larger:5M', 'op_larger'],
  ['"…"', 'op_phrase'],
  ['-', 'op_not'],
] as const;

/** What narrows a search, each with a word of explanation; a press puts it into the field. */
export function Operators({ field, q }: { field: RefObject<HTMLInputElement | null>; q: string }) {
  const texts = useTexts(mailTexts);
  const navigate = useNavigate();
  const add = async (operator: string) => {
    const word = operator === '"…"' ? '""' : operator;
    await navigate({ ...linkTo({ kind: 'search', q: `${q} ${word}`.trim(), only: '' }), replace: true });
    requestAnimationFrame(() => {
      const input = field.current;
      if (!input) return;
      input.focus();
      const end = word === '""' ? input.value.length - 1 : input.value.length;
      input.setSelectionRange(end, end);
    });
  };
  return (
    <ul className={styles.operators} aria-label={texts.operators}>
      {OPERATORS.map(([operator, text]) => (
        <li key={operator}>
          <button type="button" className={styles.operator} onClick={() => void add(operator)}>
            <code>{operator}</code>
            <span>{texts[text]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
