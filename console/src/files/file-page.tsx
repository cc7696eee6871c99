import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Download, FolderInput, PenLine, RotateCcw, Trash2, UserPlus } from 'lucide-react';
import { useActions } from '../app/actions.ts';
import { api } from '../app/api.ts';
import { useLanguage, useTexts } from '../app/texts.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { EmptyPlace, ErrorPlace } from '../parts/place.tsx';
import { shownName } from '../parts/shown-name.ts';
import { sizeText } from '../parts/size.ts';
import { fullTime } from '../parts/time.ts';
import { type Place, useGo } from './address.ts';
import { type Dialogs, useDialogs } from './dialogs.tsx';
import { downloadAll } from './downloads.ts';
import styles from './file-page.module.css';
import { ItemIcon } from './item-row.tsx';
import type { Item } from './items.ts';
import { useLate } from './list-view.tsx';
import { useFolders, useItem } from './lists.ts';
import { useUserName } from './people.ts';
import { Preview } from './preview/preview.tsx';
import { can, reasonAgainst, roleText } from './roles.ts';
import { filesTexts } from './texts.ts';
import { neighboursOf } from './view-state.ts';
import { useWrites } from './writes.ts';

/** A file, document or spreadsheet by itself: what is in it, and what is known of it. */
export function FilePage({ id }: { id: string }) {
  const texts = useTexts(filesTexts);
  const { data: item, error, isPending, refetch } = useItem(id);
  const isLate = useLate(isPending);
  if (item) return <Shown item={item} />;
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  if (isPending) return <p className={styles.loading}>{isLate ? texts.loading : ''}</p>;
  return (
    <EmptyPlace title={texts.noSuchFile}>
      <p>{texts.noSuchFileHint}</p>
    </EmptyPlace>
  );
}

function Shown({ item }: { item: Item }) {
  const texts = useTexts(filesTexts);
  const writes = useWrites();
  const go = useGo();
  const dialogs = useDialogs(item.parentId);
  const back = useBack(item);
  const { before, after } = neighboursOf(item.id);
  const save = () => void downloadAll([item], texts);
  const trash = () => {
    writes.trash([item]);
    go(back);
  };
  const restore = () => writes.restore([item]);
  const rename = () => dialogs.open({ kind: 'rename', item });
  const move = () => dialogs.open({ kind: 'move', items: [item] });
  const share = () => dialogs.open({ kind: 'share', item });
  const mayChange = can('change', item);
  const mayMove = can('move', item);
  const toOther = (id: string | undefined) => id !== undefined && go({ kind: 'file', id }, { replace: true });
  useActions([
    { id: 'file-back', label: texts.back, keys: 'Backspace', run: () => go(back) },
    { id: 'file-close', label: texts.back, keys: 'Escape', run: () => go(back) },
    { id: 'file-next', label: texts.next, keys: 'j', run: () => toOther(after) },
    { id: 'file-previous', label: texts.previous, keys: 'k', run: () => toOther(before) },
    { id: 'file-download', label: texts.download, keys: 'd', run: save },
    ...(item.isTrashed
      ? [{ id: 'file-restore', label: texts.restore, keys: 'r', run: restore }]
      : [
          ...(mayChange ? [{ id: 'file-rename', label: texts.renameAction, keys: 'F2', run: rename }] : []),
          ...(mayMove ? [{ id: 'file-move', label: texts.moveAction, keys: 'm', run: move }] : []),
          { id: 'file-share', label: texts.share, keys: 's', run: share },
          ...(mayChange ? [{ id: 'file-trash', label: texts.trashAction, keys: '#', run: trash }] : []),
        ]),
  ]);
  return (
    <>
      <FileHeader {...{ item, dialogs, save, trash, restore, rename, move, share }} onBack={() => go(back)} />
      <div className={styles.body}>
        <div className={styles.preview}>
          <Preview item={item} onSave={save} />
        </div>
        <Details item={item} />
      </div>
      {dialogs.element}
    </>
  );
}

/** The list that the file was opened from, else its folder. */
function useBack(item: Item): Place {
  const { data: folders = [] } = useFolders();
  const { place } = neighboursOf(item.id);
  if (place) return place;
  if (item.isTrashed) return { kind: 'trash' };
  const isReached = item.parentId === '' || folders.some(({ id }) => id === item.parentId);
  return isReached ? { kind: 'folder', folderId: item.parentId } : { kind: 'shared' };
}

