import { Link } from '@tanstack/react-router';
import { ArrowLeft, Mail, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Contact } from '../../../client/src/index.ts';
import { useTexts } from '../app/texts.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import styles from './contacts.module.css';
import { contactTexts } from './texts.ts';

interface ContactCardProps {
  contact: Contact;
  isTrashed: boolean;
  onBack(): void;
  onEdit(): void;
  onTrash(): void;
  onRestore(): void;
}

/** All that is known of one contact. */
export function ContactCard({ contact, isTrashed, onBack, onEdit, onTrash, onRestore }: ContactCardProps) {
  const texts = useTexts(contactTexts);
  const { name, title, organization } = contact;
  return (
    <article className={styles.card} aria-label={name || texts.nameless}>
      <header className={styles.cardHead}>
        <span className={styles.onlyNarrow}>
          <IconButton label={texts.back} onPress={onBack}>
            <ArrowLeft />
          </IconButton>
        </span>
        <Avatar name={name || '?'} />
        <div className={styles.who}>
          <h1 dir="auto">{name || texts.nameless}</h1>
          {(title || organization) && (
            <p className={styles.quiet} dir="auto">
              {[title, organization].filter(Boolean).join(', ')}
            </p>
          )}
        </div>
      </header>
      <div className={styles.tools}>
        {isTrashed ? (
          <Button onPress={onRestore}>
            <RotateCcw />
            {texts.restore}
          </Button>
        ) : (
          <>
            <Button onPress={onEdit}>
              <Pencil />
              {texts.edit}
            </Button>
            <Button onPress={onTrash}>
              <Trash2 />
              {texts.toTrash}
            </Button>
          </>
        )}
      </div>
      <Facts contact={contact} />
    </article>
  );
}

function Facts({ contact }: { contact: Contact }) {
  const texts = useTexts(contactTexts);
  const { name, emails = [], phones = [], notes } = contact;
  return (
    <dl className={styles.facts}>
      {emails.map(({ address, type }, index) => (
        <Fact key={`${index}-${address}`} term={type || texts.address}>
          <Link
            to="/mail/compose/$draftId"
            params={{ draftId: 'new' }}
            search={{ to: recipient(name, address) }}
            aria-label={texts.writeTo(address)}
          >
            <Mail /> <bdi>{address}</bdi>
          </Link>
        </Fact>
      ))}
      {phones.map(({ number, type }, index) => (
        <Fact key={`${index}-${number}`} term={type || texts.number}>
          <a href={`tel:${encodeURIComponent(number)}`}>
            <bdi>{number}</bdi>
          </a>
        </Fact>
      ))}
      {notes && (
        <Fact term={texts.notes}>
          <p className={styles.notes} dir="auto">
            {notes}
          </p>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt dir="auto" title={term}>
        {term}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The recipient as the composer reads it, with the name in quotes. */
export function recipient(name: string, address: string): string {
  if (!name || name === address) return address;
  return `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
}
