import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Search, Trash2, UsersRound } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import type { Contact } from '../../../client/src/index.ts';
import { useActions } from '../app/actions.ts';
import { useTexts } from '../app/texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { IconButton } from '../parts/button.tsx';
import { EmptyPlace, ErrorPlace } from '../parts/place.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import { BookList } from './book-list.tsx';
import { ContactCard, recipient } from './contact-card.tsx';
import { ContactEditor } from './contact-editor.tsx';
import styles from './contacts.module.css';
import { ImportCards } from './import-dialog.tsx';
import { contactTexts } from './texts.ts';
import {
  type Shown,
  useBooks,
  useContact,
  useContactList,
  useLiveContacts,
  useTrash,
} from './use-contacts.ts';

const ROW = 52;

/** `/contacts/` lists them, with `contact/<id>`, `contact/<id>/edit` or `new` beside; `book`, `trash` and `q` in the query narrow. */
export function ContactsPage() {
  const texts = useTexts(contactTexts);
  const { _splat: rest = '' } = useParams({ from: '/contacts/$' });
  const { book, trash, q: asked = '' } = useSearch({ from: '/contacts/$' });
  const navigate = useNavigate();
  const [q, setQ] = useState(asked);
  const [imports, setImports] = useState(0);
  const shown: Shown = { bookId: book, isTrash: trash === 'true', q };
  const [, id, mode] = rest.split('/');
  const go = (to: string) =>
    void navigate({ to: '/contacts/$', params: { _splat: to }, search: { book, trash: trash || undefined } });
  const { data: books } = useBooks();
  useLiveContacts();
  const bookId = book ?? books?.[0]?.id;
  const isEditing = rest === 'new' || mode === 'edit';
  return (
    <div className={styles.page} data-open={rest !== '' || undefined}>
      <BookList shown={shown} onImport={() => setImports((n) => n + 1)} />
      <List {...{ shown, q, setQ, go }} openId={id} isEditing={isEditing} />
      <div className={styles.detail}>
        {rest === 'new' && bookId !== undefined && (
          <ContactEditor
            bookId={bookId}
            onSaved={(contact) => go(contact ? `contact/${contact.id}` : '')}
            onLeave={() => go('')}
          />
        )}
        {id && (
          <One key={`${id}-${mode}`} id={id} isEditing={mode === 'edit'} isTrash={shown.isTrash} go={go} />
        )}
        {rest === '' && (
          <EmptyPlace icon={<UsersRound />} title={texts.noneOpen}>
            <p>{texts.noneOpenText}</p>
          </EmptyPlace>
        )}
      </div>
      <ImportCards bookId={bookId} asked={imports} />
    </div>
  );
}

interface ListProps {
  shown: Shown;
  q: string;
  setQ(q: string): void;
  go(to: string): void;
  openId: string | undefined;
  isEditing: boolean;
}

