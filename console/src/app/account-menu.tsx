import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { Avatar } from '../parts/avatar.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Menu, type MenuChoice, type MenuGroup } from '../parts/menu.tsx';
import styles from './account-menu.module.css';
import { useAllUnsaved } from './all-unsaved.ts';
import { curlOf } from './curl.ts';
import { frameTexts } from './frame-texts.ts';
import { outbox } from './outbox.ts';
import { session, useUser } from './session.ts';
import { setSingleKeysOn, useAreSingleKeysOn } from './single-keys.ts';
import { type Language, setLanguage, useLanguage, useTexts } from './texts.ts';
import { type Density, setDensity, setTheme, type Theme, useLooks } from './theme.ts';
import { showToast } from './toasts.tsx';

/** The person's own menu: looks, language, keys, signing out. */
export function AccountMenu({ onShowKeys }: { onShowKeys(): void }) {
  const texts = useTexts(frameTexts);
  const user = useUser();
  const { signOut, question } = useSignOut();
  const looks = useLooksChoices();
  const areKeysOn = useAreSingleKeysOn();
  const copyCurl = async () => {
    const sent = outbox.last;
    if (sent) await navigator.clipboard.writeText(curlOf(sent));
    showToast({ text: sent ? texts.copied : texts.nothingToCopy });
  };
  const others: MenuChoice[] = [
    { id: 'keys', label: texts.showKeys, keys: '?', run: onShowKeys },
    {
      id: 'single-keys',
      label: areKeysOn ? `✓ ${texts.singleKeys}` : texts.singleKeys,
      run: () => setSingleKeysOn(user.id, !areKeysOn),
    },
    { id: 'curl', label: texts.copyCurl, run: () => void copyCurl() },
    { id: 'docs', label: texts.reference, run: () => void open('/docs', '_blank', 'noopener') },
  ];
  const out = [{ id: 'out', label: `${texts.signOut} (${user.email})`, run: signOut }];
  return (
    <>
      <Menu
        label={texts.account}
        trigger={
          <Button
            className={styles.account ?? ''}
            aria-label={`${texts.account}: ${user.name || user.email}`}
          >
            <Avatar name={user.name || user.email} />
          </Button>
        }
        groups={[...looks, { choices: others }, { choices: out }]}
      />
      {question}
    </>
  );
}

/** Theme, density and language. */
function useLooksChoices(): MenuGroup[] {
  const texts = useTexts(frameTexts);
  const { theme, density } = useLooks();
  const language = useLanguage();
  const choice = <T extends string>(id: T, label: string, current: T, set: (id: T) => void): MenuChoice => ({
    id: label,
    label: id === current ? `✓ ${label}` : label,
    run: () => set(id),
  });
  const themes: Record<Theme, string> = { system: texts.system, light: texts.light, dark: texts.dark };
  const densities: Record<Density, string> = { comfortable: texts.comfortable, compact: texts.compact };
  const languages: Record<Language, string> = { en: 'English', de: 'Deutsch' };
  return [
    {
      title: texts.theme,
      choices: entries(themes).map(([id, label]) => choice(id, label, theme, setTheme)),
    },
    {
      title: texts.density,
      choices: entries(densities).map(([id, label]) => choice(id, label, density, setDensity)),
    },
    {
      title: texts.language,
      choices: entries(languages).map(([id, label]) => choice(id, label, language, setLanguage)),
    },
  ];
}

/** Signing out, with a question before where something is not saved yet. */
function useSignOut(): { signOut(): void; question: ReactNode } {
  const texts = useTexts(frameTexts);
  const { count, things } = useAllUnsaved();
  const isLost = !outbox.isLasting() || things.some(({ withPage }) => withPage === 'lost');
  const [isAsking, setAsking] = useState(false);
  const leave = () => {
    session.signOut().catch(() => showToast({ text: texts.signOutFailed, kind: 'problem' }));
  };
  return {
    signOut: () => (count > 0 ? setAsking(true) : leave()),
    question: (
      <Confirm
        title={texts.signOutTitle}
        text={`${texts.signOutText(count)}${isLost ? ` ${texts.signOutLost}` : ''}`}
        confirm={texts.signOut}
        isOpen={isAsking}
        onConfirm={leave}
        onClose={() => setAsking(false)}
      />
    ),
  };
}

function entries<K extends string>(record: Record<K, string>): [K, string][] {
  return Object.entries(record) as [K, string][];
}
