import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useIsCutOff } from '../../app/outbox.ts';
import { Button } from '../../parts/button.tsx';
import styles from './composer.module.css';
import type { DraftKeeper } from './draft-keeper.ts';
import type { Condition } from './draft-state.ts';
import type { ComposeTexts } from './texts.ts';

/** Says truly whether the server has what is written. */
export function Status({ condition, texts }: { condition: Condition; texts: ComposeTexts }) {
  const isCutOff = useIsCutOff();
  const shown = () => {
    switch (condition.status) {
      case 'saved':
        return [<Check key="icon" />, texts.saved];
      case 'unsaved':
        if (isCutOff && condition.isKept) return [<CloudOff key="icon" />, texts.kept];
        return [<LoaderCircle key="icon" />, texts.unsaved];
      case 'refused':
        return [<TriangleAlert key="icon" />, texts.notSaved(condition.reason)];
      case 'conflict':
        return [<TriangleAlert key="icon" />, texts.unsaved];
      default:
        return [];
    }
  };
  return (
    <span className={styles.status} data-status={condition.status} role="status">
      {shown()}
    </span>
  );
}

/** What the person has to know or decide before going on. */
export function Notices({
  keeper,
  condition,
  reasons,
  texts,
}: {
  keeper: DraftKeeper;
  condition: Condition;
  reasons: readonly (string | undefined)[];
  texts: ComposeTexts;
}) {
  return (
    <>
      {reasons
        .filter((reason) => reason !== undefined)
        .map((reason) => (
          <p key={reason} className={styles.notice} data-kind="problem" role="alert">
            {reason}
          </p>
        ))}
      {condition.status === 'conflict' && (
        <section className={styles.notice} role="alert">
          <h2>{texts.conflict}</h2>
          <p>{texts.conflictText}</p>
          <pre className={styles.theirs} dir="auto">
            {`${condition.theirs.subject}\n\n${condition.theirs.text}`.trim()}
          </pre>
          <div className={styles.buttons}>
            <Button onPress={() => void keeper.decide('mine')}>{texts.keepMine}</Button>
            <Button onPress={() => void keeper.decide('theirs')}>{texts.takeTheirs}</Button>
            <Button onPress={() => void keeper.decide('both')}>{texts.keepBoth}</Button>
          </div>
        </section>
      )}
      {condition.status === 'gone' && (
        <section className={styles.notice} role="alert">
          <h2>{texts.gone}</h2>
          <p>
            {texts.goneText} {texts.goneMine}
          </p>
          <div className={styles.buttons}>
            <Button onPress={() => void keeper.keepAsNew()}>{texts.keepAsNew}</Button>
          </div>
        </section>
      )}
    </>
  );
}
