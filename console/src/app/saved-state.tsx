import { useRouter } from '@tanstack/react-router';
import { Check, CircleDot, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { type AllUnsaved, useAllUnsaved } from './all-unsaved.ts';
import { frameTexts } from './frame-texts.ts';
import { outbox, useIsCutOff } from './outbox.ts';
import { type Entry, isHeld } from './outbox-entry.ts';
import styles from './saved-state.module.css';
import { useTexts } from './texts.ts';
import { showToast } from './toasts.tsx';
import type { Unsaved } from './unsaved.ts';
import { textOf } from './write-text.ts';

/** A text that was given up, and could not be copied. */
interface Discarded {
  label: string;
  text: string;
}

/** Says truly whether everything is saved; a press lists what is not. */
export function SavedState() {
  const texts = useTexts(frameTexts);
  const all = useAllUnsaved();
  const isOnline = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const isCutOff = useIsCutOff() || !isOnline;
  const isLasting = useSyncExternalStore(outbox.subscribe, outbox.isLasting);
  const [isOpen, setOpen] = useState(false);
  const [discarded, setDiscarded] = useState<readonly Discarded[]>([]);
  const { icon, text, kind } = stateOf(all, isCutOff, texts);
  const gaveUp = async (label: string, said: string) => {
    if (said === '') return;
    const isCopied = await copied(said);
    if (isCopied) showToast({ text: texts.discardedCopied });
    else setDiscarded((earlier) => [...earlier, { label, text: said }]);
  };
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        className={styles.state}
        data-kind={kind}
        onClick={() => setOpen(true)}
        aria-live="polite"
      >
        {icon}
        <span className={kind === 'saved' ? 'visually-hidden' : styles.text}>{text}</span>
      </button>
      <Dialog title={all.count === 0 ? texts.saved : texts.notSaved} isOpen={isOpen} onClose={close}>
        {all.entries.length > 0 && isLasting && <p>{texts.notSavedText}</p>}
        {!isLasting && <p role="alert">{texts.notLasting}</p>}
        <ul className={styles.list}>
          {all.entries.map((entry) => (
            <UnsavedWrite key={entry.id} {...{ entry, isCutOff, gaveUp, close }} />
          ))}
          {all.things.map((thing) => (
            <UnsavedThing key={thing.id} {...{ thing, gaveUp, close }} />
          ))}
          {discarded.map(({ label, text: said }) => (
            <li key={said} className={styles.entry}>
              <span className={styles.label}>{texts.discarded(label)}</span>
              <Said text={said} isOpen />
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}

interface Ways {
  gaveUp(label: string, said: string): Promise<void>;
  close(): void;
}

function UnsavedWrite({ entry, isCutOff, gaveUp, close }: { entry: Entry; isCutOff: boolean } & Ways) {
  const texts = useTexts(frameTexts);
  const { id, label, problem, place, call } = entry;
  const said = textOf(call);
  const discard = async () => {
    await outbox.discard(id);
    await gaveUp(label, said);
  };
  const takeBack = async () => {
    if (await outbox.takeBack(id)) await gaveUp(label, said);
    else showToast({ text: texts.tooLate, kind: 'problem' });
  };
  const canTakeBack = !problem && entry.attemptedAt === 0 && (isCutOff || isHeld(entry, Date.now()));
  return (
    <li className={styles.entry}>
      <bdi className={styles.label}>{label}</bdi>
      <span className={styles.quiet}>{standing(entry, texts)}</span>
      {problem && said !== '' && <Said text={said} />}
      {(problem || canTakeBack || place) && (
        <span className={styles.buttons}>
          {problem && <Button onPress={() => void outbox.sendAgain(id)}>{texts.tryAgain}</Button>}
          {canTakeBack && <Button onPress={() => void takeBack()}>{texts.takeBack}</Button>}
          {place && <OpenButton place={place} onOpen={close} />}
          {problem && (
            <Button kind="danger" onPress={() => void discard()}>
              {texts.discard}
            </Button>
          )}
        </span>
      )}
    </li>
  );
}

function UnsavedThing({ thing, gaveUp, close }: { thing: Unsaved } & Ways) {
  const texts = useTexts(frameTexts);
  const { place, discard, state, detail } = thing;
  const label = thing.label();
  const states = { saving: texts.sendingNow, waiting: texts.waiting, problem: texts.needsYou };
  const giveUp = async () => {
    if (discard) await gaveUp(label, await discard());
  };
  return (
    <li className={styles.entry}>
      <bdi className={styles.label}>{label}</bdi>
      <span className={styles.quiet}>{detail?.() ?? states[state]}</span>
      {(place || discard) && (
        <span className={styles.buttons}>
          {place && <OpenButton place={place} onOpen={close} />}
          {discard && (
            <Button kind="danger" onPress={() => void giveUp()}>
              {texts.discard}
            </Button>
          )}
        </span>
      )}
    </li>
  );
}

function OpenButton({ place, onOpen }: { place: string; onOpen(): void }) {
  const texts = useTexts(frameTexts);
  const router = useRouter();
  const open = () => {
    onOpen();
    router.history.push(place);
  };
  return <Button onPress={open}>{texts.open}</Button>;
}

function Said({ text, isOpen = false }: { text: string; isOpen?: boolean }) {
  const texts = useTexts(frameTexts);
  return (
    <details open={isOpen}>
      <summary>{texts.whatItSays}</summary>
      <pre className={styles.said} dir="auto">
        {text}
      </pre>
    </details>
  );
}

function standing(entry: Entry, texts: typeof frameTexts.en): string {
  const { problem, attemptedAt } = entry;
  if (problem?.kind === 'uncertain') return texts.uncertain;
  if (problem?.kind === 'failed') return texts.failed(problem.message);
  if (problem) return problem.message;
  if (isHeld(entry, Date.now())) return texts.held;
  return attemptedAt > 0 ? texts.sendingNow : texts.waiting;
}

function stateOf({ count, problems, moving }: AllUnsaved, isCutOff: boolean, texts: typeof frameTexts.en) {
  if (problems > 0) return { icon: <TriangleAlert />, text: texts.problems(problems), kind: 'problem' };
  if (isCutOff) return { icon: <CloudOff />, text: texts.offline(count), kind: 'offline' };
  if (moving > 0) return { icon: <LoaderCircle />, text: texts.saving(moving), kind: 'saving' };
  if (count > 0) return { icon: <CircleDot />, text: texts.unsaved(count), kind: 'unsaved' };
  return { icon: <Check />, text: texts.saved, kind: 'saved' };
}

/** Browsers give no clipboard to pages of a plain address in the network. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function subscribeOnline(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
