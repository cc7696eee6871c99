import { Link } from '@tanstack/react-router';
import {
  ChevronRight,
  Download,
  FolderInput,
  PenLine,
  Plus,
  RotateCcw,
  Trash2,
  Upload,
  UserPlus,
  X,
} from 'lucide-react';
import type { ListedFolder } from '../../../client/src/index.ts';
import { useUser } from '../app/session.ts';
import { useTexts } from '../app/texts.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Menu } from '../parts/menu.tsx';
import { shownName } from '../parts/shown-name.ts';
import { type ListPlace, linkTo } from './address.ts';
import type { Dialogs } from './dialogs.tsx';
import { dropOnFolder } from './dragging.ts';
import { folderItem, may } from './items.ts';
import type { ListActions } from './list-actions.ts';
import styles from './list-header.module.css';
import { useFolders } from './lists.ts';
import { can, reasonAgainst } from './roles.ts';
import { filesTexts } from './texts.ts';
import { chooseFiles } from './uploads/choose-files.ts';
import { focusList, type Selection } from './view-state.ts';

interface HeaderProps {
  place: ListPlace;
  selection: Selection;
  actions: ListActions;
  dialogs: Dialogs;
}

/** Where the list is, and what can be done: with the selected rows, where some are. */
export function ListHeader(props: HeaderProps) {
  const { place, selection, dialogs } = props;
  if (selection.chosen.length > 0) return <SelectionBar {...props} />;
  return (
    <>
      <header className={styles.header}>
        <Where place={place} />
        {place.kind === 'folder' && <FolderButtons folderId={place.folderId} dialogs={dialogs} />}
      </header>
      {place.kind === 'folder' && <FolderNote folderId={place.folderId} />}
    </>
  );
}

function SelectionBar({ place, selection, actions }: HeaderProps) {
  const texts = useTexts(filesTexts);
  const { chosen } = selection;
  const isOne = chosen.length === 1;
  const mayChange = can('change', ...chosen);
  const mayMove = can('move', ...chosen);
  const reason = place.kind === 'trash' ? undefined : reasonAgainst('move', chosen, texts);
  return (
    <>
      <header className={styles.header}>
        <IconButton
          label={texts.unselect}
          keys="Esc"
          onPress={() => {
            selection.setSelected(new Set());
            focusList();
          }}
        >
          <X />
        </IconButton>
        <h1 className={styles.title} aria-live="polite">
          {texts.selected(chosen.length)}
        </h1>
        <IconButton label={texts.download} keys="d" onPress={actions.download}>
          <Download />
        </IconButton>
        {place.kind === 'trash' ? (
          <Button onPress={actions.restore}>
            <RotateCcw />
            {texts.restore}
          </Button>
        ) : (
          <>
            {isOne && (
              <IconButton label={texts.share} keys="s" onPress={actions.share}>
                <UserPlus />
              </IconButton>
            )}
            {isOne && mayChange && (
              <IconButton label={texts.renameAction} keys="F2" onPress={actions.rename}>
                <PenLine />
              </IconButton>
            )}
            {mayMove && (
              <IconButton label={texts.moveAction} keys="m" onPress={actions.move}>
                <FolderInput />
              </IconButton>
            )}
            {mayChange && (
              <IconButton label={texts.trashAction} keys="#" onPress={actions.trash}>
                <Trash2 />
              </IconButton>
            )}
          </>
        )}
      </header>
      {reason && <p className={styles.note}>{reason}</p>}
    </>
  );
}

function FolderButtons({ folderId, dialogs }: { folderId: string; dialogs: Dialogs }) {
  const texts = useTexts(filesTexts);
  const { data: folders } = useFolders();
  const folder = folders?.find(({ id }) => id === folderId);
  return (
    <>
      {folder && (
        <IconButton
          label={texts.shareFolder}
          onPress={() => dialogs.open({ kind: 'share', item: folderItem(folder) })}
        >
          <UserPlus />
        </IconButton>
      )}
      {(!folder || can('change', folder)) && (
        <>
          <MakeMenu dialogs={dialogs} />
          <UploadMenu folderId={folderId} />
        </>
      )}
    </>
  );
}

