import { Folder } from 'lucide-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import type { FileFolder } from '../../../client/src/index.ts';
import { useUser } from '../app/session.ts';
import { useTexts } from '../app/texts.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { shownName } from '../parts/shown-name.ts';
import { WindowedList } from '../parts/windowed-list.tsx';
import type { Item } from './items.ts';
import { useFolders } from './lists.ts';
import styles from './move-dialog.module.css';
import { filesTexts } from './texts.ts';
import { useWrites } from './writes.ts';

interface Target {
  id: string;
  name: string;
  depth: number;
}

interface MoveDialogProps {
  items: readonly Item[];
  onClose(): void;
  /** Before the items leave their place. */
  onMove?(items: readonly Item[]): void;
}

/** Asks into which folder: the tree of one's own folders, with a field that narrows it. */
export function MoveDialog({ items, onClose, onMove }: MoveDialogProps) {
  const texts = useTexts(filesTexts);
  const writes = useWrites();
  const { text, setText, words, shown, target, setCurrent } = useTargets(items);
  const move = (to: Target | undefined) => {
    if (!to) return;
    onClose();
    onMove?.(items);
    writes.move(items, to.id, to.name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setCurrent(shown[(target ? shown.indexOf(target) : -1) + by]?.id ?? target?.id);
    else if (event.key === 'Enter') move(target);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      title={texts.moveTitle(items.length, shownName(items[0]?.name ?? ''))}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="primary" isDisabled={!target} onPress={() => move(target)}>
            {texts.moveHere}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <Field label={texts.findFolder} value={text} onChange={setText} onKeyDown={onKeyDown} autoFocus />
        <FolderList {...{ shown, target, setCurrent }} isTree={words.length === 0} />
        {shown.length === 0 && <p className={styles.none}>{texts.noFolder}</p>}
      </div>
    </Dialog>
  );
}

/** The folders that items can go to, narrowed by a text, and the one that is chosen. */
function useTargets(items: readonly Item[]) {
  const texts = useTexts(filesTexts);
  const user = useUser();
  const { data: folders } = useFolders();
  const [text, setText] = useState('');
  const [current, setCurrent] = useState<string>();
  const all = useMemo(
    () => [
      { id: '', name: texts.myFiles, depth: 0 },
      ...treeOf(
        (folders ?? []).filter(({ owner_id }) => owner_id === user.id),
        items,
      ),
    ],
    [folders, items, user.id, texts],
  );
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown =
    words.length === 0
      ? all
      : all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const target = shown.find(({ id }) => id === current) ?? shown[0];
  return { text, setText, words, shown, target, setCurrent };
}

interface FolderListProps {
  shown: readonly Target[];
  target: Target | undefined;
  setCurrent(id: string): void;
  /** Each folder stands below the one that it is in. */
  isTree: boolean;
}

function FolderList({ shown, target, setCurrent, isTree }: FolderListProps) {
  const texts = useTexts(filesTexts);
  return (
    <div className={styles.list}>
      <WindowedList
        label={texts.folders}
        items={shown}
        keyOf={({ id }) => id}
        rowHeight={36}
        current={target?.id}
        onCurrent={setCurrent}
        selected={NONE}
        onSelect={() => undefined}
        onOpen={(to) => setCurrent(to.id)}
        renderRow={({ name, depth }) => (
          <div className={styles.row} style={{ paddingInlineStart: 12 + (isTree ? depth * 20 : 0) }}>
            <Folder aria-hidden="true" />
            <span className={styles.name} title={name} dir="auto">
              {shownName(name)}
            </span>
          </div>
        )}
      />
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();

/** The folders in the order of a tree, without those that are moved and what is in them. */
function treeOf(folders: readonly FileFolder[], moved: readonly Item[]): Target[] {
  const gone = new Set(moved.map(({ id }) => id));
  const children = new Map<string, FileFolder[]>();
  for (const folder of folders) {
    const siblings = children.get(folder.parent_id);
    if (siblings) siblings.push(folder);
    else children.set(folder.parent_id, [folder]);
  }
  const targets: Target[] = [];
  const add = (parentId: string, depth: number) => {
    const here = children.get(parentId) ?? [];
    for (const { id, name } of here.toSorted((a, b) => a.name.localeCompare(b.name))) {
      if (gone.has(id)) continue;
      targets.push({ id, name, depth });
      add(id, depth + 1);
    }
  };
  add('', 1);
  return targets;
}
