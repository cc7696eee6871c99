import { useEffect, useRef, useState } from 'react';
import type { ContactImportReport } from '../../../client/src/index.ts';
import { outbox } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { useTexts } from '../app/texts.ts';
import { showToast } from '../app/toasts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import styles from './contacts.module.css';
import { contactTexts } from './texts.ts';

/** Reasons beyond these are counted. */
const LISTED = 200;

/** Chooses a file of vCards, brings them in, and tells what was skipped. `asked` grows with each wish to choose. */
export function ImportCards({ bookId, asked }: { bookId: string | undefined; asked: number }) {
  const texts = useTexts(contactTexts);
  const input = useRef<HTMLInputElement>(null);
  const [report, setReport] = useState<ContactImportReport>();
  useEffect(() => {
    if (asked > 0) input.current?.click();
  }, [asked]);
  const bring = async (file: File) => {
    if (bookId === undefined) return;
    const { id, done } = await outbox.add({
      call: ({ contacts }) => contacts.importContacts(bookId, file),
      label: texts.importing(file.name),
      lane: 'vcards',
    });
    done.then(
      (answer) => answer && setReport(answer as ContactImportReport),
      (error: unknown) => {
        void outbox.discard(id);
        showToast({ text: reasonOf(error), kind: 'problem' });
      },
    );
  };
  const { created = 0, updated = 0, skipped = [] } = report ?? {};
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".vcf,.vcard,text/vcard"
        hidden
        aria-label={texts.importCards}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) void bring(file);
          target.value = '';
        }}
      />
      <Dialog title={texts.imported} isOpen={report !== undefined} onClose={() => setReport(undefined)}>
        <p>{texts.created(created)}</p>
        {updated > 0 && <p>{texts.updated(updated)}</p>}
        {skipped.length > 0 && (
          <>
            <p>{texts.skipped(skipped.length)}</p>
            <ul className={styles.skipped}>
              {skipped.slice(0, LISTED).map(({ index, reason }) => (
                <li key={index}>{texts.skippedCard(index + 1, reason)}</li>
              ))}
            </ul>
            {skipped.length > LISTED && <p>{texts.moreSkipped(skipped.length - LISTED)}</p>}
          </>
        )}
      </Dialog>
    </>
  );
}
