import { Folder, Tag } from 'lucide-react';
import { useTexts } from '../app/texts.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Chooser } from './chooser.tsx';
import { treeOf, useFolders } from './folders.ts';
import { useLabels } from './labels.ts';
import { mailTexts } from './texts.ts';
import type { MailActions } from './use-mail-actions.ts';

/** A label begins with no backslash, as the API has it. */
const LONGEST_LABEL = 255;

/** The dialogs of what can be done with messages. */
export function ActionDialogs({ actions }: { actions: MailActions }) {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const labels = useLabels();
  const { asking, ask } = actions;
  const messages = asking.what === undefined ? [] : asking.messages;
  const close = () => ask({ what: undefined });
  return (
    <>
      <Chooser
        title={texts.chooseFolder}
        isOpen={asking.what === 'folder'}
        onClose={close}
        choices={treeOf(folders, texts).map(({ folder, depth, path }) => ({
          id: folder.id,
          label: path,
          depth,
          icon: <Folder />,
        }))}
        onChoose={(id) =>
          actions.moveTo(
            messages,
            folders.find((folder) => folder.id === id),
          )
        }
      />
      <Chooser
        title={texts.chooseLabel}
        isOpen={asking.what === 'label'}
        onClose={close}
        choices={labels.map(({ label }) => ({
          id: label,
          label,
          icon: <Tag />,
          isOn: messages.length > 0 && messages.every((message) => message.labels.includes(label)),
        }))}
        fresh={(text) =>
          labels.some(({ label }) => label === text) || text.startsWith('\\') || text.length > LONGEST_LABEL
            ? undefined
            : { id: text, label: texts.newLabel(text), icon: <Tag /> }
        }
        onChoose={(label) => actions.label(messages, label)}
      />
      <Confirm
        title={texts.askDelete(messages.length)}
        text={texts.askDeleteText}
        confirm={texts.deleteWord}
        isOpen={asking.what === 'delete'}
        onConfirm={() => actions.deleteForEver(messages)}
        onClose={close}
      />
    </>
  );
}
