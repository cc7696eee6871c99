import { useQuery } from '@tanstack/react-query';
import { Download, Eye, FolderInput, HardDrive, Paperclip } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { AtriumError, type Message } from '../../../client/src/index.ts';
import { api, download, ticketFor } from '../app/api.ts';
import { outbox } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { usePermission } from '../app/session.ts';
import { useLanguage, useTexts } from '../app/texts.ts';
import { showToast } from '../app/toasts.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorPlace } from '../parts/place.tsx';
import { shownName } from '../parts/shown-name.ts';
import { sizeText } from '../parts/size.ts';
import styles from './attachments.module.css';
import { beginningOf } from './beginning.ts';
import { type Choice, Chooser } from './chooser.tsx';
import { driveFolders } from './drive-folders.ts';
import { mailTexts } from './texts.ts';

interface ShownAttachment {
  id: string;
  filename: string;
  mime_type: string;
  size: number;
  /** Within an attached message. */
  depth: number;
}

/** What came with a message: to be looked at, saved, or kept in Files. */
export function Attachments({ message }: { message: Message }) {
  const texts = useTexts(mailTexts);
  const [previewed, setPreviewed] = useState<ShownAttachment>();
  const [kept, setKept] = useState<ShownAttachment>();
  const mayKeep = usePermission('files.write');
  const all = flat(message.attachments, 0);
  if (all.length === 0) return null;
  return (
    <section className={styles.place} aria-label={texts.attachments(all.length)}>
      <h2 className={styles.title}>
        <Paperclip aria-hidden="true" />
        {texts.attachments(all.length)}
      </h2>
      <ul className={styles.list}>
        {all.map((attachment) => (
          <AttachmentItem
            key={attachment.id}
            messageId={message.id}
            attachment={attachment}
            onPreview={() => setPreviewed(attachment)}
            {...(mayKeep && { onKeep: () => setKept(attachment) })}
          />
        ))}
      </ul>
      {previewed && (
        <PreviewDialog
          messageId={message.id}
          attachment={previewed}
          onClose={() => setPreviewed(undefined)}
        />
      )}
      {mayKeep && <KeepDialog messageId={message.id} attachment={kept} onClose={() => setKept(undefined)} />}
    </section>
  );
}

type Nested = Message['attachments'];

function flat(attachments: Nested, depth: number): ShownAttachment[] {
  return attachments.flatMap(({ id, filename, mime_type, size, attachments: within }) => [
    { id, filename, mime_type, size, depth },
    ...flat((within ?? []) as Nested, depth + 1),
  ]);
}

function pathOf(messageId: string, { id }: ShownAttachment): string {
  return `/v1/messages/${encodeURIComponent(messageId)}/attachments/${encodeURIComponent(id)}`;
}

const PdfPreview = lazy(() => import('../files/preview/pdf-preview.tsx'));

const IMAGES = /^image\/(?:png|jpeg|gif|webp|bmp|avif)$/;
const TEXTS = /^(?:text\/|application\/json$)/;

interface AttachmentItemProps {
  messageId: string;
  attachment: ShownAttachment;
  onPreview(): void;
  onKeep?(): void;
}

function AttachmentItem({ messageId, attachment, onPreview, onKeep }: AttachmentItemProps) {
  const texts = useTexts(mailTexts);
  const language = useLanguage();
  const { mime_type, size, depth } = attachment;
  const filename = shownName(attachment.filename);
  const canPreview = IMAGES.test(mime_type) || TEXTS.test(mime_type) || mime_type === 'application/pdf';
  const save = () => void download(pathOf(messageId, attachment), filename);
  return (
    <li className={styles.item} style={{ marginInlineStart: depth * 16 }}>
      <button
        type="button"
        className={styles.name}
        title={`${filename} (${mime_type})`}
        onClick={canPreview ? onPreview : save}
      >
        <span className={styles.filename} dir="auto">
          {filename}
        </span>
        <span className={styles.size}>{sizeText(size, language)}</span>
      </button>
      {canPreview && (
        <IconButton label={`${texts.preview}: ${filename}`} onPress={onPreview}>
          <Eye />
        </IconButton>
      )}
      <IconButton label={`${texts.download}: ${filename}`} onPress={save}>
        <Download />
      </IconButton>
      {onKeep && (
        <IconButton label={`${texts.keep}: ${filename}`} onPress={onKeep}>
          <FolderInput />
        </IconButton>
      )}
    </li>
  );
}

