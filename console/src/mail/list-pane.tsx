import { Link } from '@tanstack/react-router';
import { ListFilter, Menu as MenuIcon, PenLine, Search, SearchX, X } from 'lucide-react';
import type { RefObject } from 'react';
import { useTexts } from '../app/texts.ts';
import { type Density, useLooks } from '../app/theme.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { EmptyPlace, ErrorPlace } from '../parts/place.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import { ActionBar } from './action-bar.tsx';
import { DRAGGED } from './drag.ts';
import { EmptyList } from './empty-list.tsx';
import { folderName, useFolders } from './folders.ts';
import { KeptNotice } from './kept-notice.tsx';
import styles from './list-pane.module.css';
import { MessageRow } from './message-row.tsx';
import { folderOf, linkTo, type Place } from './places.ts';
import { Operators, SearchField } from './search-field.tsx';
import { SearchRow } from './search-row.tsx';
import { KINDS } from './search-rows.ts';
import { type MailTexts, mailTexts } from './texts.ts';
import type { MailActions } from './use-mail-actions.ts';
import { type Row, type Rows, recordIn } from './use-rows.ts';

interface ListPaneProps {
  place: Place;
  rows: Rows;
  selected: ReadonlySet<string>;
  current: string | undefined;
  actions: MailActions;
  searchField: RefObject<HTMLInputElement | null>;
  onSelect(selected: ReadonlySet<string>): void;
  onCurrent(id: string): void;
  onOpen(row: Row): void;
  onShowFolders(): void;
}

/** The list of a place, with its search and what can be done with what is selected. */
export function ListPane(props: ListPaneProps) {
  const texts = useTexts(mailTexts);
  const { place, rows, searchField } = props;
  const q = place.kind === 'search' ? place.q : '';
  const folders = useFolders();
  const isDrafts = place.kind === 'folder' && folderOf(place.key, folders)?.role === 'drafts';
  return (
    <section className={styles.pane} aria-label={texts.messages}>
      <div className={styles.top}>
        <span className={styles.drawer}>
          <IconButton label={texts.folders} onPress={props.onShowFolders}>
            <MenuIcon />
          </IconButton>
        </span>
        <SearchField q={q} field={searchField} />
        {props.actions.maySend && (
          <span className={styles.drawer}>
            <IconButton label={texts.compose} keys="c" onPress={() => props.actions.compose({})}>
              <PenLine />
            </IconButton>
          </span>
        )}
      </div>
      {place.kind === 'search' && <SearchHead place={place} field={searchField} />}
      {(place.kind !== 'search' || props.selected.size > 0) && <ListHead {...props} />}
      {isDrafts && <KeptNotice />}
      <ListBody {...props} />
      {rows.hasFailed && (
        <p className={styles.failed} role="alert">
          <Button onPress={rows.retry}>{texts.loadingMore}</Button>
        </p>
      )}
    </section>
  );
}

function SearchHead({
  place,
  field,
}: {
  place: Place & { kind: 'search' };
  field: RefObject<HTMLInputElement | null>;
}) {
  const texts = useTexts(mailTexts);
  if (place.q === '') return null;
  return (
    <>
      <nav className={styles.kinds} aria-label={texts.results}>
        {['', ...KINDS].map((kind) => (
          <Link
            key={kind}
            {...linkTo({ ...place, only: kind })}
            className={styles.kind}
            {...(kind === place.only && { 'aria-current': 'page' as const })}
          >
            {kind === '' ? texts.all : texts[`kind_${kind as (typeof KINDS)[number]}`]}
          </Link>
        ))}
        <Link
          to="/mail/filters/$"
          params={{ _splat: 'new' }}
          search={{ q: place.q }}
          className={styles.kind}
          title={texts.filterFromSearch}
          aria-label={texts.filterFromSearch}
        >
          <ListFilter />
        </Link>
      </nav>
      <details className={styles.more}>
        <summary>{texts.operators}</summary>
        <Operators field={field} q={place.q} />
      </details>
    </>
  );
}

