import { Paperclip, X } from 'lucide-react';
import { useLanguage } from '../../app/texts.ts';
import { IconButton } from '../../parts/button.tsx';
import { sizeText } from '../../parts/size.ts';
import styles from './attachment-list.module.css';
import type { KeeperState } from './draft-state.ts';
import type { ComposeTexts } from './texts.ts';
import type { Coming } from './use-attaching.ts';

interface AttachmentListProps {
  state: KeeperState;
  coming: readonly Coming[];
  texts: ComposeTexts;
  onRemove(fileId: string): void;
}

/** What is attached, and what is on its way. */
export function AttachmentList({ state, coming, texts, onRemove }: AttachmentListProps) {
  const language = useLanguage();
  const { fileIds } = state.content;
  if (fileIds.length === 0 && coming.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={texts.attachments}>
      {fileIds.map((id) => {
        const file = state.files.get(id);
        const name = file?.name ?? texts.unknownFile;
        return (
          <li key={id} className={styles.file}>
            <Paperclip className={styles.icon} />
            <bdi className={styles.name} title={name}>
              {name}
            </bdi>
            {file && <span className={styles.quiet}>{sizeText(file.size, language)}</span>}
            <IconButton label={texts.remove(name)} onPress={() => onRemove(id)}>
              <X />
            </IconButton>
          </li>
        );
      })}
      {coming.map(({ id, name, part, stop }) => (
        <li key={id} className={styles.file}>
          <Paperclip className={styles.icon} />
          <bdi className={styles.name} title={name}>
            {name}
          </bdi>
          <progress className={styles.progress} value={part} max={1} aria-label={name} />
          <IconButton label={texts.cancelUpload(name)} onPress={stop}>
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
