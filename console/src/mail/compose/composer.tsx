import { ArrowLeft, FolderOpen, Paperclip, Send, Trash2 } from 'lucide-react';
import {
  type DragEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { FileRecord, Message } from '../../../../client/src/index.ts';
import { type Action, useActions } from '../../app/actions.ts';
import { useChanges } from '../../app/live-changes.ts';
import { useUser } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { AttachmentList } from './attachment-list.tsx';
import styles from './composer.module.css';
import type { Content } from './content.ts';
import type { DraftKeeper } from './draft-keeper.ts';
import type { KeeperState } from './draft-state.ts';
import { FilePicker } from './file-picker.tsx';
import { Notices, Status } from './notices.tsx';
import { RecipientsField } from './recipients-field.tsx';
import type { Where } from './sending.ts';
import { TextArea } from './text-area.tsx';
import { type ComposeTexts, composeTexts } from './texts.ts';
import { useAttaching } from './use-attaching.ts';
import { type Field, useSending } from './use-sending.ts';

interface ComposerProps {
  keeper: DraftKeeper;
  notSent: string | undefined;
  forwarded: Message | undefined;
  onLeave(): void;
  onBack(where: Where): void;
}

/** Writes one message. */
export function Composer({ keeper, notSent, forwarded, onLeave, onBack }: ComposerProps) {
  const texts = useTexts(composeTexts);
  const state = useSyncExternalStore(keeper.subscribe, keeper.state);
  const { content, condition, version } = state;
  const [typed, setTyped] = useState<Typed>({ to: '', cc: '', bcc: '' });
  const [shown, setShown] = useState<Shown>({ cc: false, bcc: false });
  const [isPicking, setPicking] = useState(false);
  const fileInput = useRef<HTMLInputElement>(null);
  const { coming, attachLocal } = useAttaching(keeper, texts, forwarded);
  const { id: userId } = useUser();
  const isUploading = coming.length > 0;
  const sending = useSending({ userId, keeper, texts, typed, isUploading, onLeave, onBack });
  const attach = () => fileInput.current?.click();
  const discard = sending.askToDiscard;
  useComposerActions({ keeper, texts, sending, attach, discard, setPicking, setShown, onLeave });
  useKeeping(keeper, state.id);
  const [beginsWithText] = useState(content.to.length > 0);
  if (sending.hasEnded) return null;
  return (
    <section
      className={styles.composer}
      aria-label={content.subject || texts.newMessage}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => dropped(event, attachLocal)}
    >
      <Head {...{ texts, state, onLeave }} />
      <Notices
        keeper={keeper}
        condition={condition}
        reasons={[notSent && texts.notSent(notSent), sending.problem]}
        texts={texts}
      />
      <Recipients {...{ keeper, texts, content, typed, setTyped, shown, setShown, beginsWithText }} />
      <Subject texts={texts} subject={content.subject} onChange={(subject) => keeper.change({ subject })} />
      <TextArea
        label={texts.text}
        value={content.text}
        version={version}
        autoFocus={beginsWithText}
        onChange={(text) => keeper.change({ text })}
        onFiles={(files) => void attachLocal(files)}
      />
      <AttachmentList
        state={state}
        coming={coming}
        texts={texts}
        onRemove={(id) => keeper.change({ fileIds: content.fileIds.filter((one) => one !== id) })}
      />
      <Foot {...{ texts, sending, attach, discard, setPicking }} isGone={condition.status === 'gone'} />
      <FileInput label={texts.attach} input={fileInput} onFiles={(files) => void attachLocal(files)} />
      <Questions texts={texts} sending={sending} />
      <FilePicker
        isOpen={isPicking}
        texts={texts}
        onClose={() => setPicking(false)}
        onChoose={(files) => keeper.attach(files.map(attachedOf))}
      />
    </section>
  );
}

