import { Folder, Home } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { MailFolder } from '../../../client/src/index.ts';
import { useTexts } from '../app/texts.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Chooser } from './chooser.tsx';
import { folderName, treeOf, useFolders } from './folders.ts';
import { mailTexts } from './texts.ts';
import { useFolderWrites } from './use-folder-writes.ts';

export type FolderTask =
  | { what: 'create'; folder?: MailFolder }
  | { what: 'rename' | 'move' | 'empty'; folder: MailFolder };

/** Making, renaming, moving and emptying a folder. */
export function FolderDialogs({ task, onClose }: { task: FolderTask | undefined; onClose(): void }) {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const write = useFolderWrites();
  const folder = task?.folder;
  const name = folder ? folderName(folder, texts) : '';
  return (
    <>
      <Dialog
        title={task?.what === 'rename' ? texts.rename : texts.newFolder}
        isOpen={task?.what === 'create' || task?.what === 'rename'}
        onClose={onClose}
      >
        <NameForm
          initial={task?.what === 'rename' ? (folder?.name ?? '') : ''}
          confirm={task?.what === 'rename' ? texts.save : texts.create}
          onName={(given) => {
            onClose();
            if (task?.what === 'rename') write.update(task.folder, { name: given });
            else write.create(given, folder?.id ?? '');
          }}
        />
      </Dialog>
      <Chooser
        title={texts.chooseFolder}
        isOpen={task?.what === 'move'}
        onClose={onClose}
        choices={[
          { id: '', label: texts.topLevel, icon: <Home /> },
          ...treeOf(folders, texts)
            .filter((shown) => shown.folder.id !== folder?.id)
            .map((shown) => ({
              id: shown.folder.id,
              label: shown.path,
              depth: shown.depth,
              icon: <Folder />,
            })),
        ]}
        onChoose={(parent_id) => folder && write.update(folder, { parent_id })}
      />
      <Confirm
        title={texts.askEmpty(name)}
        text={texts.askEmptyText(folder?.message_count ?? 0)}
        confirm={texts.emptyTrash}
        isOpen={task?.what === 'empty'}
        onConfirm={() => folder && void write.empty(folder, texts.emptied(name))}
        onClose={onClose}
      />
    </>
  );
}

function NameForm({
  initial,
  confirm,
  onName,
}: {
  initial: string;
  confirm: string;
  onName(name: string): void;
}) {
  const texts = useTexts(mailTexts);
  const [name, setName] = useState(initial);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onName(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Field
        label={texts.folderName}
        hint={texts.folderNameHint}
        value={name}
        onChange={setName}
        maxLength={255}
        autoFocus
        after={
          <Button kind="primary" type="submit" isDisabled={name.trim() === '' || name.includes('/')}>
            {confirm}
          </Button>
        }
      />
    </form>
  );
}
