import {
  File,
  FileAudio,
  FileImage,
  FileSpreadsheet,
  FileText,
  FileVideo,
  Folder,
  FolderSymlink,
} from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { useUser } from '../app/session.ts';
import { useLanguage, useTexts } from '../app/texts.ts';
import { shownName } from '../parts/shown-name.ts';
import { sizeText } from '../parts/size.ts';
import { fullTime, shortTime } from '../parts/time.ts';
import { dropOnFolder } from './dragging.ts';
import styles from './item-row.module.css';
import type { Item } from './items.ts';
import { useUserName } from './people.ts';
import { can, roleText } from './roles.ts';
import { filesTexts } from './texts.ts';
import { focusList } from './view-state.ts';

interface RowProps {
  item: Item;
  isSelected: boolean;
  isRenaming: boolean;
  onToggle(id: string): void;
  /** The new name; undefined: it stays. */
  onRename(item: Item, name: string | undefined): void;
}

/** A row of a list of files. */
export const ItemRow = memo(function ItemRow({ item, isSelected, isRenaming, onToggle, onRename }: RowProps) {
  const texts = useTexts(filesTexts);
  const language = useLanguage();
  const user = useUser();
  const owner = useUserName(item.ownerId);
  const isOwn = item.ownerId === user.id;
  const whose = isOwn ? '' : [owner, roleText(item.role, texts)].filter(Boolean).join(' · ');
  const size = item.size === undefined ? '' : sizeText(item.size, language);
  const drop =
    item.kind === 'folder' && !item.isTrashed && can('change', item) ? dropOnFolder(item.id, item.name) : {};
  return (
    <div className={styles.row} {...drop}>
      <label className={styles.tick}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={texts.select(item.name)}
          onChange={() => {
            onToggle(item.id);
            focusList();
          }}
        />
        <ItemIcon item={item} isOwn={isOwn} />
      </label>
      <div className={styles.main}>
        {isRenaming ? (
          <NameField item={item} onRename={onRename} />
        ) : (
          <span className={styles.name} title={item.name} dir="auto">
            {shownName(item.name)}
          </span>
        )}
        {item.snippet && (
          <span className={styles.snippet} dir="auto">
            {item.snippet}
          </span>
        )}
        <span className={styles.small}>
          {[shortTime(item.updatedAt, language), size, isOwn ? '' : roleText(item.role, texts)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      <span className={styles.owner} title={whose}>
        {whose}
      </span>
      <time className={styles.time} dateTime={item.updatedAt} title={fullTime(item.updatedAt, language)}>
        {shortTime(item.updatedAt, language)}
      </time>
      <span className={styles.size}>{size}</span>
    </div>
  );
});

/** Takes the new name in place: Enter keeps it, Escape does not. */
function NameField({ item, onRename }: Pick<RowProps, 'item' | 'onRename'>) {
  const texts = useTexts(filesTexts);
  const input = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  useEffect(() => {
    const end = item.kind === 'file' ? item.name.lastIndexOf('.') : -1;
    input.current?.focus();
    input.current?.setSelectionRange(0, end > 0 ? end : item.name.length);
  }, [item]);
  const finish = (name: string | undefined) => {
    if (isOver.current) return;
    isOver.current = true;
    const given = name?.trim();
    onRename(item, given === '' || given === item.name ? undefined : given);
  };
  return (
    <input
      ref={input}
      className={styles.field}
      aria-label={texts.nameOf(item.name)}
      defaultValue={item.name}
      maxLength={255}
      dir="auto"
      onBlur={({ target }) => finish(target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish(event.currentTarget.value);
        else if (event.key === 'Escape') finish(undefined);
        event.stopPropagation();
      }}
    />
  );
}

export function ItemIcon({
  item,
  isOwn = true,
}: {
  item: Pick<Item, 'kind' | 'mediaType'>;
  isOwn?: boolean;
}) {
  const Icon = iconOf(item, isOwn);
  return <Icon aria-hidden="true" className={styles.icon} data-kind={item.kind} />;
}

function iconOf({ kind, mediaType = '' }: Pick<Item, 'kind' | 'mediaType'>, isOwn: boolean) {
  if (kind === 'folder') return isOwn ? Folder : FolderSymlink;
  if (kind === 'spreadsheet' || /spreadsheet|excel|csv/.test(mediaType)) return FileSpreadsheet;
  if (kind === 'document' || /^text\/|pdf|word|opendocument.text|json|xml/.test(mediaType)) return FileText;
  if (mediaType.startsWith('image/')) return FileImage;
  if (mediaType.startsWith('audio/')) return FileAudio;
  return mediaType.startsWith('video/') ? FileVideo : File;
}
