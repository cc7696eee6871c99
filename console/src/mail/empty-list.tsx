import { Archive, FilePen, Folder, FolderX, Inbox, Send, ShieldCheck, Star, Tag, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTexts } from '../app/texts.ts';
import { EmptyPlace } from '../parts/place.tsx';
import { useFolders } from './folders.ts';
import { folderOf, type ListedPlace } from './places.ts';
import { type MailTexts, mailTexts } from './texts.ts';

/** What a place is for, while nothing is there. */
export function EmptyList({ place }: { place: ListedPlace }) {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const folder = place.kind === 'folder' ? folderOf(place.key, folders) : undefined;
  const isUnknown = place.kind === 'folder' && folders.length > 0 && !folder;
  const [icon, title, text] = isUnknown
    ? ([<FolderX key="icon" />, texts.noSuchFolder, texts.noSuchFolderText] as const)
    : wordsFor(place, folder?.role ?? null, texts);
  return (
    <EmptyPlace icon={icon} title={title}>
      <p>{text}</p>
    </EmptyPlace>
  );
}

function wordsFor(place: ListedPlace, role: string | null, texts: MailTexts): [ReactNode, string, string] {
  if (place.kind === 'starred') return [<Star key="icon" />, texts.emptyStarred, texts.emptyStarredText];
  if (place.kind === 'label') return [<Tag key="icon" />, texts.emptyLabel(place.name), texts.emptyLabelText];
  switch (role) {
    case 'inbox':
      return [<Inbox key="icon" />, texts.emptyInbox, texts.emptyInboxText];
    case 'drafts':
      return [<FilePen key="icon" />, texts.emptyDrafts, texts.emptyDraftsText];
    case 'sent':
      return [<Send key="icon" />, texts.emptySent, texts.emptySentText];
    case 'archive':
      return [<Archive key="icon" />, texts.emptyArchive, texts.emptyArchiveText];
    case 'junk':
      return [<ShieldCheck key="icon" />, texts.emptyJunk, texts.emptyJunkText];
    case 'trash':
      return [<Trash2 key="icon" />, texts.emptyTrash_, texts.emptyTrashText];
    default:
      return [<Folder key="icon" />, texts.emptyFolder, texts.emptyFolderText];
  }
}
