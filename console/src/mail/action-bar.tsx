import {
  Archive,
  FolderInput,
  Forward,
  Inbox,
  ListFilter,
  Mail,
  MailOpen,
  MoreHorizontal,
  Reply,
  ReplyAll,
  ShieldAlert,
  Star,
  Tag,
  Trash2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTexts } from '../app/texts.ts';
import { IconButton } from '../parts/button.tsx';
import { Menu, type MenuChoice } from '../parts/menu.tsx';
import styles from './action-bar.module.css';
import { useFolders } from './folders.ts';
import { folderOf } from './places.ts';
import type { MailRecord } from './records.ts';
import { mailTexts } from './texts.ts';
import type { MailActions } from './use-mail-actions.ts';

interface ActionBarProps {
  messages: readonly MailRecord[];
  actions: MailActions;
  /** Also what is done with one message that is read. */
  isConversation?: boolean;
}

/** The buttons of what can be done with messages. */
export function ActionBar({ messages, actions, isConversation = false }: ActionBarProps) {
  const texts = useTexts(mailTexts);
  const [first] = messages;
  if (!first) return null;
  const mayAnswer = isConversation && actions.maySend;
  return (
    <div className={styles.bar} role="toolbar" aria-label={texts.message}>
      {actions.mayWrite && (
        <>
          <MoveButtons messages={messages} actions={actions} />
          <MarkButtons messages={messages} actions={actions} />
          <MoreMenu messages={messages} first={first} actions={actions} hasAnswers={mayAnswer} />
        </>
      )}
      {mayAnswer && <AnswerButtons first={first} actions={actions} />}
    </div>
  );
}

type ButtonsProps = Pick<ActionBarProps, 'messages' | 'actions'>;

function MoveButtons({ messages, actions }: ButtonsProps) {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const isIn = (role: 'trash' | 'junk' | 'archive') =>
    messages.every(({ folder_id }) => folderOf(role, folders)?.id === folder_id);
  const isAway = isIn('trash') || isIn('junk') || isIn('archive');
  return (
    <>
      {isAway ? (
        <IconButton label={texts.doRestore} onPress={() => actions.toRole(messages, 'inbox')}>
          <Inbox />
        </IconButton>
      ) : (
        <IconButton label={texts.doArchive} keys="e" onPress={() => actions.archive(messages)}>
          <Archive />
        </IconButton>
      )}
      <IconButton
        label={isIn('trash') ? texts.doDelete : texts.doTrash}
        keys="#"
        onPress={() => actions.remove(messages)}
      >
        <Trash2 />
      </IconButton>
      <IconButton label={texts.doMove} keys="v" onPress={() => actions.ask({ what: 'folder', messages })}>
        <FolderInput />
      </IconButton>
    </>
  );
}

function MarkButtons({ messages, actions }: ButtonsProps) {
  const texts = useTexts(mailTexts);
  const isStarred = messages.every(({ flags }) => flags.starred);
  const isUnread = messages.every(({ flags }) => !flags.read);
  return (
    <>
      <IconButton
        label={isStarred ? texts.doUnstar : texts.doStar}
        keys="s"
        isOn={isStarred}
        onPress={() => actions.star(messages)}
      >
        <Star fill={isStarred ? 'currentColor' : 'none'} />
      </IconButton>
      <IconButton
        label={isUnread ? texts.doRead : texts.doUnread}
        keys="u"
        onPress={() => actions.toggleRead(messages)}
      >
        {isUnread ? <MailOpen /> : <Mail />}
      </IconButton>
    </>
  );
}

interface MoreMenuProps extends ButtonsProps {
  first: MailRecord;
  /** Also the answers that a narrow bar has no room for. */
  hasAnswers: boolean;
}

function MoreMenu({ messages, first, actions, hasAnswers }: MoreMenuProps) {
  const texts = useTexts(mailTexts);
  const choice = (id: string, label: string, icon: ReactNode, run: () => void, keys = '') => ({
    id,
    label,
    icon,
    run,
    ...(keys && { keys }),
  });
  const answers: MenuChoice[] = [
    choice('reply-all', texts.replyAll, <ReplyAll />, () => actions.replyAll(first), 'a'),
    choice('forward', texts.forward, <Forward />, () => actions.forward(first), 'f'),
  ];
  const more: MenuChoice[] = [
    choice('label', texts.doLabel, <Tag />, () => actions.ask({ what: 'label', messages }), 'l'),
    choice('junk', texts.doJunk, <ShieldAlert />, () => actions.toRole(messages, 'junk'), '!'),
    ...(messages.length === 1
      ? [choice('filter', texts.filterLike, <ListFilter />, () => actions.filterLike(first))]
      : []),
  ];
  return (
    <Menu
      label={texts.more}
      trigger={
        <IconButton label={texts.more}>
          <MoreHorizontal />
        </IconButton>
      }
      groups={[{ choices: more }, ...(hasAnswers ? [{ choices: answers }] : [])]}
    />
  );
}

function AnswerButtons({ first, actions }: { first: MailRecord; actions: MailActions }) {
  const texts = useTexts(mailTexts);
  return (
    <span className={styles.answers}>
      <IconButton label={texts.reply} keys="r" onPress={() => actions.reply(first)}>
        <Reply />
      </IconButton>
      <span className={styles.wide}>
        <IconButton label={texts.replyAll} keys="a" onPress={() => actions.replyAll(first)}>
          <ReplyAll />
        </IconButton>
        <IconButton label={texts.forward} keys="f" onPress={() => actions.forward(first)}>
          <Forward />
        </IconButton>
      </span>
    </span>
  );
}