function attachedOf({ id, title, size_bytes }: Pick<FileRecord, 'id' | 'title' | 'size_bytes'>) {
  return { id, name: title, size: size_bytes };
}

function dropped(event: DragEvent, attach: (files: FileList) => Promise<void>): void {
  if (event.dataTransfer.files.length === 0) return;
  event.preventDefault();
  void attach(event.dataTransfer.files);
}

function Head({ texts, state, onLeave }: { texts: ComposeTexts; state: KeeperState; onLeave(): void }) {
  const { subject } = state.content;
  return (
    <header className={styles.head}>
      <IconButton label={texts.back} keys="Esc" onPress={onLeave}>
        <ArrowLeft />
      </IconButton>
      <h1 className={styles.title} dir="auto" title={subject}>
        {subject || texts.newMessage}
      </h1>
      <Status condition={state.condition} texts={texts} />
    </header>
  );
}

type Typed = Record<Field, string>;

interface RecipientsProps {
  keeper: DraftKeeper;
  texts: ComposeTexts;
  content: Content;
  typed: Typed;
  setTyped(change: (typed: Typed) => Typed): void;
  shown: Shown;
  setShown: SetShown;
  beginsWithText: boolean;
}

function Recipients(props: RecipientsProps) {
  const { keeper, texts, content, typed, setTyped, shown, setShown, beginsWithText } = props;
  const isShown = {
    to: true,
    cc: shown.cc || content.cc.length > 0,
    bcc: shown.bcc || content.bcc.length > 0,
  };
  return (
    <>
      {(['to', 'cc', 'bcc'] as const)
        .filter((field) => isShown[field])
        .map((field) => (
          <div key={field} className={styles.line}>
            <RecipientsField
              label={texts[field]}
              texts={texts}
              recipients={content[field]}
              onChange={(recipients) => keeper.change({ [field]: recipients })}
              typed={typed[field]}
              onType={(text) => setTyped((all) => ({ ...all, [field]: text }))}
              autoFocus={field === 'to' ? !beginsWithText : shown[field]}
            />
            {field === 'to' && <CopyButtons isShown={isShown} texts={texts} onShow={setShown} />}
          </div>
        ))}
    </>
  );
}

interface FootProps {
  texts: ComposeTexts;
  sending: Sending;
  isGone: boolean;
  attach(): void;
  discard(): void;
  setPicking(isPicking: boolean): void;
}

function Foot({ texts, sending, isGone, attach, discard, setPicking }: FootProps) {
  return (
    <footer className={styles.foot}>
      <Button kind="primary" onPress={() => void sending.send()} isDisabled={isGone}>
        <Send />
        {texts.send}
      </Button>
      {sending.isSending && <span className={styles.quiet}>{texts.waits}</span>}
      <span className={styles.space} />
      <IconButton label={texts.attach} onPress={attach}>
        <Paperclip />
      </IconButton>
      <IconButton label={texts.fromFiles} onPress={() => setPicking(true)}>
        <FolderOpen />
      </IconButton>
      <IconButton label={texts.discard} onPress={discard}>
        <Trash2 />
      </IconButton>
    </footer>
  );
}

interface FileInputProps {
  label: string;
  input: RefObject<HTMLInputElement | null>;
  onFiles(files: readonly File[]): void;
}

function FileInput({ label, input, onFiles }: FileInputProps) {
  return (
    <input
      ref={input}
      type="file"
      multiple
      hidden
      aria-label={label}
      onChange={({ target }) => {
        onFiles([...(target.files ?? [])]);
        target.value = '';
      }}
    />
  );
}

type Shown = { cc: boolean; bcc: boolean };
type SetShown = (change: (shown: Shown) => Shown) => void;

