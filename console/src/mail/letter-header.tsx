import { ChevronUp, Code, Download, Info, MoreHorizontal, Type } from 'lucide-react';
import type { Message } from '../../../client/src/index.ts';
import { download } from '../app/api.ts';
import { useLanguage, useTexts } from '../app/texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { IconButton } from '../parts/button.tsx';
import { Menu, type MenuChoice } from '../parts/menu.tsx';
import { fullTime, shortTime } from '../parts/time.ts';
import styles from './letter.module.css';
import { addressIn, type MailRecord, nameIn } from './records.ts';
import { mailTexts } from './texts.ts';

interface LetterHeaderProps {
  record: MailRecord;
  /** As soon as it is read. */
  message: Message | undefined;
  areDetailsShown: boolean;
  isPlain: boolean;
  onDetails(areShown: boolean): void;
  onPlain(isPlain: boolean): void;
  onSource(): void;
  /** Where it can be collapsed. */
  onCollapse: (() => void) | undefined;
}

/** Who wrote a message to whom and when, and how it is shown. */
export function LetterHeader({ record, message, onCollapse, ...shown }: LetterHeaderProps) {
  const { areDetailsShown, isPlain, onDetails, onPlain, onSource } = shown;
  const texts = useTexts(mailTexts);
  const language = useLanguage();
  const name = nameIn(record.from) || texts.noSender;
  return (
    <header className={styles.header}>
      <Avatar name={name} />
      <div className={styles.people}>
        <Sender name={name} address={addressIn(record.from)} />
        {message && <Recipients message={message} onShow={() => onDetails(true)} />}
      </div>
      <time className={styles.time} dateTime={record.date} title={fullTime(record.date, language)}>
        {shortTime(record.date, language)}
      </time>
      <IconButton label={texts.details} isOn={areDetailsShown} onPress={() => onDetails(!areDetailsShown)}>
        <Info />
      </IconButton>
      <LetterMenu
        id={record.id}
        name={name}
        hasHtml={message !== undefined && message.html !== ''}
        isPlain={isPlain}
        onPlain={onPlain}
        onSource={onSource}
      />
      {onCollapse && (
        <IconButton label={texts.close} onPress={onCollapse}>
          <ChevronUp />
        </IconButton>
      )}
    </header>
  );
}

function Sender({ name, address }: { name: string; address: string }) {
  return (
    <div className={styles.from}>
      <strong dir="auto" title={name}>
        {name}
      </strong>
      {address !== name && (
        <span className={styles.address} dir="auto" title={address}>
          {address}
        </span>
      )}
    </div>
  );
}

const FEW = 2;

function Recipients({ message, onShow }: { message: Message; onShow(): void }) {
  const texts = useTexts(mailTexts);
  const { to, cc, bcc } = message.addresses;
  const all = [...to, ...cc, ...bcc].map(({ name, address }) => name || address);
  const shown = all.slice(0, FEW).join(', ') || texts.nobody;
  const rest = all.length - FEW;
  return (
    <button type="button" className={styles.recipients} onClick={onShow}>
      <span dir="auto">
        {texts.to} {shown}
      </span>
      {rest > 0 && <span className={styles.rest}>{texts.others(rest)}</span>}
    </button>
  );
}

interface LetterMenuProps extends Pick<LetterHeaderProps, 'isPlain' | 'onPlain' | 'onSource'> {
  id: string;
  name: string;
  hasHtml: boolean;
}

function LetterMenu({ id, name, hasHtml, isPlain, onPlain, onSource }: LetterMenuProps) {
  const texts = useTexts(mailTexts);
  const raw = `/v1/messages/${encodeURIComponent(id)}/raw`;
  const plain: MenuChoice = {
    id: 'plain',
    label: isPlain ? texts.asHtml : texts.plainText,
    icon: <Type />,
    run: () => onPlain(!isPlain),
  };
  const choices: MenuChoice[] = [
    ...(hasHtml ? [plain] : []),
    { id: 'source', label: texts.source, icon: <Code />, run: onSource },
    {
      id: 'save',
      label: texts.downloadSource,
      icon: <Download />,
      run: () => void download(raw, `${id}.eml`),
    },
  ];
  return (
    <Menu
      label={texts.more}
      trigger={
        <IconButton label={`${texts.more}: ${name}`}>
          <MoreHorizontal />
        </IconButton>
      }
      groups={[{ choices }]}
    />
  );
}
