import { Link } from '@tanstack/react-router';
import { BookUser, Download, Pencil, Plus, Trash2, Upload, UsersRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AddressBook } from '../../../client/src/index.ts';
import { download } from '../app/api.ts';
import { outbox } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { numberText, useTexts } from '../app/texts.ts';
import { showToast } from '../app/toasts.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import styles from './contacts.module.css';
import { contactTexts } from './texts.ts';
import { LANE, type Shown, useBooks } from './use-contacts.ts';

/** The address books, and what is done to one as a whole. */
export function BookList({ shown, onImport }: { shown: Shown; onImport(): void }) {
  const texts = useTexts(contactTexts);
  const { data: books = [] } = useBooks();
  const [named, setNamed] = useState<AddressBook | 'new'>();
  const current = books.find(({ id }) => id === shown.bookId);
  const exported = current ?? books[0];
  const save = () => {
    if (!exported) return;
    download(`/v1/address-books/${exported.id}/export`, `${exported.name}.vcf`).catch((error: unknown) =>
      showToast({ text: reasonOf(error), kind: 'problem' }),
    );
  };
  return (
    <nav className={styles.books} aria-label={texts.books}>
      <Place icon={<UsersRound />} name={texts.all} isHere={!shown.bookId && !shown.isTrash} search={{}} />
      {books.map(({ id, name, contact_count }) => (
        <Place
          key={id}
          icon={<BookUser />}
          name={name}
          count={contact_count}
          isHere={shown.bookId === id}
          search={{ book: id }}
        />
      ))}
      <Place icon={<Trash2 />} name={texts.trash} isHere={shown.isTrash} search={{ trash: 'true' }} />
      <div className={styles.tools}>
        <IconButton label={texts.newBook} onPress={() => setNamed('new')}>
          <Plus />
        </IconButton>
        {current && (
          <IconButton label={texts.renameBook} onPress={() => setNamed(current)}>
            <Pencil />
          </IconButton>
        )}
        <IconButton label={texts.importCards} onPress={onImport}>
          <Upload />
        </IconButton>
        <IconButton label={texts.exportCards} onPress={save}>
          <Download />
        </IconButton>
      </div>
      {named && <BookName key={String(named)} book={named} onClose={() => setNamed(undefined)} />}
    </nav>
  );
}

interface PlaceProps {
  icon: ReactNode;
  name: string;
  count?: number;
  isHere: boolean;
  search: Record<string, string>;
}

function Place({ icon, name, count, isHere, search }: PlaceProps) {
  return (
    <Link
      to="/contacts/$"
      params={{ _splat: '' }}
      search={search}
      className={styles.place}
      // Else a link to all contacts would count as one to each part of them.
      activeOptions={{ exact: true, includeSearch: true }}
      {...(isHere && { 'aria-current': 'page' as const })}
    >
      {icon}
      <bdi className={styles.name} title={name}>
        {name}
      </bdi>
      {count !== undefined && <span className={styles.quiet}>{numberText(count)}</span>}
    </Link>
  );
}

function BookName({ book, onClose }: { book: AddressBook | 'new'; onClose(): void }) {
  const texts = useTexts(contactTexts);
  const [name, setName] = useState(book === 'new' ? '' : book.name);
  const save = async () => {
    onClose();
    const label = `${book === 'new' ? texts.newBook : texts.renameBook}: ${name}`;
    const { id, done } = await outbox.add({
      call: ({ contacts }) =>
        book === 'new' ? contacts.createAddressBook({ name }) : contacts.updateAddressBook(book.id, { name }),
      label,
      lane: LANE,
    });
    done.catch((error: unknown) => {
      void outbox.discard(id);
      showToast({ text: reasonOf(error), kind: 'problem' });
    });
  };
  return (
    <Dialog title={book === 'new' ? texts.newBook : texts.renameBook} isOpen onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') void save();
        }}
      >
        <Field label={texts.bookName} value={name} onChange={setName} maxLength={255} autoFocus />
        <Button kind="primary" type="submit" isDisabled={name.trim() === ''}>
          {texts.save}
        </Button>
      </form>
    </Dialog>
  );
}
