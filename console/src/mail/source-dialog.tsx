import { useQuery } from '@tanstack/react-query';
import { api, download } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorPlace } from '../parts/place.tsx';
import { beginningOf } from './beginning.ts';
import styles from './source-dialog.module.css';
import { mailTexts } from './texts.ts';

interface SourceDialogProps {
  id: string;
  isOpen: boolean;
  onClose(): void;
}

/** A message as it was received. */
export function SourceDialog({ id, isOpen, onClose }: SourceDialogProps) {
  const texts = useTexts(mailTexts);
  const source = useQuery({
    queryKey: ['mail', 'source', id],
    queryFn: async ({ signal }) => beginningOf(await api.mail.getRawMessage(id, { signal })),
    enabled: isOpen,
    gcTime: 0,
  });
  const save = () => void download(`/v1/messages/${encodeURIComponent(id)}/raw`, `${id}.eml`);
  return (
    <Dialog
      title={texts.sourceTitle}
      isOpen={isOpen}
      onClose={onClose}
      size="wide"
      footer={<Button onPress={save}>{texts.downloadSource}</Button>}
    >
      {source.error && <ErrorPlace error={source.error} onRetry={() => void source.refetch()} />}
      {source.data?.isCut && <p className={styles.cut}>{texts.sourceCut}</p>}
      {source.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <pre className={styles.source} dir="ltr" tabIndex={0}>
          {source.data.text}
        </pre>
      )}
    </Dialog>
  );
}