/** Why nothing can be added to a folder, where that is so. */
function FolderNote({ folderId }: { folderId: string }) {
  const texts = useTexts(filesTexts);
  const { data: folders } = useFolders();
  const folder = folders?.find(({ id }) => id === folderId);
  return folder && !can('change', folder) ? <p className={styles.note}>{texts.mayNotAdd}</p> : null;
}

function MakeMenu({ dialogs }: { dialogs: Dialogs }) {
  const texts = useTexts(filesTexts);
  const canWrite = may('docs.documents.write');
  return (
    <Menu
      label={texts.make}
      trigger={
        <Button aria-label={texts.make}>
          <Plus />
          <span className={styles.word}>{texts.make}</span>
        </Button>
      }
      groups={[
        {
          choices: [
            {
              id: 'folder',
              label: texts.newFolder,
              keys: 'n',
              run: () => dialogs.open({ kind: 'folder' }),
            },
            ...(canWrite
              ? [
                  {
                    id: 'document',
                    label: texts.newDocument,
                    run: () => dialogs.open({ kind: 'document' }),
                  },
                  { id: 'sheet', label: texts.newSheet, run: () => dialogs.open({ kind: 'spreadsheet' }) },
                ]
              : []),
          ],
        },
      ]}
    />
  );
}

function UploadMenu({ folderId }: { folderId: string }) {
  const texts = useTexts(filesTexts);
  return (
    <Menu
      label={texts.upload}
      trigger={
        <Button kind="primary" aria-label={texts.upload}>
          <Upload />
          <span className={styles.word}>{texts.upload}</span>
        </Button>
      }
      groups={[
        {
          choices: [
            { id: 'files', label: texts.uploadFiles, keys: 'u', run: () => chooseFiles(folderId) },
            {
              id: 'folder',
              label: texts.uploadFolder,
              keys: 'U',
              run: () => chooseFiles(folderId, { isFolder: true }),
            },
          ],
        },
      ]}
    />
  );
}

/** The title of the place; of a folder, the folders above it as links. */
function Where({ place }: { place: ListPlace }) {
  const texts = useTexts(filesTexts);
  const user = useUser();
  const { data: folders = [] } = useFolders();
  const titles = { shared: texts.shared, trash: texts.trash, search: texts.found };
  if (place.kind !== 'folder') return <h1 className={styles.title}>{titles[place.kind]}</h1>;
  const chain = chainOf(place.folderId, folders);
  const isOthers = chain[0] !== undefined && chain[0].owner_id !== user.id;
  const here = chain.at(-1);
  if (!here) return <h1 className={styles.title}>{texts.myFiles}</h1>;
  return (
    <nav className={styles.path} aria-label={texts.path}>
      {isOthers ? (
        <Link {...linkTo({ kind: 'shared' })} className={styles.step}>
          {texts.shared}
        </Link>
      ) : (
        <Link
          {...linkTo({ kind: 'folder', folderId: '' })}
          {...dropOnFolder('', texts.myFiles)}
          className={styles.step}
        >
          {texts.myFiles}
        </Link>
      )}
      {chain.slice(0, -1).map(({ id, name }) => (
        <span key={id} className={styles.part}>
          <ChevronRight aria-hidden="true" />
          <Link
            {...linkTo({ kind: 'folder', folderId: id })}
            {...dropOnFolder(id, name)}
            className={styles.step}
            title={name}
            dir="auto"
          >
            {shownName(name)}
          </Link>
        </span>
      ))}
      <ChevronRight aria-hidden="true" />
      <h1 className={styles.title} title={here.name} dir="auto">
        {shownName(here.name)}
      </h1>
    </nav>
  );
}

/** A folder and those above it that the person reaches, from the outermost. */
export function chainOf(folderId: string, folders: readonly ListedFolder[]): ListedFolder[] {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const chain: ListedFolder[] = [];
  for (let id = folderId; ; ) {
    const folder = byId.get(id);
    if (!folder || chain.includes(folder)) return chain.reverse();
    chain.push(folder);
    id = folder.parent_id;
  }
}
