import { Link } from '@tanstack/react-router';
import { FolderOpen, Trash2, UsersRound } from 'lucide-react';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useUser } from '../app/session.ts';
import { useTexts } from '../app/texts.ts';
import { linkTo, type Place, usePlace } from './address.ts';
import { dropHandlers, dropOnFolder, dropOnTrash } from './dragging.ts';
import { FilePage } from './file-page.tsx';
import styles from './files-page.module.css';
import { ListView } from './list-view.tsx';
import { useFolders } from './lists.ts';
import { useLiveItems } from './live-items.ts';
import { can } from './roles.ts';
import { SearchField } from './search-field.tsx';
import { filesTexts } from './texts.ts';
import { UploadPanel } from './uploads/upload-panel.tsx';
import { uploads } from './uploads/uploads.ts';
import { keyOfPlace } from './view-state.ts';
import { useWrites } from './writes.ts';

/** The files page: the places at the left, and what the address names. */
export function FilesPage() {
  const place = usePlace();
  const user = useUser();
  const writes = useWrites();
  const openFolder = useOpenFolder(place);
  useLiveItems();
  useEffect(() => void uploads.open(user.id), [user.id]);
  const handlers = useMemo(
    () => dropHandlers(openFolder, writes),
    [openFolder?.folderId, openFolder?.name, writes],
  );
  return (
    <div className={styles.page} data-kind={place.kind} {...handlers}>
      <Side place={place} />
      <div className={styles.content}>
        {place.kind === 'file' ? (
          <FilePage key={place.id} id={place.id} />
        ) : (
          <ListView key={keyOfPlace(place)} place={place} />
        )}
        <UploadPanel />
      </div>
    </div>
  );
}

function Side({ place }: { place: Place }) {
  const texts = useTexts(filesTexts);
  return (
    <nav className={styles.side} aria-label={texts.places}>
      <SearchField place={place} />
      <div className={styles.places}>
        <SideLink
          place={{ kind: 'folder', folderId: '' }}
          isHere={place.kind === 'folder' || place.kind === 'file'}
          icon={<FolderOpen />}
          label={texts.myFiles}
          drop={dropOnFolder('', texts.myFiles)}
        />
        <SideLink
          place={{ kind: 'shared' }}
          isHere={place.kind === 'shared'}
          icon={<UsersRound />}
          label={texts.shared}
        />
        <SideLink
          place={{ kind: 'trash' }}
          isHere={place.kind === 'trash'}
          icon={<Trash2 />}
          label={texts.trash}
          drop={dropOnTrash}
        />
      </div>
    </nav>
  );
}

interface SideLinkProps {
  place: Place;
  isHere: boolean;
  icon: ReactNode;
  label: string;
  drop?: object;
}

function SideLink({ place, isHere, icon, label, drop }: SideLinkProps) {
  return (
    <Link
      {...linkTo(place)}
      {...drop}
      className={styles.place}
      draggable={false}
      activeOptions={{ exact: true }}
      {...(isHere && { 'aria-current': 'page' as const })}
    >
      {icon}
      <span>{label}</span>
    </Link>
  );
}

/** The folder that dropped files land in where they are dropped on none. */
function useOpenFolder(place: Place): { folderId: string; name: string } | undefined {
  const texts = useTexts(filesTexts);
  const { data: folders } = useFolders();
  if (place.kind !== 'folder') return undefined;
  const folder = folders?.find(({ id }) => id === place.folderId);
  if (folder && !can('change', folder)) return undefined;
  const name = folder?.name ?? texts.myFiles;
  return { folderId: place.folderId, name };
}
