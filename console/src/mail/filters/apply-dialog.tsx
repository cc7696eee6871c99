import { useState } from 'react';
import { type AppliedMailFilter, AtriumError, type MailFilter } from '../../../../client/src/index.ts';
import { outbox } from '../../app/outbox.ts';
import { reasonOf } from '../../app/refusals.ts';
import { useTexts } from '../../app/texts.ts';
import { showToast } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import styles from './filters.module.css';
import { usePreview } from './preview.tsx';
import { type FilterTexts, filterTexts } from './texts.ts';
import { useFolders } from './use-folders.ts';

/** Runs a filter over mail that is there; how much it matches is told before. */
export function ApplyDialog({
  filter,
  isOpen,
  onClose,
}: {
  filter: MailFilter;
  isOpen: boolean;
  onClose(): void;
}) {
  const texts = useTexts(filterTexts);
  const { folders } = useFolders();
  const [chosen, setChosen] = useState<string>();
  const folderId = chosen ?? folders.find(({ role }) => role === 'inbox')?.id ?? '';
  const { data } = usePreview(filter.rule, folderId, isOpen && folderId !== '');
  const apply = () => {
    onClose();
    void applyTo(filter, folderId, texts);
  };
  return (
    <Dialog
      title={texts.applyTitle(filter.name)}
      isOpen={isOpen}
      onClose={onClose}
      footer={
        <Button kind="primary" isDisabled={!data} onPress={apply}>
          {texts.applyNow}
        </Button>
      }
    >
      <div className={styles.apply}>
        <label className={styles.part}>
          {texts.applyFolder}
          <select
            className={styles.select}
            value={folderId}
            onChange={({ target }) => setChosen(target.value)}
          >
            {folders.map(({ id, path }) => (
              <option key={id} value={id}>
                {path}
              </option>
            ))}
          </select>
        </label>
        <p role="status">{data ? texts.applyCount(data.matched, data.scanned) : texts.looking}</p>
        {filter.rule.actions.some(({ type }) => type === 'discard') && <p>{texts.applyDiscard}</p>}
      </div>
    </Dialog>
  );
}

async function applyTo(
  { id: filterId, name }: MailFilter,
  folderId: string,
  texts: FilterTexts,
): Promise<void> {
  const { id, done } = await outbox.add({
    call: (api) => api.mail.applyMailFilter(filterId, { folder_id: folderId }),
    label: texts.applying(name),
    lane: `apply-${filterId}`,
  });
  done.then(
    (answer) => {
      if (!answer) return;
      const { matched, changed } = answer as AppliedMailFilter;
      showToast({ text: texts.applied(matched, changed) });
    },
    (error: unknown) => {
      void outbox.discard(id);
      if (error instanceof AtriumError) showToast({ text: reasonOf(error), kind: 'problem' });
    },
  );
}
