import { type FormEvent, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useTexts } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import type { Item } from '../items.ts';
import { type Principal, usePrincipals } from '../people.ts';
import { filesTexts } from '../texts.ts';
import { RoleSelect } from './role-select.tsx';
import styles from './share-dialog.module.css';
import { type Role, useShareWrites } from './sharing.ts';

/** Names somebody, by completion or by address, and gives a role. */
export function Invite({ item }: { item: Item }) {
  const texts = useTexts(filesTexts);
  const writes = useShareWrites(item);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Principal>();
  const [role, setRole] = useState<Role>('viewer');
  const [notify, setNotify] = useState(true);
  const isAddress = /^\S+@\S+$/.test(text.trim());
  const isReady = chosen !== undefined || isAddress;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    const recipient = chosen
      ? { principal_id: chosen.id, principal_type: chosen.type }
      : { email: text.trim() };
    void writes.share(recipient, chosen?.name ?? text.trim(), role, notify);
    setText('');
    setChosen(undefined);
  };
  return (
    <form className={styles.invite} onSubmit={submit}>
      <PrincipalField
        text={text}
        onText={(given) => {
          setText(given);
          if (given !== chosen?.name) setChosen(undefined);
        }}
        onChoose={(principal) => {
          setChosen(principal);
          setText(principal.name);
        }}
      />
      <RoleSelect label={texts.role} role={role} onChange={setRole} />
      <label className={styles.notify}>
        <input type="checkbox" checked={notify} onChange={({ target }) => setNotify(target.checked)} />
        {texts.notify}
      </label>
      {/* Never disabled: the keys would lose their place in the dialog. */}
      <Button kind="primary" type="submit">
        {texts.share}
      </Button>
    </form>
  );
}

interface PrincipalFieldProps {
  text: string;
  onText(text: string): void;
  onChoose(principal: Principal): void;
}

function PrincipalField({ text, onText, onChoose }: PrincipalFieldProps) {
  const texts = useTexts(filesTexts);
  const found = usePrincipals(text);
  return (
    <ComboBox
      className={styles.combo ?? ''}
      items={found.map((principal) => ({ ...principal, key: `${principal.type} ${principal.id}` }))}
      inputValue={text}
      onInputChange={onText}
      onSelectionChange={(key) => {
        const principal = found.find(({ type, id }) => `${type} ${id}` === key);
        if (principal) onChoose(principal);
      }}
      defaultFilter={() => true}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger="input"
    >
      <Label className={styles.label ?? ''}>{texts.withWhom}</Label>
      <Input className={styles.input ?? ''} placeholder={texts.withWhomHint} autoFocus />
      <Popover className={styles.popover ?? ''}>
        <ListBox<Principal & { key: string }>
          className={styles.options ?? ''}
          renderEmptyState={() => (
            <p className={styles.detail}>{text.trim() === '' ? '' : texts.nobodyFound}</p>
          )}
        >
          {(principal) => (
            <ListBoxItem id={principal.key} textValue={principal.name} className={styles.option ?? ''}>
              <span className={styles.name}>{principal.name}</span>
              <span className={styles.detail}>
                {principal.type === 'group' ? texts.groupOf(Number(principal.detail)) : principal.detail}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
