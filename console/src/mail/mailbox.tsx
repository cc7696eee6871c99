import { useNavigate } from '@tanstack/react-router';
import { MailOpen } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { MailFolder } from '../../../client/src/index.ts';
import { useTexts } from '../app/texts.ts';
import { EmptyPlace } from '../parts/place.tsx';
import { ActionDialogs } from './action-dialogs.tsx';
import { Conversation } from './conversation.tsx';
import { FolderDrawer } from './folder-drawer.tsx';
import { FolderPane } from './folder-pane.tsx';
import { folderName, useFolders } from './folders.ts';
import { ListPane } from './list-pane.tsx';
import styles from './mailbox.module.css';
import { type Address, folderOf, type Place } from './places.ts';
import { mailTexts } from './texts.ts';
import { Tour } from './tour.tsx';
import { type MailActions, useMailActions } from './use-mail-actions.ts';
import { useMailCache } from './use-mail-cache.ts';
import { useMailKeys } from './use-mail-keys.ts';
import { useOpened } from './use-opened.ts';
import { type Row, recordIn, useRows } from './use-rows.ts';
import { useSelection } from './use-selection.ts';

/** Folders, a list, and the conversation that is open. */
export function Mailbox({ place, opened: addressed }: Address) {
  const navigate = useNavigate();
  const cache = useMailCache();
  const rows = useRows(place);
  const [areFoldersShown, setFoldersShown] = useState(false);
  const { pane, searchField, focusList, focusSearch } = useFocus();
  useTitle(place);
  const { opened, show } = useOpened(place, addressed);
  const selection = useSelection({ place, opened, items: rows.items, show });
  const { selected, setSelected, current, setCurrent, targets } = selection;
  const actions = useMailActions(selection.onLeave);
  const open = (row: Row) => openRow(row, { place, cache, navigate, show });
  useNeighboursAhead(rows.items, opened);
  const close = () => {
    show(undefined);
    requestAnimationFrame(focusList);
  };
  const onCurrent = (row: Row) => {
    setCurrent(row.id);
    if (opened !== undefined) open(row);
    else focusList();
  };
  const keys = { rows: rows.items, current, opened, targets, selected, actions };
  const on = { onCurrent, onSelect: setSelected, onOpen: open, onClose: close, onSearch: focusSearch };
  useMailKeys({ ...keys, ...on });
  const drop = (ids: readonly string[], folder: MailFolder) => {
    setSelected(new Set());
    actions.moveTo(cache.known(new Set(ids)), folder);
  };
  return (
    <div ref={pane} className={styles.mailbox} data-open={opened !== undefined || undefined}>
      <aside className={styles.folders}>
        <FolderPane place={place} onDrop={drop} />
      </aside>
      <ListPane
        place={place}
        rows={rows}
        selected={selected}
        current={current}
        actions={actions}
        searchField={searchField}
        onSelect={setSelected}
        onCurrent={setCurrent}
        onOpen={open}
        onShowFolders={() => setFoldersShown(true)}
      />
      <Reading opened={opened} items={rows.items} actions={actions} onBack={close} />
      <ActionDialogs actions={actions} />
      <FolderDrawer isOpen={areFoldersShown} onClose={() => setFoldersShown(false)} place={place} />
      <Tour />
    </div>
  );
}

interface ReadingProps {
  opened: string | undefined;
  items: readonly Row[];
  actions: MailActions;
  onBack(): void;
}

/** The room beside the list: the conversation that is open, or the hint that none is. */
function Reading({ opened, items, actions, onBack }: ReadingProps) {
  const texts = useTexts(mailTexts);
  const row = items.find(({ id }) => id === opened);
  return (
    <div className={styles.reading}>
      {opened === undefined ? (
        <EmptyPlace icon={<MailOpen />} title={texts.nothingOpen}>
          <p>{texts.nothingOpenText}</p>
        </EmptyPlace>
      ) : (
        <Conversation
          key={opened}
          id={opened}
          record={row && recordIn(row)}
          actions={actions}
          onBack={onBack}
        />
      )}
    </div>
  );
}

/** Moves the focus to the list and to the field of the search. */
function useFocus() {
  const pane = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  return {
    pane,
    searchField,
    focusList: () => pane.current?.querySelector<HTMLElement>('[role=grid]')?.focus(),
    focusSearch: () => {
      searchField.current?.focus();
      searchField.current?.select();
    },
  };
}

interface Opening {
  place: Place;
  cache: ReturnType<typeof useMailCache>;
  navigate: ReturnType<typeof useNavigate>;
  show(id: string): void;
}

function openRow(row: Row, { cache, navigate, show }: Opening): void {
  const record = recordIn(row);
  if (record) {
    const isDraft = folderOf('drafts', cache.folders())?.id === record.folder_id && record.flags.draft;
    if (!isDraft) show(record.id);
    else
      void navigate({
        to: '/mail/compose/$draftId',
        params: { draftId: record.id.replace(/^msg_/, 'drf_') },
      });
    return;
  }
  if (!('hit' in row)) return;
  const { kind, id } = row.hit;
  if (kind === 'contact') void navigate({ to: '/contacts/$', params: { _splat: `contact/${id}` } });
  else if (kind !== 'message') void navigate({ to: '/files/$', params: { _splat: `file/${id}` } });
  else show(id);
}

/** The messages beside the open one are read ahead, so that j and k show them at once. */
function useNeighboursAhead(items: readonly Row[], opened: string | undefined): void {
  const cache = useMailCache();
  useEffect(() => {
    const at = items.findIndex(({ id }) => id === opened);
    if (at < 0) return;
    for (const row of [items[at + 1], items[at - 1]]) {
      const record = row && recordIn(row);
      if (record) cache.prefetchMessage(record.id);
    }
  }, [items, opened, cache]);
}

/** The title of the window tells what is unread in the inbox, and the place. */
function useTitle(place: Place): void {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const folder = place.kind === 'folder' ? folderOf(place.key, folders) : undefined;
  const names = {
    folder: folder ? folderName(folder, texts) : '',
    starred: texts.starred,
    label: place.kind === 'label' ? place.name : '',
    search: place.kind === 'search' ? place.q : '',
  };
  const unread = folderOf('inbox', folders)?.unread_count ?? 0;
  const name = names[place.kind];
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${name ? `${name} · ` : ''}Atrium`;
    return () => {
      document.title = 'Atrium';
    };
  }, [unread, name]);
}
