import { Link } from '@tanstack/react-router';
import {
  Archive,
  FilePen,
  Folder,
  Inbox,
  ListFilter,
  MoreHorizontal,
  PenLine,
  Plus,
  Send,
  ShieldAlert,
  Star,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { MailFolder } from '../../../client/src/index.ts';
import { usePermission } from '../app/session.ts';
import { useTexts } from '../app/texts.ts';
import { IconButton } from '../parts/button.tsx';
import { Menu } from '../parts/menu.tsx';
import { FolderDialogs, type FolderTask } from './folder-dialogs.tsx';
import styles from './folder-pane.module.css';
import { folderName, type Role, type ShownFolder, treeOf, useFolders } from './folders.ts';
import { LabelList } from './label-list.tsx';
import { PlaceItem } from './place-item.tsx';
import { type Place, placeOfFolder } from './places.ts';
import { type MailTexts, mailTexts } from './texts.ts';

const ICONS: Record<Role, ReactNode> = {
  inbox: <Inbox />,
  drafts: <FilePen />,
  sent: <Send />,
  archive: <Archive />,
  junk: <ShieldAlert />,
  trash: <Trash2 />,
};

export interface FolderPaneProps {
  place: Place;
  /** Messages were dropped onto a folder. */
  onDrop(ids: readonly string[], folder: MailFolder): void;
  /** A place was chosen: where the pane lies over the page, it is closed. */
  onChosen?(): void;
}

/** Folders and labels. */
export function FolderPane({ place, onDrop, onChosen }: FolderPaneProps) {
  const texts = useTexts(mailTexts);
  const mayChange = usePermission('mail.folders.write');
  const maySend = usePermission('mail.messages.send');
  const [task, setTask] = useState<FolderTask>();
  return (
    <div className={styles.pane}>
      {maySend && (
        <Link
          to="/mail/compose/$draftId"
          params={{ draftId: 'new' }}
          className={styles.compose}
          onClick={onChosen}
        >
          <PenLine />
          {texts.compose}
        </Link>
      )}
      <FolderList place={place} mayChange={mayChange} onDrop={onDrop} onTask={setTask} onChosen={onChosen} />
      {mayChange && (
        <button type="button" className={styles.add} onClick={() => setTask({ what: 'create' })}>
          <Plus />
          {texts.newFolder}
        </button>
      )}
      <LabelList place={place} onChosen={onChosen} />
      <Link to="/mail/filters/$" params={{ _splat: '' }} className={styles.add} onClick={onChosen}>
        <ListFilter />
        {texts.filters}
      </Link>
      <FolderDialogs task={task} onClose={() => setTask(undefined)} />
    </div>
  );
}

interface FolderListProps extends Pick<FolderPaneProps, 'place' | 'onDrop'> {
  mayChange: boolean;
  onTask(task: FolderTask): void;
  onChosen: (() => void) | undefined;
}

function FolderList({ place, mayChange, onDrop, onTask, onChosen }: FolderListProps) {
  const texts = useTexts(mailTexts);
  const tree = treeOf(useFolders(), texts);
  return (
    <nav aria-label={texts.folders}>
      <ul>
        {tree.map((shown) => (
          <FolderItem
            key={shown.folder.id}
            shown={shown}
            isHere={isHere(place, shown.folder)}
            mayChange={mayChange}
            onDrop={(ids) => onDrop(ids, shown.folder)}
            onTask={onTask}
            onChosen={onChosen}
          />
        ))}
        <PlaceItem
          place={{ kind: 'starred' }}
          isHere={place.kind === 'starred'}
          icon={<Star />}
          name={texts.starred}
          onChosen={onChosen}
        />
      </ul>
    </nav>
  );
}

function isHere(place: Place, { id, role }: MailFolder): boolean {
  return place.kind === 'folder' && (place.key === role || place.key === id);
}

interface FolderItemProps {
  shown: ShownFolder;
  isHere: boolean;
  mayChange: boolean;
  onDrop(ids: readonly string[]): void;
  onTask(task: FolderTask): void;
  onChosen: (() => void) | undefined;
}

function FolderItem({ shown, isHere, mayChange, onDrop, onTask, onChosen }: FolderItemProps) {
  const texts = useTexts(mailTexts);
  const { folder, depth, path } = shown;
  const name = folderName(folder, texts);
  return (
    <PlaceItem
      place={placeOfFolder(folder)}
      isHere={isHere}
      icon={folder.role ? ICONS[folder.role] : <Folder />}
      name={name}
      title={`${path}: ${texts.count(folder.message_count)}`}
      depth={depth}
      count={folder.role === 'drafts' ? folder.message_count : folder.unread_count}
      countText={
        folder.role === 'drafts' ? texts.count(folder.message_count) : texts.unread(folder.unread_count)
      }
      onDrop={onDrop}
      onChosen={onChosen}
      menu={
        mayChange && (
          <Menu
            label={texts.folderMenu(name)}
            trigger={
              <IconButton label={`${texts.more}: ${name}`}>
                <MoreHorizontal />
              </IconButton>
            }
            groups={[{ choices: folderChoices(folder, texts, onTask) }]}
          />
        )
      }
    />
  );
}

function folderChoices(folder: MailFolder, texts: MailTexts, onTask: (task: FolderTask) => void) {
  const canEmpty = (folder.role === 'trash' || folder.role === 'junk') && folder.message_count > 0;
  const choice = (what: 'create' | 'rename' | 'move' | 'empty', label: string) => ({
    id: what,
    label,
    isDanger: what === 'empty',
    run: () => onTask({ what, folder }),
  });
  return [
    choice('create', texts.newSubfolder),
    choice('rename', texts.rename),
    choice('move', texts.moveFolder),
    ...(canEmpty ? [choice('empty', texts.emptyTrash)] : []),
  ];
}
