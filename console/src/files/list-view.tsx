import { FolderOpen, Search, Trash2, UsersRound } from 'lucide-react';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { useTexts } from '../app/texts.ts';
import { useLooks } from '../app/theme.ts';
import { Button } from '../parts/button.tsx';
import { EmptyPlace, ErrorPlace } from '../parts/place.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import { type ListPlace, useGo } from './address.ts';
import { useDialogs } from './dialogs.tsx';
import { dragDataOf } from './dragging.ts';
import { ItemRow } from './item-row.tsx';
import type { Item } from './items.ts';
import { useListActions } from './list-actions.ts';
import { ListHeader } from './list-header.tsx';
import styles from './list-view.module.css';
import { type Listing, useListing } from './lists.ts';
import { filesTexts } from './texts.ts';
import { focusList, rememberOpened, useSelection } from './view-state.ts';
import { useWrites } from './writes.ts';

/** A folder, what is shared, the trash, or what was found. */
export function ListView({ place }: { place: ListPlace }) {
  const texts = useTexts(filesTexts);
  const go = useGo();
  const writes = useWrites();
  const listing = useListing(place);
  const selection = useSelection(place, listing.items);
  const dialogs = useDialogs(place.kind === 'folder' ? place.folderId : '', selection);
  const [renaming, setRenaming] = useState<string>();
  const open = (item: Item) => {
    if (item.kind === 'folder' && !item.isTrashed) return go({ kind: 'folder', folderId: item.id });
    if (item.kind === 'folder') return;
    rememberOpened(place, listing.items);
    go({ kind: 'file', id: item.id });
  };
  const actions = useListActions({ place, selection, dialogs, open, rename: setRenaming });
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement?.id === 'content') focusList();
  }, [listing.isPending, listing.items.length === 0]);
  return (
    <>
      <ListHeader place={place} selection={selection} actions={actions} dialogs={dialogs} />
      <ListBody place={place} listing={listing}>
        <WindowedList
          label={texts.listOf}
          items={listing.items}
          keyOf={idOf}
          rowHeight={useRowHeight(place.kind === 'search')}
          renderRow={(item, { isSelected }) => (
            <ItemRow
              item={item}
              isSelected={isSelected}
              isRenaming={renaming === item.id}
              onToggle={selection.toggle}
              onRename={(renamed, name) => {
                setRenaming(undefined);
                focusList();
                if (name !== undefined) writes.rename(renamed, name);
              }}
            />
          )}
          current={selection.current}
          onCurrent={selection.setCurrent}
          selected={selection.selected}
          onSelect={selection.setSelected}
          onOpen={open}
          onNearEnd={listing.loadMore}
          {...(place.kind !== 'trash' &&
            renaming === undefined && { dragData: (item: Item) => dragDataOf(item, selection.chosen) })}
        />
      </ListBody>
      {dialogs.element}
    </>
  );
}

function idOf({ id }: Item): string {
  return id;
}

/** The list, or what stands in its place. */
function ListBody({ place, listing, children }: { place: ListPlace; listing: Listing; children: ReactNode }) {
  const texts = useTexts(filesTexts);
  const isLate = useLate(listing.isPending);
  if (listing.error !== undefined && listing.items.length === 0)
    return <ErrorPlace error={listing.error} onRetry={listing.retry} />;
  if (listing.items.length > 0)
    return (
      <>
        {listing.isIncomplete && (
          <div className={styles.incomplete} role="alert">
            <span>{texts.incomplete}</span>
            <Button onPress={listing.retry}>{texts.readAgain}</Button>
          </div>
        )}
        <Columns />
        {children}
      </>
    );
  if (listing.isPending || !listing.isComplete)
    return <p className={styles.loading}>{isLate ? texts.loading : ''}</p>;
  return <Empty place={place} />;
}

/** What the columns hold, for the eye; each row says it in itself. */
function Columns() {
  const texts = useTexts(filesTexts);
  return (
    <div className={styles.columns} aria-hidden="true">
      <span />
      <span>{texts.name}</span>
      <span>{texts.owner}</span>
      <span className={styles.end}>{texts.changed}</span>
      <span className={styles.end}>{texts.size}</span>
    </div>
  );
}

function Empty({ place }: { place: ListPlace }) {
  const texts = useTexts(filesTexts);
  switch (place.kind) {
    case 'shared':
      return (
        <EmptyPlace icon={<UsersRound />} title={texts.emptyShared}>
          <p>{texts.emptySharedHint}</p>
        </EmptyPlace>
      );
    case 'trash':
      return (
        <EmptyPlace icon={<Trash2 />} title={texts.emptyTrash}>
          <p>{texts.emptyTrashHint}</p>
        </EmptyPlace>
      );
    case 'search':
      return (
        <EmptyPlace icon={<Search />} title={place.q.trim() === '' ? texts.search : texts.nothingFound}>
          <p>{texts.searchHint}</p>
        </EmptyPlace>
      );
    case 'folder':
      return (
        <EmptyPlace icon={<FolderOpen />} title={texts.emptyFolder}>
          <p>{texts.emptyFolderHint}</p>
        </EmptyPlace>
      );
  }
}

/** Whether something lasts longer than a moment: what is quick shows no sign of work. */
export function useLate(isPending: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isPending) return setLate(false);
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, [isPending]);
  return isLate;
}

function useRowHeight(hasSnippets: boolean): number {
  const { density } = useLooks();
  const isNarrow = useSyncExternalStore(
    (listener) => {
      NARROW.addEventListener('change', listener);
      return () => NARROW.removeEventListener('change', listener);
    },
    () => NARROW.matches,
  );
  if (isNarrow) return hasSnippets ? 72 : 56;
  return hasSnippets ? 52 : density === 'compact' ? 32 : 40;
}

const NARROW = matchMedia('(max-width: 720px)');