interface PreviewDialogProps {
  messageId: string;
  attachment: ShownAttachment;
  onClose(): void;
}

function PreviewDialog({ messageId, attachment, onClose }: PreviewDialogProps) {
  const texts = useTexts(mailTexts);
  const { filename, mime_type } = attachment;
  return (
    <Dialog
      title={filename}
      isOpen
      onClose={onClose}
      size="wide"
      footer={
        <Button onPress={() => void download(pathOf(messageId, attachment), filename)}>
          {texts.download}
        </Button>
      }
    >
      {TEXTS.test(mime_type) ? (
        <TextPreview messageId={messageId} attachment={attachment} />
      ) : (
        <ContentPreview messageId={messageId} attachment={attachment} />
      )}
    </Dialog>
  );
}

type PreviewProps = Omit<PreviewDialogProps, 'onClose'>;

function TextPreview({ messageId, attachment }: PreviewProps) {
  const texts = useTexts(mailTexts);
  const { data, error, refetch } = useQuery({
    queryKey: ['mail', 'attachment', messageId, attachment.id],
    queryFn: async ({ signal }) =>
      beginningOf(await api.mail.getAttachment(messageId, attachment.id, { signal })),
    gcTime: 0,
  });
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {data?.isCut && <p className={styles.cut}>{texts.previewCut}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre className={styles.text} dir="auto" tabIndex={0}>
        {data?.text}
      </pre>
    </>
  );
}

/** A picture, or the pages of a PDF. */
function ContentPreview({ messageId, attachment }: PreviewProps) {
  if (IMAGES.test(attachment.mime_type)) return <ImagePreview {...{ messageId, attachment }} />;
  return (
    <Suspense>
      <PdfPreview path={pathOf(messageId, attachment)} name={shownName(attachment.filename)} />
    </Suspense>
  );
}

function ImagePreview({ messageId, attachment }: PreviewProps) {
  const path = pathOf(messageId, attachment);
  const { data, error, refetch } = useQuery({
    queryKey: ['ticket', path],
    queryFn: () => ticketFor(path),
    gcTime: 0,
  });
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return <img className={styles.image} src={data} alt={shownName(attachment.filename)} />;
}

interface KeepDialogProps {
  messageId: string;
  attachment: ShownAttachment | undefined;
  onClose(): void;
}

function KeepDialog({ messageId, attachment, onClose }: KeepDialogProps) {
  const texts = useTexts(mailTexts);
  const folders = useQuery({
    queryKey: ['mail', 'drive-folders'],
    queryFn: () => driveFolders(),
    enabled: attachment !== undefined,
    staleTime: 5000,
  });
  const keep = async (folder_id: string) => {
    if (!attachment) return;
    const { id, filename } = attachment;
    const label = texts.kept(filename);
    const body = folder_id ? { folder_id } : {};
    try {
      const sent = await outbox.add({
        call: (recording) => recording.mail.saveAttachment(messageId, id, body),
        label,
        lane: 'mail',
      });
      const saved = (await sent.done) as { id: string } | undefined;
      const undo = () =>
        saved &&
        void outbox.add({ call: (recording) => recording.files.trashFile(saved.id), label, lane: 'mail' });
      showToast({ text: label, ...(saved && { undo: () => void undo() }) });
    } catch (error) {
      const reason = error instanceof AtriumError ? reasonOf(error) : '';
      showToast({ text: `${texts.failed} ${reason}`, kind: 'problem' });
    }
  };
  const choices: Choice[] = [
    { id: '', label: texts.filesRoot, icon: <HardDrive /> },
    ...(folders.data ?? []).map(({ id, path, depth }) => ({ id, label: path, depth, icon: <FolderInput /> })),
  ];
  return (
    <Chooser
      title={texts.chooseDriveFolder}
      isOpen={attachment !== undefined}
      choices={choices}
      onChoose={(id) => void keep(id)}
      onClose={onClose}
    />
  );
}
