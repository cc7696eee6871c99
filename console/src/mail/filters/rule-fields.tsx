import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useTexts } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { useLabels } from '../labels.ts';
import styles from './filters.module.css';
import {
  ACTIONS,
  type ActionForm,
  type ConditionForm,
  FIELDS,
  type FilterForm,
  FLAGS,
  newAction,
  newCondition,
  opsOf,
} from './rule.ts';
import { type FilterTexts, type FilterWords, filterTexts, filterWords } from './texts.ts';

interface RuleFieldsProps {
  form: FilterForm;
  folders: readonly string[];
  onChange(part: Partial<FilterForm>): void;
}

/** The conditions and actions of a filter. */
export function RuleFields({ form, folders, onChange }: RuleFieldsProps) {
  const texts = useTexts(filterTexts);
  const { conditions, actions, match } = form;
  return (
    <>
      <fieldset className={styles.group}>
        <legend>
          {texts.when}{' '}
          <select
            className={styles.select}
            aria-label={texts.when}
            value={match}
            onChange={({ target }) => onChange({ match: target.value as 'all' })}
          >
            <option value="all">{texts.all}</option>
            <option value="any">{texts.any}</option>
          </select>
        </legend>
        {conditions.map((condition, index) => (
          <Condition
            key={condition.key}
            condition={condition}
            number={index + 1}
            onChange={(next) =>
              onChange({ conditions: conditions.map((one) => (one === condition ? next : one)) })
            }
            onRemove={() => onChange({ conditions: conditions.filter((one) => one !== condition) })}
          />
        ))}
        <Button kind="quiet" onPress={() => onChange({ conditions: [...conditions, newCondition()] })}>
          <Plus />
          {texts.addCondition}
        </Button>
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{texts.do}</legend>
        {actions.map((action, index) => (
          <Action
            key={action.key}
            action={action}
            number={index + 1}
            folders={folders}
            onChange={(next) => onChange({ actions: actions.map((one) => (one === action ? next : one)) })}
            onRemove={() => onChange({ actions: actions.filter((one) => one !== action) })}
          />
        ))}
        <Button kind="quiet" onPress={() => onChange({ actions: [...actions, newAction()] })}>
          <Plus />
          {texts.addAction}
        </Button>
      </fieldset>
    </>
  );
}

interface ConditionProps {
  condition: ConditionForm;
  number: number;
  onChange(condition: ConditionForm): void;
  onRemove(): void;
}

function Condition({ condition, number, onChange, onRemove }: ConditionProps) {
  const texts = useTexts(filterTexts);
  const words = useTexts(filterWords);
  const { field, header, op, value } = condition;
  const setField = (next: string) => {
    const isText = ![field, next].some((one) => one === 'size' || one === 'has_attachment');
    const fresh = newCondition(next, isText ? value : '', isText ? op : undefined);
    onChange({ ...fresh, key: condition.key });
  };
  return (
    <div className={styles.part}>
      <Choice label={texts.field} options={FIELDS} words={words} value={field} onChange={setField} />
      {field === 'header' && (
        <input
          className={styles.input}
          aria-label={texts.headerName}
          placeholder={texts.headerName}
          value={header}
          onChange={({ target }) => onChange({ ...condition, header: target.value })}
        />
      )}
      {field === 'has_attachment' ? (
        <Choice
          label={texts.value}
          options={['true', 'false']}
          words={words}
          value={value}
          onChange={(next) => onChange({ ...condition, value: next })}
        />
      ) : (
        <>
          <Choice
            label={texts.operator}
            options={opsOf(field)}
            words={words}
            value={op}
            onChange={(next) => onChange({ ...condition, op: next })}
          />
          <input
            className={styles.input}
            aria-label={field === 'size' ? texts.bytes : texts.value}
            placeholder={field === 'size' ? texts.bytes : ''}
            inputMode={field === 'size' ? 'numeric' : 'text'}
            maxLength={1000}
            dir="auto"
            value={value}
            onChange={({ target }) => onChange({ ...condition, value: target.value })}
          />
        </>
      )}
      <IconButton label={texts.removeCondition(number)} onPress={onRemove}>
        <X />
      </IconButton>
    </div>
  );
}

interface ActionProps {
  action: ActionForm;
  number: number;
  folders: readonly string[];
  onChange(action: ActionForm): void;
  onRemove(): void;
}

function Action({ action, number, folders, onChange, onRemove }: ActionProps) {
  const texts = useTexts(filterTexts);
  const words = useTexts(filterWords);
  const { type, value } = action;
  return (
    <div className={styles.part}>
      <Choice
        label={texts.action}
        options={ACTIONS}
        words={words}
        value={type}
        onChange={(next) => onChange({ ...newAction(next as ActionForm['type']), key: action.key })}
      />
      {(type === 'move' || type === 'add_label') && (
        <ActionValue
          {...{ type, value, folders, texts }}
          onChange={(next) => onChange({ ...action, value: next })}
        />
      )}
      {type === 'set_flag' && (
        <Choice
          label={texts.flag}
          options={FLAGS}
          words={words}
          value={value}
          onChange={(next) => onChange({ ...action, value: next })}
        />
      )}
      <IconButton label={texts.removeAction(number)} onPress={onRemove}>
        <X />
      </IconButton>
    </div>
  );
}

interface ActionValueProps {
  type: 'move' | 'add_label';
  value: string;
  folders: readonly string[];
  texts: FilterTexts;
  onChange(value: string): void;
}

function ActionValue({ type, value, folders, texts, onChange }: ActionValueProps) {
  const id = useId();
  const labels = useLabels();
  const offered = type === 'move' ? folders : labels.map(({ label }) => label);
  return (
    <>
      <input
        className={styles.input}
        aria-label={type === 'move' ? texts.folder : texts.label}
        placeholder={type === 'move' ? texts.folderHint : ''}
        dir="auto"
        list={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}

interface ChoiceProps {
  label: string;
  options: readonly string[];
  words: FilterWords;
  value: string;
  onChange(value: string): void;
}

function Choice({ label, options, words, value, onChange }: ChoiceProps) {
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {options.map((option) => (
        <option key={option} value={option}>
          {words[option as keyof FilterWords]}
        </option>
      ))}
    </select>
  );
}
