import { useNavigate } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { AtriumError, type MailFilter } from '../../../../client/src/index.ts';
import { useActions } from '../../app/actions.ts';
import { outbox } from '../../app/outbox.ts';
import { reasonOf } from '../../app/refusals.ts';
import { useStayAt } from '../../app/still-here.ts';
import { useTexts } from '../../app/texts.ts';
import { showToast } from '../../app/toasts.tsx';
import { useUnsavedForm } from '../../app/unsaved.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import styles from './filters.module.css';
import { Preview } from './preview.tsx';
import { type FilterForm, isComplete, ruleOf } from './rule.ts';
import { RuleFields } from './rule-fields.tsx';
import { type FilterTexts, filterTexts } from './texts.ts';
import { LANE, useFilters, useFilterWrites } from './use-filters.ts';
import { useFolders } from './use-folders.ts';

interface FilterEditorProps {
  /** Absent for a new one. */
  filter?: MailFilter;
  begun: FilterForm;
  /** What could not be taken from a search. */
  notTaken?: readonly string[];
}

/** Makes or changes one filter, with what it matches beside it. */
export function FilterEditor({ filter, begun, notTaken = [] }: FilterEditorProps) {
  const texts = useTexts(filterTexts);
  const { folders } = useFolders();
  const [form, setForm] = useState(begun);
  const [isLeaving, setLeaving] = useState(false);
  const [isApplying, setApplying] = useState(false);
  const [opened] = useState(filter?.updated_at);
  const writes = useFilterWrites(texts);
  const leave = useLeaving();
  const isChanged = form !== begun && JSON.stringify(form) !== JSON.stringify(begun);
  const { save, problem, isSaving } = useSaving(filter, form, texts, leave);
  // What is being saved goes on without the form.
  const isAtRisk = isChanged && !isSaving;
  useUnsavedForm(isAtRisk ? texts.notSaved(form.name || texts.newFilter) : undefined);
  const back = () => (isAtRisk ? setLeaving(true) : leave());
  const onChange = (part: Partial<FilterForm>) => setForm((now) => ({ ...now, ...part }));
  const remove = () => {
    if (filter) void writes.remove(filter);
    leave();
  };
  useActions([
    { id: 'save', label: texts.save, keys: 'Control+s', evenInFields: true, run: () => void save() },
    { id: 'back', label: texts.back, keys: 'Escape', run: back },
    ...(filter ? [{ id: 'apply', label: texts.apply, run: () => setApplying(true) }] : []),
  ]);
  return (
    <div className={styles.editor}>
      <form className={styles.form} onSubmit={(event) => submitted(event, save)}>
        <header className={styles.formHead}>
          <IconButton label={texts.back} keys="Esc" onPress={back}>
            <ArrowLeft />
          </IconButton>
          <h1 className={styles.title} dir="auto" title={filter?.name}>
            {filter?.name ?? texts.newFilter}
          </h1>
        </header>
        <Notices
          texts={texts}
          notTaken={notTaken}
          isChangedElsewhere={isChanged && filter?.updated_at !== opened}
          problem={problem}
        />
        <fieldset className={styles.fields} disabled={isSaving}>
          <RuleFields form={form} folders={folders.map(({ path }) => path)} onChange={onChange} />
          <NameAndSwitch {...{ texts, form, onChange }} />
        </fieldset>
        <EditorButtons
          {...{ texts, filter, isSaving }}
          canSave={isComplete(form)}
          onApply={() => setApplying(true)}
          onRemove={remove}
        />
      </form>
      <Preview form={form} />
      <AskToLeave texts={texts} isOpen={isLeaving} onLeave={leave} onClose={() => setLeaving(false)} />
      {filter && <ApplyDialog filter={filter} isOpen={isApplying} onClose={() => setApplying(false)} />}
    </div>
  );
}

function submitted(event: FormEvent, save: () => Promise<void>): void {
  event.preventDefault();
  void save();
}

interface AskToLeaveProps {
  texts: FilterTexts;
  isOpen: boolean;
  onLeave(): void;
  onClose(): void;
}

function AskToLeave({ texts, isOpen, onLeave, onClose }: AskToLeaveProps) {
  return (
    <Confirm
      title={texts.leave}
      text={texts.leaveText}
      confirm={texts.leaveNow}
      isOpen={isOpen}
      onConfirm={onLeave}
      onClose={onClose}
    />
  );
}

interface NoticesProps {
  texts: FilterTexts;
  notTaken: readonly string[];
  isChangedElsewhere: boolean;
  problem: string | undefined;
}

function Notices({ texts, notTaken, isChangedElsewhere, problem }: NoticesProps) {
  return (
    <>
      {notTaken.length > 0 && <p className={styles.notice}>{texts.notTaken(notTaken.join(' '))}</p>}
      {isChangedElsewhere && <p className={styles.notice}>{texts.changedElsewhere}</p>}
      {problem && (
        <p className={styles.notice} data-kind="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

interface NameAndSwitchProps {
  texts: FilterTexts;
  form: FilterForm;
  onChange(part: Partial<FilterForm>): void;
}

function NameAndSwitch({ texts, form, onChange }: NameAndSwitchProps) {
  return (
    <>
      <Field
        label={texts.name}
        hint={texts.nameHint}
        value={form.name}
        maxLength={255}
        onChange={(name) => onChange({ name })}
      />
      <label className={styles.part}>
        <input
          type="checkbox"
          className={styles.switch}
          checked={form.enabled}
          onChange={({ target }) => onChange({ enabled: target.checked })}
        />
        {texts.enabled}
      </label>
    </>
  );
}

interface EditorButtonsProps {
  texts: FilterTexts;
  filter: MailFilter | undefined;
  isSaving: boolean;
  canSave: boolean;
  onApply(): void;
  onRemove(): void;
}

function EditorButtons({ texts, filter, isSaving, canSave, onApply, onRemove }: EditorButtonsProps) {
  return (
    <div className={styles.buttons}>
      <Button kind="primary" type="submit" isDisabled={!canSave || isSaving}>
        {texts.save}
      </Button>
      {isSaving && <span role="status">{texts.waits}</span>}
      {filter && (
        <>
          <Button onPress={onApply}>{texts.apply}</Button>
          <Button kind="danger" onPress={onRemove}>
            {texts.remove}
          </Button>
        </>
      )}
    </div>
  );
}

function useLeaving(): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: '/mail/filters/$', params: { _splat: '' } });
}

/** Saves the form; the server's reason stands in the form when it refuses. A new filter runs last. */
function useSaving(
  filter: MailFilter | undefined,
  form: FilterForm,
  texts: FilterTexts,
  onSaved: () => void,
) {
  const { filters = [] } = useFilters();
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);
  const stay = useStayAt();
  const save = async () => {
    if (isUnderWay.current || !isComplete(form)) return;
    isUnderWay.current = true;
    const isStillThere = stay();
    setSaving(true);
    setProblem(undefined);
    const body = { name: form.name, enabled: form.enabled, rule: ruleOf(form) };
    const priority = Math.max(0, ...filters.map((one) => one.priority)) + 10;
    const { id, done } = await outbox.add({
      call: ({ mail }) =>
        filter ? mail.updateMailFilter(filter.id, body) : mail.createMailFilter({ ...body, priority }),
      label: texts.saveFilter(form.name),
      lane: LANE,
    });
    try {
      await done;
      showToast({ text: texts.saved });
      if (isStillThere()) onSaved();
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
