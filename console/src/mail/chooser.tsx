import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useTexts } from '../app/texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import styles from './chooser.module.css';
import { mailTexts } from './texts.ts';

export interface Choice {
  id: string;
  label: string;
  icon?: ReactNode;
  /** Such as 1 for a folder in a folder; only while nothing is searched. */
  depth?: number;
  /** Shown with a mark: all of the messages have it. */
  isOn?: boolean;
}

interface ChooserProps {
  title: string;
  isOpen: boolean;
  choices: readonly Choice[];
  /** Offered for a text that no choice has. */
  fresh?: (text: string) => Choice | undefined;
  onChoose(id: string): void;
  onClose(): void;
}

/** A list with a field that narrows it: arrows move, Enter chooses. */
export function Chooser(props: ChooserProps) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <ChooserContent {...props} />
    </Dialog>
  );
}

/** Fewer than this are drawn; typing narrows. */
const MOST_SHOWN = 200;

function ChooserContent(props: ChooserProps) {
  const texts = useTexts(mailTexts);
  const id = useId();
  const { text, isNarrowed, shown, at, setIndex, narrow, choose, onKeyDown } = useChoosing(props, id);
  return (
    <div className={styles.chooser}>
      <input
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[at] && `${id}-${at}`}
        aria-label={props.title}
        aria-autocomplete="list"
        placeholder={texts.chooseHint}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        onChange={(event) => narrow(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.list} id={`${id}-list`} role="listbox" aria-label={props.title}>
        {shown.map((choice, position) => (
          <ChoiceOption
            key={choice.id}
            id={`${id}-${position}`}
            choice={choice}
            isCurrent={position === at}
            depth={isNarrowed ? 0 : (choice.depth ?? 0)}
            onChoose={() => choose(choice)}
            onPoint={() => setIndex(position)}
          />
        ))}
      </div>
      {shown.length === 0 && (
        <p className={styles.nothing} role="status">
          {texts.nothingFits}
        </p>
      )}
    </div>
  );
}

/** The choices that fit the text, and the one the arrows are at. The options have the ids `${id}-${position}`. */
function useChoosing({ choices, fresh, onChoose, onClose }: ChooserProps, id: string) {
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = choices.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const made = text.trim() === '' ? undefined : fresh?.(text.trim());
  const shown = [...fitting.slice(0, MOST_SHOWN), ...(made ? [made] : [])];
  const at = Math.min(index, shown.length - 1);
  const narrow = (next: string) => {
    setText(next);
    setIndex(0);
  };
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    onChoose(choice.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const next = (at + step + shown.length) % Math.max(shown.length, 1);
      setIndex(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') choose(shown[at]);
    else return;
    event.preventDefault();
  };
  return { text, isNarrowed: words.length > 0, shown, at, setIndex, narrow, choose, onKeyDown };
}

interface ChoiceOptionProps {
  id: string;
  choice: Choice;
  isCurrent: boolean;
  depth: number;
  onChoose(): void;
  onPoint(): void;
}

function ChoiceOption({ id, choice, isCurrent, depth, onChoose, onPoint }: ChoiceOptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      className={styles.option}
      title={choice.label}
      style={{ paddingInlineStart: 8 + depth * 16 }}
      onClick={onChoose}
      onPointerMove={onPoint}
    >
      {choice.icon}
      <span className={styles.label} dir="auto">
        {choice.label}
      </span>
      {choice.isOn && <span aria-hidden="true">✓</span>}
    </div>
  );
}