interface FileHeaderProps {
  item: Item;
  dialogs: Dialogs;
  onBack(): void;
  save(): void;
  trash(): void;
  restore(): void;
  rename(): void;
  move(): void;
  share(): void;
}

function FileHeader({ item, onBack, save, trash, restore, rename, move, share }: FileHeaderProps) {
  const texts = useTexts(filesTexts);
  return (
    <header className={styles.header}>
      <IconButton label={texts.back} keys="Backspace" onPress={onBack}>
        <ArrowLeft />
      </IconButton>
      <ItemIcon item={item} />
      <h1 className={styles.title} title={item.name} dir="auto">
        {shownName(item.name)}
      </h1>
      <IconButton label={texts.download} keys="d" onPress={save}>
        <Download />
      </IconButton>
      {item.isTrashed ? (
        <Button onPress={restore}>
          <RotateCcw />
          {texts.restore}
        </Button>
      ) : (
        <>
          <IconButton label={texts.share} keys="s" onPress={share}>
            <UserPlus />
          </IconButton>
          {can('change', item) && (
            <IconButton label={texts.renameAction} keys="F2" onPress={rename}>
              <PenLine />
            </IconButton>
          )}
          {can('move', item) && (
            <IconButton label={texts.moveAction} keys="m" onPress={move}>
              <FolderInput />
            </IconButton>
          )}
          {can('change', item) && (
            <IconButton label={texts.trashAction} keys="#" onPress={trash}>
              <Trash2 />
            </IconButton>
          )}
        </>
      )}
    </header>
  );
}

function Details({ item }: { item: Item }) {
  const texts = useTexts(filesTexts);
  const language = useLanguage();
  const owner = useUserName(item.ownerId);
  const role = roleText(item.role, texts);
  const reason = item.isTrashed ? undefined : reasonAgainst('move', [item], texts);
  const { data: folders = [] } = useFolders();
  const folder = folders.find(({ id }) => id === item.parentId)?.name ?? texts.myFiles;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: details that scroll must be reached by key
    <aside className={styles.details} aria-label={texts.details} tabIndex={0}>
      <h2>{texts.details}</h2>
      <dl>
        <Detail term={texts.kind}>{kindText(item, texts)}</Detail>
        {item.size !== undefined && <Detail term={texts.size}>{sizeText(item.size, language)}</Detail>}
        <Detail term={texts.owner}>{owner || texts.somebody}</Detail>
        {role !== '' && <Detail term={texts.ownRole}>{role}</Detail>}
        {!item.isTrashed && item.parentId !== '' && <Detail term={texts.folder}>{folder}</Detail>}
        <Detail term={texts.changed}>{fullTime(item.updatedAt, language)}</Detail>
        <Detail term={texts.created}>{fullTime(item.createdAt, language)}</Detail>
      </dl>
      {reason && <p>{reason}</p>}
      {item.kind === 'document' && <Revisions id={item.id} />}
    </aside>
  );
}

function Detail({ term, children }: { term: string; children: string }) {
  return (
    <div className={styles.detail}>
      <dt>{term}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

/** The latest contents that a document has had. */
function Revisions({ id }: { id: string }) {
  const texts = useTexts(filesTexts);
  const language = useLanguage();
  const { data } = useQuery({
    queryKey: ['files', 'revisions', id],
    queryFn: ({ signal }) => api.documents.listDocumentRevisions(id, { limit: 10 }, { signal }).first(),
  });
  if (!data) return null;
  return (
    <>
      <h2>{texts.revisions}</h2>
      <ol className={styles.revisions}>
        {data.items.map(({ revision, created_at, created_by }) => (
          <li key={revision}>
            {revision}. {fullTime(created_at, language)} <UserName id={created_by} />
          </li>
        ))}
      </ol>
      {data.hasMore && <p>{texts.olderRevisions}</p>}
    </>
  );
}

function UserName({ id }: { id: string }) {
  return <span dir="auto">{useUserName(id)}</span>;
}

function kindText({ kind, mediaType }: Item, texts: typeof filesTexts.en): string {
  if (kind === 'document') return texts.document;
  return kind === 'spreadsheet' ? texts.spreadsheet : (mediaType ?? '');
}
