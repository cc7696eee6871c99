import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Tag, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { api } from '../app/api.ts';
import { useLanguage, useTexts } from '../app/texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { IconButton } from '../parts/button.tsx';
import { ErrorPlace } from '../parts/place.tsx';
import { fullTime, shortTime } from '../parts/time.ts';
import { ActionBar } from './action-bar.tsx';
import styles from './conversation.module.css';
import { folderName, useFolders } from './folders.ts';
import { Letter } from './letter.tsx';
import { messageQuery, threadKey } from './mail-cache.ts';
import { type MailRecord, nameIn, recordOf } from './records.ts';
import { mailTexts } from './texts.ts';
import type { MailActions } from './use-mail-actions.ts';
import { useMailCache } from './use-mail-cache.ts';

interface ConversationProps {
  /** The message that is open. */
  id: string;
  /** As the list has it, where it is there. */
  record: MailRecord | undefined;
  actions: MailActions;
  onBack(): void;
}

/** A conversation over all folders, with one of its messages open. */
export function Conversation({ id, record: listed, actions, onBack }: ConversationProps) {
  const texts = useTexts(mailTexts);
  const message = useQuery(messageQuery(id));
  const threadId = listed?.thread_id ?? message.data?.thread_id;
  const thread = useThread(threadId);
  const own = listed ?? thread.data?.find((one) => one.id === id) ?? (message.data && recordOf(message.data));
  useMarkedAsRead(own, actions);
  const messages = thread.data?.some((one) => one.id === id) ? thread.data : own ? [own] : [];
  if (!own && message.error)
    return (
      <section className={styles.pane} aria-label={texts.conversation}>
        <BackBar onBack={onBack} />
        <ErrorPlace error={message.error} onRetry={() => void message.refetch()} />
      </section>
    );
  const subject = own?.subject || texts.noSubject;
  return (
    <section className={styles.pane} aria-label={texts.conversation}>
      {own && (
        <header className={styles.header}>
          <div className={styles.bar}>
            <span className={styles.back}>
              <IconButton label={texts.back} keys="Escape" onPress={onBack}>
                <ArrowLeft />
              </IconButton>
            </span>
            <ActionBar messages={[own]} actions={actions} isConversation />
          </div>
          <h1 className={styles.subject} dir="auto" title={subject}>
            {subject}
          </h1>
          <Labels record={own} actions={actions} />
        </header>
      )}
      {own && <Letters key={own.thread_id ?? id} opened={id} messages={messages} actions={actions} />}
    </section>
  );
}

function BackBar({ onBack }: { onBack(): void }) {
  const texts = useTexts(mailTexts);
  return (
    <div className={styles.bar}>
      <IconButton label={texts.back} keys="Escape" onPress={onBack}>
        <ArrowLeft />
      </IconButton>
    </div>
  );
}

function Labels({ record, actions }: { record: MailRecord; actions: MailActions }) {
  const texts = useTexts(mailTexts);
  if (record.labels.length === 0) return null;
  return (
    <ul className={styles.labels} aria-label={texts.labels}>
      {record.labels.map((label) => (
        <li key={label} className={styles.label}>
          <Tag aria-hidden="true" />
          <span dir="auto" title={label}>
            {label}
          </span>
          {actions.mayWrite && (
            <button
              type="button"
              aria-label={texts.removeLabel(label)}
              onClick={() => actions.label([record], label)}
            >
              <X />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Reading a message marks it as read, once each time it is opened: who marks it as unread then wants that. */
function useMarkedAsRead(record: MailRecord | undefined, actions: MailActions): void {
  const marked = useRef<string>(undefined);
  useEffect(() => {
    if (!record || marked.current === record.id) return;
    marked.current = record.id;
    if (!record.flags.read) actions.markRead([record]);
  });
}

function useThread(id: string | undefined) {
  const cache = useMailCache();
  return useQuery({
    queryKey: threadKey(id ?? ''),
    queryFn: async ({ signal }) =>
      cache.records(
        await api.mail.listThreadMessages(id ?? '', { include: 'preview', limit: 200 }, { signal }).all(),
      ),
    enabled: id !== undefined,
    structuralSharing: false,
  });
}

/** So many collapsed messages in a row are one line. */
const MANY = 4;

interface LettersProps {
  opened: string;
  messages: readonly MailRecord[];
  actions: MailActions;
}

function Letters({ opened, messages, actions }: LettersProps) {
  const texts = useTexts(mailTexts);
  // What was unread when the conversation was opened is shown; marking it as read must not hide it.
  const [unread] = useState(
    () => new Set(messages.filter(({ flags }) => !flags.read).map((message) => message.id)),
  );
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setWhole] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current
      ?.querySelector(`[data-message="${CSS.escape(opened)}"]`)
      ?.scrollIntoView({ block: 'nearest' });
  }, [opened]);
  const isOpen = ({ id }: MailRecord) => (id === opened || unread.has(id)) !== toggled.has(id);
  const toggle = (id: string) => {
    const next = new Set(toggled);
    if (!next.delete(id)) next.add(id);
    setToggled(next);
  };
  const openCount = messages.filter(isOpen).length;
  const runs = isWhole ? messages.map((message) => [message]) : runsOf(messages, isOpen);
  return (
    <div ref={place} className={styles.letters}>
      {runs.map((run) => {
        const [first, ...rest] = run;
        if (!first) return null;
        if (rest.length > 0)
          return (
            <button key={first.id} type="button" className={styles.fold} onClick={() => setWhole(true)}>
              {texts.older(run.length)}
            </button>
          );
        return isOpen(first) ? (
          <Letter
            key={first.id}
            record={first}
            isAlone={openCount === 1}
            isCollapsible={messages.length > 1}
            actions={actions}
            onCollapse={() => toggle(first.id)}
          />
        ) : (
          <Collapsed key={first.id} record={first} onOpen={() => toggle(first.id)} />
        );
      })}
    </div>
  );
}

/** Each message alone, but those between the first and the last of many collapsed ones together. */
function runsOf(
  messages: readonly MailRecord[],
  isOpen: (message: MailRecord) => boolean,
): (readonly MailRecord[])[] {
  const runs: MailRecord[][] = [];
  let collapsed: MailRecord[] = [];
  const flush = () => {
    if (collapsed.length > MANY)
      runs.push(collapsed.slice(0, 1), collapsed.slice(1, -1), collapsed.slice(-1));
    else for (const message of collapsed) runs.push([message]);
    collapsed = [];
  };
  for (const message of messages) {
    if (!isOpen(message)) {
      collapsed.push(message);
      continue;
    }
    flush();
    runs.push([message]);
  }
  flush();
  return runs;
}

function Collapsed({ record, onOpen }: { record: MailRecord; onOpen(): void }) {
  const texts = useTexts(mailTexts);
  const language = useLanguage();
  const folder = useFolders().find(({ id }) => id === record.folder_id);
  const name = nameIn(record.from) || texts.noSender;
  return (
    <button type="button" className={styles.collapsed} data-message={record.id} onClick={onOpen}>
      <Avatar name={name} />
      <span className={styles.name} dir="auto">
        {name}
      </span>
      <span className={styles.preview} dir="auto">
        {record.preview}
      </span>
      {folder && <span className={styles.folder}>{texts.inFolder(folderName(folder, texts))}</span>}
      <time dateTime={record.date} title={fullTime(record.date, language)}>
        {shortTime(record.date, language)}
      </time>
    </button>
  );
}
