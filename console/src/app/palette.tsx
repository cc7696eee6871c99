import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import type { SearchHit } from '../../../client/src/index.ts';
import { shortTime } from '../parts/time.ts';
import { useOfferedActions } from './actions.ts';
import { api } from './api.ts';
import { frameTexts } from './frame-texts.ts';
import styles from './palette.module.css';
import { useActingKeys } from './single-keys.ts';
import { type Language, useLanguage, useTexts } from './texts.ts';

interface Option {
  id: string;
  label: string;
  /** Quiet words beside the label. */
  detail?: string | undefined;
  keys?: string | undefined;
  run(): void;
}

/** What is found per kind; Enter on a field of mail's page shows all. */
const FOUND = 8;

/** Actions, places and search in one field: Ctrl-K. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <ModalOverlay
      className={styles.overlay ?? ''}
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className={styles.modal ?? ''}>
        <PaletteContent onClose={onClose} />
      </Modal>
    </ModalOverlay>
  );
}

function PaletteContent({ onClose }: { onClose(): void }) {
  const texts = useTexts(frameTexts);
  const id = useId();
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const groups = useGroups(text.trim(), texts);
  const options = groups.flatMap((group) => group.options);
  const current = Math.min(index, options.length - 1);
  const run = (option: Option | undefined) => {
    if (!option) return;
    onClose();
    option.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setIndex((current + step + options.length) % Math.max(options.length, 1));
    else if (event.key === 'Enter') run(options[current]);
    else return;
    event.preventDefault();
  };
  return (
    <AriaDialog className={styles.dialog ?? ''} aria-label={texts.search}>
      <input
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={options[current] && `${id}-${current}`}
        aria-label={texts.search}
        aria-autocomplete="list"
        placeholder={texts.searchHint}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        onChange={(event) => {
          setText(event.target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Options {...{ id, groups, current, run }} onPoint={(option) => setIndex(options.indexOf(option))} />
      {options.length === 0 && (
        <p className={styles.nothing} role="status">
          {texts.nothingFound}
        </p>
      )}
    </AriaDialog>
  );
}

interface OptionsProps {
  /** The ids of the elements begin with it. */
  id: string;
  groups: readonly OptionGroup[];
  current: number;
  run(option: Option): void;
  onPoint(option: Option): void;
}

/** The field keeps the focus and names the current option. */
function Options({ id, groups, current, run, onPoint }: OptionsProps) {
  const texts = useTexts(frameTexts);
  const options = groups.flatMap((group) => group.options);
  return (
    <div className={styles.list} id={`${id}-list`} role="listbox" aria-label={texts.search}>
      {groups.map((group) => (
        <div key={group.title} role="group" aria-label={group.title}>
          <div className={styles.title} aria-hidden="true">
            {group.title}
          </div>
          {group.options.map((option) => (
            <div
              key={option.id}
              id={`${id}-${options.indexOf(option)}`}
              role="option"
              aria-selected={option === options[current]}
              className={styles.option}
              onClick={() => run(option)}
              onPointerMove={() => onPoint(option)}
            >
              <span className={styles.label}>{option.label}</span>
              {option.detail && <span className={styles.detail}>{option.detail}</span>}
              {option.keys && <kbd>{option.keys}</kbd>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

interface OptionGroup {
  title: string;
  options: Option[];
}

function useGroups(text: string, texts: typeof frameTexts.en): OptionGroup[] {
  const actions = useOfferedActions();
  const acting = useActingKeys();
  const hits = useHits(text);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = actions.filter(
    ({ id, label }) => id !== 'palette' && words.every((word) => label.toLowerCase().includes(word)),
  );
  const seen = new Set<string>();
  const offered = fitting.filter(({ label }) => !seen.has(label) && seen.add(label));
  const groups = [
    {
      title: texts.actions,
      options: offered.map(({ id, label, keys, run }) => ({ id, label, keys: acting(keys), run })),
    },
    { title: texts.results, options: hits },
  ];
  return groups.filter(({ options }) => options.length > 0);
}

function useHits(text: string): Option[] {
  const navigate = useNavigate();
  const q = useDeferredValue(text);
  const { data = [] } = useQuery({
    queryKey: ['palette', q],
    queryFn: async ({ signal }) => (await api.search.search({ q, limit: FOUND }, { signal }).first()).items,
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
  const language = useLanguage();
  if (q.length <= 1) return [];
  return data.map((hit) => ({
    id: `${hit.kind} ${hit.id}`,
    label: hit.title,
    detail: detailOf(hit, language),
    run: () => void navigate(placeOf(hit)),
  }));
}

/** The place that was found; where it is the title again, what tells a message or a file from others: whose it is, and when. */
function detailOf({ snippet, title, record, at }: SearchHit, language: Language): string {
  if (snippet !== title) return snippet;
  const { from } = record as { from?: string };
  return [from, shortTime(at, language)].filter(Boolean).join(' · ');
}

/** The page of what was found. */
function placeOf({ kind, id }: SearchHit) {
  if (kind === 'message') return { to: '/mail/$', params: { _splat: `message/${id}` } } as const;
  if (kind === 'contact') return { to: '/contacts/$', params: { _splat: `contact/${id}` } } as const;
  return { to: '/files/$', params: { _splat: `file/${id}` } } as const;
}
