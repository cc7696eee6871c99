import { X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';
import { Avatar } from '../../parts/avatar.tsx';
import { type Recipient, recipientOf, recipientsIn, withoutRepeats, written } from './addresses.ts';
import { usePeople } from './people.ts';
import styles from './recipients-field.module.css';
import type { ComposeTexts } from './texts.ts';

interface RecipientsFieldProps {
  label: string;
  texts: ComposeTexts;
  recipients: readonly string[];
  onChange(recipients: readonly string[]): void;
  /** What is typed and no recipient yet. */
  typed: string;
  onType(text: string): void;
  autoFocus?: boolean;
}

/**
 * Recipients as chips, with completion while typing. Enter, comma, semicolon and leaving the field take what is typed;
 * Backspace in the empty field goes to the last chip, where arrows move, Delete removes and Enter edits.
 */
export function RecipientsField(props: RecipientsFieldProps) {
  const { label, texts, recipients, onChange, onType } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const field = useTyping(props, input);
  const without = (at: number) => recipients.filter((_, one) => one !== at);
  return (
    <div className={styles.field} role="group" aria-label={texts.recipients(label)}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <div className={styles.chips}>
        {recipients.map((recipient, at) => (
          <Chip
            key={recipient}
            recipient={recipient}
            texts={texts}
            onRemove={() => onChange(without(at))}
            onEdit={() => {
              onChange(without(at));
              onType(recipient);
            }}
            onLeave={() => input.current?.focus()}
          />
        ))}
        <TypingField id={id} input={input} field={field} props={props} />
        <Completions id={id} texts={texts} field={field} />
      </div>
    </div>
  );
}

type Typing = ReturnType<typeof useTyping>;

function fits({ name, address }: Recipient, typed: string): boolean {
  return `${name} ${address}`.toLowerCase().includes(typed.trim().toLowerCase());
}

function isChoosing({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'Enter' || (key === 'Tab' && !shiftKey);
}

/** What typing, pasting and leaving do. */
function useTyping(
  { recipients, onChange, typed, onType }: RecipientsFieldProps,
  input: RefObject<HTMLInputElement | null>,
) {
  const [index, setIndex] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const people = usePeople(typed);
  // Those of the text before are shown until the server has answered: of them only who fits what is typed now.
  const options = isOpen ? people.filter((person) => fits(person, typed)) : [];
  const current = Math.min(index, options.length - 1);
  const add = (added: readonly Recipient[], rest: string) => {
    if (added.length > 0) onChange(withoutRepeats([...recipients, ...added.map(written)]));
    onType(rest);
    setIndex(0);
  };
  /** Takes what is typed for recipients; what is none stays. */
  const take = (text: string) => {
    const { recipients: found, rest } = recipientsIn(text);
    add(found, rest);
    return found.length > 0;
  };
  const choose = (person: Recipient | undefined) => {
    if (person) add([person], '');
    setOpen(false);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isTaking = event.key === 'Enter' || event.key === ',' || event.key === ';';
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    if (step && options.length > 0) setIndex((current + step + options.length) % options.length);
    else if (event.key === 'Enter' && index === 0 && take(typed)) setOpen(false);
    else if (isChoosing(event) && options[current]) choose(options[current]);
    else if (isTaking && typed.trim() !== '' && isComplete(typed, event.key)) take(typed);
    else if (event.key === 'Escape' && options.length > 0) setOpen(false);
    else if (event.key === 'Enter') return event.preventDefault();
    else if (event.key === 'Backspace' && input.current?.selectionEnd === 0 && recipients.length > 0)
      chipsOf(input.current).at(-1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (/[@,;\n]/.test(text) && take(typed + text)) event.preventDefault();
  };
  const type = (text: string) => {
    onType(text);
    setIndex(0);
    setOpen(true);
  };
  const leave = () => {
    setOpen(false);
    take(typed);
  };
  return { options, current, choose, onKeyDown, onPaste, type, leave };
}

interface TypingFieldProps {
  id: string;
  input: RefObject<HTMLInputElement | null>;
  field: Typing;
  props: RecipientsFieldProps;
}

function TypingField({ id, input, field, props }: TypingFieldProps) {
  const { options, current, onKeyDown, onPaste, type, leave } = field;
  return (
    <input
      ref={input}
      id={id}
      className={styles.input}
      role="combobox"
      aria-expanded={options.length > 0}
      aria-controls={`${id}-people`}
      aria-autocomplete="list"
      aria-activedescendant={options.length > 0 ? `${id}-${current}` : undefined}
      autoComplete="off"
      spellCheck={false}
      dir="auto"
      value={props.typed}
      // biome-ignore lint/a11y/noAutofocus: a new message begins with its recipients
      autoFocus={props.autoFocus ?? false}
      onChange={({ target }) => type(target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      onBlur={leave}
    />
  );
}

function Completions({ id, texts, field }: { id: string; texts: ComposeTexts; field: Typing }) {
  const { options, current, choose } = field;
  return (
    <div
      id={`${id}-people`}
      className={styles.people}
      role="listbox"
      aria-label={texts.completions}
      hidden={options.length === 0}
    >
      {options.map((person, at) => (
        <div
          key={person.address}
          id={`${id}-${at}`}
          className={styles.person}
          role="option"
          aria-selected={at === current}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(person)}
        >
          <Avatar name={person.name || person.address} />
          <span className={styles.name} dir="auto">
            {person.name || person.address}
          </span>
          <span className={styles.address}>{person.address}</span>
        </div>
      ))}
    </div>
  );
}

/** A comma or semicolon within quotes, or in a name before its address, is a part of it. */
function isComplete(text: string, key: string): boolean {
  if (key !== ',' && key !== ';') return true;
  return (
    (text.split('"').length - 1) % 2 === 0 &&
    text.includes('@') &&
    (!text.includes('<') || text.includes('>'))
  );
}

interface ChipProps {
  recipient: string;
  texts: ComposeTexts;
  onRemove(): void;
  onEdit(): void;
  /** The focus goes back to the field. */
  onLeave(): void;
}

function Chip({ recipient, texts, onRemove, onEdit, onLeave }: ChipProps) {
  const { name, address } = recipientOf(recipient);
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const chips = chipsOf(event.currentTarget);
    const at = chips.indexOf(event.currentTarget);
    if (event.key === 'Delete' || event.key === 'Backspace') {
      const next = chips[at - 1] ?? chips[at + 1];
      onRemove();
      if (next) next.focus();
      else onLeave();
    } else if (event.key === 'ArrowLeft') chips[at - 1]?.focus();
    else if (event.key === 'ArrowRight') (chips[at + 1] ?? { focus: onLeave }).focus();
    else return;
    event.preventDefault();
  };
  const edit = () => {
    onEdit();
    onLeave();
  };
  return (
    <span className={styles.chip}>
      <button
        type="button"
        data-chip
        className={styles.who}
        title={recipient}
        tabIndex={-1}
        onClick={edit}
        onKeyDown={onKeyDown}
      >
        <bdi>{name || address}</bdi>
      </button>
      <button
        type="button"
        className={styles.remove}
        aria-label={texts.remove(name || address)}
        tabIndex={-1}
        onClick={() => {
          onRemove();
          onLeave();
        }}
      >
        <X />
      </button>
    </span>
  );
}

function chipsOf(element: Element): HTMLElement[] {
  return [...(element.closest('[role=group]')?.querySelectorAll<HTMLElement>('[data-chip]') ?? [])];
}
