import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Files, Mail, Search, UsersRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { AccountMenu } from './account-menu.tsx';
import { useActions } from './actions.ts';
import styles from './frame.module.css';
import { frameTexts } from './frame-texts.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { Palette } from './palette.tsx';
import { SavedState } from './saved-state.tsx';
import { useTexts } from './texts.ts';
import { Toasts } from './toasts.tsx';

/** What is around every page: the ways to the pages, the search, what is saved, the account. */
export function Frame() {
  const texts = useTexts(frameTexts);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [areKeysShown, setKeysShown] = useState(false);
  useFrameActions({ openPalette: () => setPaletteOpen(true), showKeys: () => setKeysShown(true) });
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {texts.skip}
      </a>
      <header className={styles.top}>
        <button type="button" className={styles.search} onClick={() => setPaletteOpen(true)}>
          <Search />
          <span>{texts.search}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <SavedState />
        <AccountMenu onShowKeys={() => setKeysShown(true)} />
      </header>
      <nav className={styles.pages} aria-label={texts.pages}>
        <PageLink page="/mail/$" rest="inbox" icon={<Mail />} label={texts.mail} />
        <PageLink page="/contacts/$" rest="" icon={<UsersRound />} label={texts.contacts} />
        <PageLink page="/files/$" rest="" icon={<Files />} label={texts.files} />
      </nav>
      <main id="content" className={styles.content} tabIndex={-1}>
        <Outlet />
      </main>
      <Palette isOpen={isPaletteOpen} onClose={() => setPaletteOpen(false)} />
      <KeysDialog isOpen={areKeysShown} onClose={() => setKeysShown(false)} />
      <Toasts />
    </div>
  );
}

/** What can be done on every page. */
function useFrameActions({ openPalette, showKeys }: { openPalette(): void; showKeys(): void }): void {
  const texts = useTexts(frameTexts);
  const navigate = useNavigate();
  const goTo = (to: PageLinkProps['page'], rest = '') => void navigate({ to, params: { _splat: rest } });
  useActions([
    { id: 'palette', label: texts.search, keys: 'Control+k', evenInFields: true, run: openPalette },
    { id: 'keys', label: texts.showKeys, keys: '?', run: showKeys },
    { id: 'go-mail', label: texts.mail, keys: 'g m', run: () => goTo('/mail/$', 'inbox') },
    { id: 'go-contacts', label: texts.contacts, keys: 'g c', run: () => goTo('/contacts/$') },
    { id: 'go-files', label: texts.files, keys: 'g f', run: () => goTo('/files/$') },
  ]);
}

interface PageLinkProps {
  page: '/mail/$' | '/contacts/$' | '/files/$';
  /** Where on the page the link leads. */
  rest: string;
  icon: ReactNode;
  label: string;
}

function PageLink({ page, rest, icon, label }: PageLinkProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = path.startsWith(page.slice(0, -2));
  return (
    <Link
      to={page}
      params={{ _splat: rest }}
      className={styles.page}
      {...(isHere && { 'aria-current': 'page' as const })}
    >
      {icon}
      <span>{label}</span>
    </Link>
  );
}