function ListHead({ place, rows, selected, actions, onSelect }: ListPaneProps) {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const folder = place.kind === 'folder' ? folderOf(place.key, folders) : undefined;
  if (selected.size > 0) {
    const messages = rows.items.filter(({ id }) => selected.has(id)).flatMap((row) => recordIn(row) ?? []);
    return (
      <div className={styles.head}>
        <IconButton label={texts.clearSelection} keys="Escape" onPress={() => onSelect(new Set())}>
          <X />
        </IconButton>
        <span className={styles.count} aria-live="polite">
          {texts.selectedCount(selected.size)}
        </span>
        <ActionBar messages={messages} actions={actions} />
      </div>
    );
  }
  return (
    <div className={styles.head}>
      <h1 className={styles.name} dir="auto" title={titleOf(place, folder, texts)}>
        {titleOf(place, folder, texts)}
      </h1>
      {folder && (
        <span className={styles.count}>
          {folder.unread_count > 0 ? `${texts.unread(folder.unread_count)} · ` : ''}
          {texts.count(folder.message_count)}
        </span>
      )}
    </div>
  );
}

function titleOf(place: Place, folder: ReturnType<typeof folderOf>, texts: MailTexts): string {
  if (place.kind === 'label') return place.name;
  if (place.kind === 'starred') return texts.starred;
  return folder ? folderName(folder, texts) : texts.messages;
}

function ListBody(props: ListPaneProps) {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const { density } = useLooks();
  const { place, rows, selected, current, actions, onSelect } = props;
  const { items } = rows;
  if (rows.error && items.length === 0) return <ErrorPlace error={rows.error} onRetry={rows.retry} />;
  if (rows.isPending) return <div className={styles.pending} />;
  if (items.length === 0)
    return place.kind === 'search' ? (
      <NothingFound q={place.q} field={props.searchField} />
    ) : (
      <EmptyList place={place} />
    );
  const folder = place.kind === 'folder' ? folderOf(place.key, folders) : undefined;
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const draggedWith = (id: string) => (selected.has(id) ? [...selected] : [id]);
  return (
    <WindowedList
      label={texts.messages}
      items={items}
      keyOf={({ id }: Row) => id}
      rowHeight={rowHeightOf(place, density)}
      current={current}
      onCurrent={props.onCurrent}
      selected={selected}
      onSelect={onSelect}
      onOpen={props.onOpen}
      onNearEnd={rows.loadMore}
      {...(folder && { total: Math.max(folder.message_count, items.length) })}
      {...(actions.mayWrite && { dragData: ({ id }: Row) => ({ [DRAGGED]: draggedWith(id).join(' ') }) })}
      renderRow={(row: Row, { isSelected }) =>
        'hit' in row ? (
          <SearchRow row={row} />
        ) : (
          <MessageRow
            record={row}
            isSent={folder?.role === 'sent' || folder?.role === 'drafts'}
            isCompact={density === 'compact'}
            isSelected={isSelected}
            onToggle={() => toggle(row.id)}
            onStar={() => actions.star([row])}
          />
        )
      }
    />
  );
}

/** A row of a list that is not compact has a line of its own for the preview. */
function rowHeightOf({ kind }: Place, density: Density): number {
  if (density === 'compact') return 52;
  return kind === 'search' ? 60 : 76;
}

function NothingFound({ q, field }: { q: string; field: RefObject<HTMLInputElement | null> }) {
  const texts = useTexts(mailTexts);
  return (
    <EmptyPlace
      icon={q === '' ? <Search /> : <SearchX />}
      title={q === '' ? texts.searchPlace : texts.noResults}
    >
      <p>{q === '' ? texts.searchPlaceText : texts.noResultsText}</p>
      {q === '' && <Operators field={field} q="" />}
    </EmptyPlace>
  );
}