function List({ shown, q, setQ, go, openId, isEditing }: ListProps) {
  const texts = useTexts(contactTexts);
  const list = useContactList(shown);
  const [current, setCurrent] = useState<string>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const search = useRef<HTMLInputElement>(null);
  const wanted = selected.size > 0 ? selected : new Set([openId ?? current]);
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  // The open one may be further down than the list has been read.
  const opened = useContact(openId).data;
  const chosen = selected.size === 0 && opened ? [opened] : items.filter(({ id }) => wanted.has(id));
  const clear = () => setSelected(new Set());
  useListActions({ chosen, isTrash: shown.isTrash, isEditing, search, go, clear });
  const emptyTitle = q ? texts.noneFound : shown.isTrash ? texts.trashEmpty : texts.none;
  return (
    <section className={styles.list} aria-label={texts.contacts}>
      <header className={styles.listHead}>
        <input
          ref={search}
          type="search"
          className={styles.search}
          aria-label={texts.search}
          placeholder={texts.search}
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
        <IconButton label={texts.newContact} keys="n" onPress={() => go('new')}>
          <Plus />
        </IconButton>
      </header>
      {list.error ? (
        <ErrorPlace error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data && items.length === 0 ? (
        <EmptyPlace icon={q ? <Search /> : shown.isTrash ? <Trash2 /> : <UsersRound />} title={emptyTitle}>
          {!q && !shown.isTrash && <p>{texts.noneText}</p>}
        </EmptyPlace>
      ) : (
        <WindowedList
          label={texts.contacts}
          items={items}
          keyOf={({ id }) => id}
          rowHeight={ROW}
          current={current ?? openId}
          onCurrent={setCurrent}
          selected={selected}
          onSelect={setSelected}
          onOpen={({ id }) => go(`contact/${id}`)}
          onNearEnd={() => {
            if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
          }}
          renderRow={(contact) => <Row contact={contact} />}
        />
      )}
    </section>
  );
}

interface ListActions {
  chosen: readonly Contact[];
  isTrash: boolean;
  isEditing: boolean;
  search: RefObject<HTMLInputElement | null>;
  go(to: string): void;
  clear(): void;
}

function useListActions({ chosen, isTrash, isEditing, search, go, clear }: ListActions): void {
  const texts = useTexts(contactTexts);
  const navigate = useNavigate();
  const { trash, restore } = useTrash(texts);
  const [first] = chosen;
  const write = () => {
    const to = chosen.flatMap(({ name, emails = [] }) => {
      const [email] = emails;
      return email ? [recipient(name, email.address)] : [];
    });
    void navigate({
      to: '/mail/compose/$draftId',
      params: { draftId: 'new' },
      search: { to: to.join(', ') },
    });
  };
  const act = (run: (contacts: readonly Contact[]) => Promise<void>) => {
    void run(chosen);
    clear();
    go('');
  };
  const offered = [
    { id: 'new-contact', label: texts.newContact, keys: 'n', run: () => go('new') },
    { id: 'search', label: texts.search, keys: '/', run: () => search.current?.focus() },
  ];
  const forChosen = [
    { id: 'edit', label: texts.edit, keys: 'e', run: () => first && go(`contact/${first.id}/edit`) },
    { id: 'write', label: texts.write, keys: 'm', run: write },
    isTrash
      ? { id: 'restore', label: texts.restore, keys: 'r', run: () => act(restore) }
      : { id: 'trash', label: texts.toTrash, keys: '#', run: () => act(trash) },
  ];
  useActions(isEditing ? [] : first ? [...offered, ...forChosen] : offered);
}

function Row({ contact: { name, emails = [], organization } }: { contact: Contact }) {
  const texts = useTexts(contactTexts);
  const [email] = emails;
  return (
    <div className={styles.row}>
      <Avatar name={name || '?'} />
      <span className={styles.rowTexts}>
        <bdi className={styles.name} title={name}>
          {name || texts.nameless}
        </bdi>
        <bdi className={styles.second}>{email?.address ?? organization ?? ''}</bdi>
      </span>
    </div>
  );
}

interface OneProps {
  id: string;
  isEditing: boolean;
  isTrash: boolean;
  go(to: string): void;
}

function One({ id, isEditing, isTrash, go }: OneProps) {
  const texts = useTexts(contactTexts);
  const { data: contact, error, refetch } = useContact(id);
  const { trash, restore } = useTrash(texts);
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  if (!contact) return null;
  const open = () => go(`contact/${id}`);
  if (isEditing)
    return <ContactEditor contact={contact} bookId={contact.address_book_id} onSaved={open} onLeave={open} />;
  const act = (run: (contacts: readonly Contact[]) => Promise<void>) => {
    void run([contact]);
    go('');
  };
  return (
    <ContactCard
      contact={contact}
      isTrashed={isTrash}
      onBack={() => go('')}
      onEdit={() => go(`contact/${id}/edit`)}
      onTrash={() => act(trash)}
      onRestore={() => act(restore)}
    />
  );
}
