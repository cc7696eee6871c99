import { ChevronDown, ChevronUp, Tag } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../app/texts.ts';
import styles from './folder-pane.module.css';
import { useLabels } from './labels.ts';
import { PlaceItem } from './place-item.tsx';
import type { Place } from './places.ts';
import { mailTexts } from './texts.ts';

interface LabelListProps {
  place: Place;
  onChosen: (() => void) | undefined;
}

/** More are shown when a person asks for them. */
const FEW = 20;

/** The labels of the folder pane, with what is unread; nothing where no message has one. */
export function LabelList({ place, onChosen }: LabelListProps) {
  const texts = useTexts(mailTexts);
  const labels = useLabels();
  const [isWhole, setWhole] = useState(false);
  if (labels.length === 0) return null;
  const isHere = (label: string) => place.kind === 'label' && place.name === label;
  const shown = isWhole ? labels : labels.filter(({ label }, index) => index < FEW || isHere(label));
  return (
    <nav aria-labelledby="mail-labels">
      <h2 id="mail-labels" className={styles.title}>
        {texts.labels}
      </h2>
      <ul>
        {shown.map(({ label, message_count, unread_count }) => (
          <PlaceItem
            key={label}
            place={{ kind: 'label', name: label }}
            isHere={isHere(label)}
            icon={<Tag />}
            name={label}
            title={`${label}: ${texts.count(message_count)}`}
            count={unread_count}
            countText={texts.unread(unread_count)}
            onChosen={onChosen}
          />
        ))}
      </ul>
      {labels.length > FEW && (
        <button type="button" className={styles.add} onClick={() => setWhole(!isWhole)}>
          {isWhole ? <ChevronUp /> : <ChevronDown />}
          {isWhole ? texts.fewerLabels : texts.allLabels(labels.length)}
        </button>
      )}
    </nav>
  );
}
