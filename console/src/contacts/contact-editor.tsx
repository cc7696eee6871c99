import { Plus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { AtriumError, type Contact } from '../../../client/src/index.ts';
import { useActions } from '../app/actions.ts';
import { outbox } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { useStayAt } from '../app/still-here.ts';
import { useTexts } from '../app/texts.ts';
import { useUnsavedForm } from '../app/unsaved.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import {
  bodyOf,
  type ContactForm,
  changesOf,
  formOf,
  type Line,
  newLine,
  saysSomething,
} from './contact-form.ts';
import styles from './contacts.module.css';
import { type ContactTexts, contactTexts } from './texts.ts';
import { LANE, useBooks } from './use-contacts.ts';

interface ContactEditorProps {
  /** Absent for a new one. */
  contact?: Contact;
  bookId: string;
  onSaved(contact: Contact | undefined): void;
  onLeave(): void;
}

const NAMES = [
  ['name', 'name'],
  ['given_name', 'given'],
  ['family_name', 'family'],
  ['organization', 'organization'],
  ['title', 'title'],
] as const;

/** Makes or changes one contact. */
export function ContactEditor({ contact, bookId, onSaved, onLeave }: ContactEditorProps) {
  const texts = useTexts(contactTexts);
  const { data: books = [] } = useBooks();
  const [before] = useState(() => formOf(contact ?? {}, bookId));
  const [form, setForm] = useState(before);
  const [isLeaving, setLeaving] = useState(false);
  const { save, problem, isSaving } = useSaving(contact, form, before, texts, onSaved);
  const change = (part: Partial<ContactForm>) => setForm((now) => ({ ...now, ...part }));
  const isChanged = Object.keys(changesOf(form, before)).length > 0;
  // What is being saved goes on without the form.
  const isAtRisk = isChanged && !isSaving;
  useUnsavedForm(isAtRisk ? texts.notSaved(form.name || texts.newContact) : undefined);
  const leave = () => (isAtRisk ? setLeaving(true) : onLeave());
  useActions([
    { id: 'save', label: texts.save, keys: 'Control+s', evenInFields: true, run: () => void save() },
    { id: 'back', label: texts.back, keys: 'Escape', evenInFields: true, run: leave },
  ]);
  return (
    <form
      className={styles.form}
      aria-label={contact ? contact.name : texts.newContact}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <Fields {...{ texts, books, form, change }} isDisabled={isSaving} />
      <div className={styles.tools}>
        <Button kind="primary" type="submit" isDisabled={isSaving || !saysSomething(form)}>
          {texts.save}
        </Button>
        <Button onPress={leave}>{texts.back}</Button>
        {isSaving && <span role="status">{texts.waits}</span>}
      </div>
      <Confirm
        title={texts.leave}
        text={texts.leaveText}
        confirm={texts.leaveNow}
        isOpen={isLeaving}
        onConfirm={onLeave}
        onClose={() => setLeaving(false)}
      />
    </form>
  );
}

interface FieldsProps {
  texts: ContactTexts;
  books: readonly { id: string; name: string }[];
  form: ContactForm;
  /** While it is saved: what would be typed then would not be in it. */
  isDisabled: boolean;
  change(part: Partial<ContactForm>): void;
}

function Fields({ texts, books, form, isDisabled, change }: FieldsProps) {
  return (
    <fieldset className={styles.fields} disabled={isDisabled}>
      {NAMES.map(([field, label]) => (
        <Field
          key={field}
          label={texts[label]}
          value={form[field]}
          maxLength={255}
          autoFocus={field === 'name'}
          onChange={(value) => change({ [field]: value })}
          {...(field === 'name' && { hint: texts.nameHint })}
        />
      ))}
      <Lines {...{ texts, lines: form.emails }} kind="emails" onChange={(emails) => change({ emails })} />
      <Lines {...{ texts, lines: form.phones }} kind="phones" onChange={(phones) => change({ phones })} />
      <Field label={texts.notes} rows={4} value={form.notes} onChange={(notes) => change({ notes })} />
      <BookChoice {...{ texts, books }} value={form.address_book_id} onChange={change} />
    </fieldset>
  );
}

interface BookChoiceProps {
  texts: ContactTexts;
  books: readonly { id: string; name: string }[];
  value: string;
  onChange(part: { address_book_id: string }): void;
}

function BookChoice({ texts, books, value, onChange }: BookChoiceProps) {
  return (
    <label className={styles.choice}>
      {texts.book}
      <select value={value} onChange={({ target }) => onChange({ address_book_id: target.value })}>
        {books.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface LinesProps {
  texts: ContactTexts;
  kind: 'emails' | 'phones';
  lines: readonly Line[];
  onChange(lines: readonly Line[]): void;
}

function Lines({ texts, kind, lines, onChange }: LinesProps) {
  const isEmail = kind === 'emails';
  const label = isEmail ? texts.address : texts.number;
  const replace = (line: Line, part: Partial<Line>) =>
    onChange(lines.map((one) => (one === line ? { ...line, ...part } : one)));
  return (
    <fieldset className={styles.lines}>
      <legend>{texts[kind]}</legend>
      {lines.map((line) => (
        <div key={line.key} className={styles.line}>
          <input
            aria-label={label}
            placeholder={label}
            type={isEmail ? 'text' : 'tel'}
            inputMode={isEmail ? 'email' : 'tel'}
            maxLength={isEmail ? 320 : 255}
            value={line.value}
            onChange={({ target }) => replace(line, { value: target.value })}
          />
          <input
            aria-label={texts.kind}
            placeholder={texts.kind}
            maxLength={255}
            value={line.type}
            onChange={({ target }) => replace(line, { type: target.value })}
          />
          <IconButton
            label={texts.remove(line.value || label)}
            onPress={() => onChange(lines.filter((one) => one !== line))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      {lines.length < 100 && (
        <Button kind="quiet" onPress={() => onChange([...lines, newLine()])}>
          <Plus />
          {isEmail ? texts.addEmail : texts.addPhone}
        </Button>
      )}
    </fieldset>
  );
}

/** Saves the form; the server's reason stands in it when it refuses. */
function useSaving(
  contact: Contact | undefined,
  form: ContactForm,
  before: ContactForm,
  texts: ContactTexts,
  onSaved: ContactEditorProps['onSaved'],
) {
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);
  const stay = useStayAt();
  const save = async () => {
    const changes = changesOf(form, before);
    if (isUnderWay.current || !saysSomething(form)) return;
    if (contact && Object.keys(changes).length === 0) return onSaved(contact);
    isUnderWay.current = true;
    const isStillThere = stay();
    setSaving(true);
    setProblem(undefined);
    const { id, done } = await outbox.add({
      call: ({ contacts }) =>
        contact ? contacts.updateContact(contact.id, changes) : contacts.createContact(bodyOf(form)),
      label: texts.saving(form.name),
      lane: LANE,
    });
    try {
      const saved = ((await done) as Contact | undefined) ?? contact;
      if (isStillThere()) onSaved(saved);
    } catch (error) {
      // Without the form, the list of what is not saved keeps what was refused.
      if (!isStillThere()) return;
      await outbox.discard(id);
      if (error instanceof AtriumError) setProblem(reasonOf(error));
    } finally {
      isUnderWay.current = false;
      setSaving(false);
    }
  };
  return { save, problem, isSaving };
}
