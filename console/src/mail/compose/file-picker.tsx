import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Check, File, Folder } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { FileFolder, FileRecord } from '../../../../client/src/index.ts';
import { api } from '../../app/api.ts';
import { useLanguage } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { EmptyPlace, ErrorPlace } from '../../parts/place.tsx';
import { sizeText } from '../../parts/size.ts';
import { WindowedList } from '../../parts/windowed-list.tsx';
import styles from './file-picker.module.css';
import type { ComposeTexts } from './texts.ts';

interface FilePickerProps {
  isOpen: boolean;
  texts: ComposeTexts;
  onClose(): void;
  onChoose(files: readonly FileRecord[]): void;
}

const ROW = 40;

/** Chooses files of the drive, by folder or by name. */
export function FilePicker({ isOpen, texts, onClose, onChoose }: FilePickerProps) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, FileRecord>>(new Map());
  const close = () => {
    setChosen(new Map());
    onClose();
  };
  const attach = () => {
    onChoose([...chosen.values()]);
    close();
  };
  return (
    <Dialog
      title={texts.chooseFiles}
      isOpen={isOpen}
      onClose={close}
      size="wide"
      footer={
        <Button kind="primary" isDisabled={chosen.size === 0} onPress={attach}>
          {texts.attachChosen(chosen.size)}
        </Button>
      }
    >
      <Choice texts={texts} chosen={chosen} onChosen={setChosen} />
    </Dialog>
  );
}

type Row = { id: string; name: string; folder?: FileFolder; file?: FileRecord };

interface ChoiceProps {
  texts: ComposeTexts;
  chosen: ReadonlyMap<string, FileRecord>;
  onChosen(chosen: ReadonlyMap<string, FileRecord>): void;
}

function Choice({ texts, chosen, onChosen }: ChoiceProps) {
  const [folderId, setFolderId] = useState('');
  const [typed, setTyped] = useState('');
  const { rows, path, files } = useRows(folderId, useDeferredValue(typed.trim()));
  return (
    <div className={styles.picker}>
      <Field label={texts.searchFiles} value={typed} onChange={setTyped} autoFocus />
      {typed.trim() === '' && (
        <nav className={styles.path} aria-label={texts.allFiles}>
          {[{ id: '', name: texts.allFiles }, ...path].map(({ id, name }) => (
            <Button key={id} kind="quiet" onPress={() => setFolderId(id)}>
              <bdi className={styles.crumb}>{name}</bdi>
            </Button>
          ))}
        </nav>
      )}
      <div className={styles.rows}>
        {files.error ? (
          <ErrorPlace error={files.error} onRetry={() => void files.refetch()} />
        ) : files.data && rows.length === 0 ? (
          <EmptyPlace title={typed.trim() === '' ? texts.noFiles : texts.noFilesFound} />
        ) : (
          <Rows
            {...{ texts, rows, chosen, onChosen }}
            onFolder={setFolderId}
            onNearEnd={() => {
              if (files.hasNextPage && !files.isFetching) void files.fetchNextPage();
            }}
          />
        )}
      </div>
    </div>
  );
}

interface RowsProps extends ChoiceProps {
  rows: readonly Row[];
  onFolder(id: string): void;
  onNearEnd(): void;
}

function Rows({ texts, rows, chosen, onChosen, onFolder, onNearEnd }: RowsProps) {
  const language = useLanguage();
  const [current, setCurrent] = useState<string>();
  const open = ({ folder, file }: Row) => {
    if (folder) onFolder(folder.id);
    if (!file) return;
    const next = new Map(chosen);
    if (!next.delete(file.id)) next.set(file.id, file);
    onChosen(next);
  };
  const select = (selected: ReadonlySet<string>) => {
    const all = new Map(rows.flatMap(({ file }) => (file ? [[file.id, file] as const] : [])));
    const kept = [...chosen].filter(([id]) => selected.has(id) || !all.has(id));
    onChosen(new Map([...kept, ...[...all].filter(([id]) => selected.has(id))]));
  };
  return (
    <WindowedList
      label={texts.allFiles}
      items={rows}
      keyOf={({ id }) => id}
      rowHeight={ROW}
      current={current}
      onCurrent={setCurrent}
      selected={new Set(chosen.keys())}
      onSelect={select}
      onOpen={open}
      onNearEnd={onNearEnd}
      renderRow={({ name, folder, file }, { isSelected }) => (
        <span className={styles.row}>
          {folder ? <Folder /> : isSelected ? <Check /> : <File />}
          <bdi className={styles.name} title={name}>
            {name}
          </bdi>
          {file && <span className={styles.quiet}>{sizeText(file.size_bytes, language)}</span>}
        </span>
      )}
    />
  );
}

/** The folders and files of a folder, or the files whose name contains `q`. */
function useRows(folderId: string, q: string) {
  const folders = useQuery({
    queryKey: ['file_folders', 'picker'],
    queryFn: () => api.files.listFileFolders(),
  });
  const files = useInfiniteQuery({
    queryKey: ['files', 'picker', folderId, q],
    queryFn: ({ pageParam, signal }) =>
      api.files
        .listFiles(
          { ...(q ? { q } : { folder_id: folderId }), limit: 200, ...(pageParam && { cursor: pageParam }) },
          { signal },
        )
        .first(),
    initialPageParam: '',
    getNextPageParam: ({ hasMore, nextCursor }) => (hasMore ? nextCursor : undefined),
    placeholderData: keepPreviousData,
  });
  const all = folders.data ?? [];
  const within = q ? [] : all.filter(({ parent_id, trashed }) => parent_id === folderId && !trashed);
  const rows: Row[] = [
    ...within.map((folder) => ({ id: folder.id, name: folder.name, folder })),
    ...(files.data?.pages ?? [])
      .flatMap(({ items }) => items)
      .map((file) => ({ id: file.id, name: file.title, file })),
  ];
  return { rows, path: pathTo(folderId, all), files };
}

function pathTo(folderId: string, all: readonly FileFolder[]): FileFolder[] {
  const path: FileFolder[] = [];
  for (let id = folderId; id !== ''; ) {
    const folder = all.find((one) => one.id === id);
    if (!folder || path.includes(folder)) break;
    path.unshift(folder);
    id = folder.parent_id;
  }
  return path;
}