function CopyButtons({ isShown, texts, onShow }: { isShown: Shown; texts: ComposeTexts; onShow: SetShown }) {
  return (
    <span className={styles.copies}>
      {(['cc', 'bcc'] as const)
        .filter((field) => !isShown[field])
        .map((field) => (
          <Button
            key={field}
            kind="quiet"
            aria-label={field === 'cc' ? texts.addCc : texts.addBcc}
            onPress={() => onShow((all) => ({ ...all, [field]: true }))}
          >
            {texts[field]}
          </Button>
        ))}
    </span>
  );
}

function Subject({
  texts,
  subject,
  onChange,
}: {
  texts: ComposeTexts;
  subject: string;
  onChange(subject: string): void;
}) {
  const id = useId();
  return (
    <div className={styles.line}>
      <label htmlFor={id} className={styles.label}>
        {texts.subject}
      </label>
      <input
        id={id}
        className={styles.subject}
        dir="auto"
        maxLength={998}
        value={subject}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

type Sending = ReturnType<typeof useSending>;

function Questions({ texts, sending }: { texts: ComposeTexts; sending: Sending }) {
  return (
    <>
      <Confirm
        title={texts.discardAsk}
        text={texts.discardText}
        confirm={texts.discard}
        isOpen={sending.question === 'discard'}
        onConfirm={() => void sending.discard()}
        onClose={() => sending.setQuestion(undefined)}
      />
      <Confirm
        title={texts.noSubjectAsk}
        text={texts.noSubjectText}
        confirm={texts.sendAnyway}
        isOpen={sending.question === 'subject'}
        onConfirm={() => void sending.send(true)}
        onClose={() => sending.setQuestion(undefined)}
      />
    </>
  );
}

interface Composing {
  keeper: DraftKeeper;
  texts: ComposeTexts;
  sending: Sending;
  attach(): void;
  discard(): void;
  setPicking(isPicking: boolean): void;
  setShown: SetShown;
  onLeave(): void;
}

function useComposerActions(composing: Composing): void {
  const { keeper, texts, sending, attach, discard, setPicking, setShown, onLeave } = composing;
  const isAsking = sending.question !== undefined;
  const inFields = { evenInFields: true } as const;
  const actions: Action[] = [
    {
      id: 'send',
      label: texts.send,
      keys: 'Control+Enter',
      ...inFields,
      run: () => !isAsking && void sending.send(),
    },
    { id: 'save', label: texts.save, keys: 'Control+s', ...inFields, run: () => void keeper.saveAnyway() },
    {
      id: 'cc',
      label: texts.addCc,
      keys: 'Control+Shift+c',
      ...inFields,
      run: () => setShown((all) => ({ ...all, cc: true })),
    },
    {
      id: 'bcc',
      label: texts.addBcc,
      keys: 'Control+Shift+b',
      ...inFields,
      run: () => setShown((all) => ({ ...all, bcc: true })),
    },
    { id: 'attach', label: texts.attach, run: attach },
    { id: 'from-files', label: texts.fromFiles, run: () => setPicking(true) },
    { id: 'discard', label: texts.discardDraft, run: discard },
    {
      id: 'back',
      label: texts.back,
      keys: 'Escape',
      ...inFields,
      // An open dialog takes the key for itself.
      run: () => document.querySelector('[role=dialog]') === null && onLeave(),
    },
  ];
  useActions(sending.hasEnded ? [] : actions);
}

/** Keeps what is written when the page goes, and follows what other windows save. */
function useKeeping(keeper: DraftKeeper, id: KeeperState['id']): void {
  useEffect(() => {
    const keep = () => keeper.keep();
    addEventListener('pagehide', keep);
    document.addEventListener('visibilitychange', keep);
    return () => {
      removeEventListener('pagehide', keep);
      document.removeEventListener('visibilitychange', keep);
      keeper.leave();
    };
  }, [keeper]);
  useChanges(['message.'], (changes) => {
    const isOwn = changes.some(({ ids }) => JSON.stringify(ids).includes((id ?? '-').slice(4)));
    if (id !== undefined && isOwn) void keeper.lookForOther();
  });
}
