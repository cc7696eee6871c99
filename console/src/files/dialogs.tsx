import { type FormEvent, type ReactElement, useState } from 'react';
import { useStay } from '../app/still-here.ts';
import { useTexts } from '../app/texts.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { useGo } from './address.ts';
import type { Item } from './items.ts';
import { MoveDialog } from './move-dialog.tsx';
import { ShareDialog } from './share/share-dialog.tsx';
import { filesTexts } from './texts.ts';
import type { Selection } from './view-state.ts';
import { useWrites } from './writes.ts';

type Shown =
  | { kind: 'folder' | 'document' | 'spreadsheet' }
  | { kind: 'rename'; item: Item }
  | { kind: 'move'; items: readonly Item[] }
  | { kind: 'share'; item: Item };

export interface Dialogs {
  open(shown: Shown): void;
  /** Put it into the page. */
  element: ReactElement;
}

/** The dialogs of a place; one is open at a time. What is made lands in the folder. */
export function useDialogs(folderId: string, selection?: Selection): Dialogs {
  const [shown, setShown] = useState<Shown>();
  const close = () => setShown(undefined);
  const element = (
    <>
      {shown && <NameDialog {...{ shown, folderId, close }} {...(selection && { selection })} />}
      {shown?.kind === 'move' && (
        <MoveDialog items={shown.items} onClose={close} {...(selection && { onMove: selection.leave })} />
      )}
      {shown?.kind === 'share' && <ShareDialog item={shown.item} onClose={close} />}
    </>
  );
  return { open: setShown, element };
}

interface NameDialogProps {
  shown: Shown;
  folderId: string;
  selection?: Selection;
  close(): void;
}

/** Asks for the name of something new, or a new name. */
function NameDialog({ shown, folderId, selection, close }: NameDialogProps) {
  const texts = useTexts(filesTexts);
  const writes = useWrites();
  const go = useGo();
  const stay = useStay();
  const [name, setName] = useState(shown.kind === 'rename' ? shown.item.name : '');
  if (shown.kind === 'move' || shown.kind === 'share') return null;
  const titles = {
    folder: texts.newFolder,
    document: texts.newDocument,
    spreadsheet: texts.newSheet,
    rename: texts.renameAction,
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = name.trim();
    if (given === '') return;
    close();
    const isStillThere = stay();
    if (shown.kind === 'rename') {
      if (given !== shown.item.name) writes.rename(shown.item, given);
    } else if (shown.kind === 'folder') {
      const folder = await writes.createFolder(given, folderId);
      if (folder) selection?.setCurrent(folder.id);
    } else {
      const id = await writes.createDocument(shown.kind, given, folderId);
      if (id !== undefined && isStillThere()) go({ kind: 'file', id });
    }
  };
  return (
    <Dialog
      title={titles[shown.kind]}
      isOpen
      onClose={close}
      footer={
        <>
          <Button onPress={close}>{texts.cancel}</Button>
          <Button kind="primary" type="submit" form="files-name" isDisabled={name.trim() === ''}>
            {shown.kind === 'rename' ? texts.renameAction : texts.create}
          </Button>
        </>
      }
    >
      <form id="files-name" onSubmit={(event) => void submit(event)}>
        <Field label={texts.name} value={name} onChange={setName} maxLength={255} autoFocus />
      </form>
    </Dialog>
  );
}
