import { useTexts } from '../app/texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FolderPane } from './folder-pane.tsx';
import type { Place } from './places.ts';
import { mailTexts } from './texts.ts';

/** Folders and labels where there is no room beside the list. */
export function FolderDrawer({ place, isOpen, onClose }: { place: Place; isOpen: boolean; onClose(): void }) {
  const texts = useTexts(mailTexts);
  return (
    <Dialog title={texts.folders} isOpen={isOpen} onClose={onClose}>
      <FolderPane place={place} onDrop={() => undefined} onChosen={onClose} />
    </Dialog>
  );
}
