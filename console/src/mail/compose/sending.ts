import { outbox, TakenBack } from '../../app/outbox.ts';
import { ANSWERED_ID, ANSWERED_STATE, type Entry } from '../../app/outbox-entry.ts';
import { reasonOf } from '../../app/refusals.ts';
import { showToast, UNDO_MS } from '../../app/toasts.tsx';
import { isDraftId, keyOf, laneOf, placeOf } from './draft-names.ts';
import type { ReadyToSend } from './draft-writes.ts';
import { KeptTexts } from './kept-text.ts';
import { draftIdIn, isSending, keptIn, ofDraft } from './waiting-writes.ts';

export interface SendingWords {
  sending: string;
  sendingLater: string;
  sent: string;
  tooLate: string;
  open: string;
  label: string;
  notSent(reason: string): string;
}

/** Where a draft is written: its id, or before it has one what names it. */
export interface Where {
  id?: string | undefined;
  key: string;
}

/**
 * Sends a draft, as soon as it is saved, after ten seconds in which it can be taken back; `onBack` shows it again. What the
 * server refuses stays a draft: its reason is told here, and kept for the composer by the outbox.
 */
export async function sendHeld(
  userId: string,
  ready: ReadyToSend,
  words: SendingWords,
  onBack: (where: Where) => void,
): Promise<void> {
  const { key } = ready;
  const [id, state, after] =
    'after' in ready ? [ANSWERED_ID, ANSWERED_STATE, ready.after] : [ready.id, ready.state];
  const { id: write, done } = await outbox.add({
    call: (api) => api.mail.sendDraft(id, { ifMatch: state }),
    label: words.label,
    lane: laneOf(key),
    heldFor: UNDO_MS,
    after,
    place: placeOf(key),
  });
  const undo = async () => {
    const where = await takeBackSending(write, userId);
    if (where) onBack(where);
    else showToast({ text: words.tooLate, kind: 'problem' });
  };
  const text = outbox.isCutOff() || !navigator.onLine ? words.sendingLater : words.sending;
  const remove = showToast({ text, undo: () => void undo() });
  Promise.all([done, after?.done]).then(
    () => {
      remove();
      showToast({ text: words.sent });
    },
    (error: unknown) => {
      if (error instanceof TakenBack) return;
      remove();
      const reason = reasonOf(error);
      const action = { label: words.open, run: () => onBack(whereOf(key)) };
      showToast({ text: words.notSent(reason), kind: 'problem', action });
    },
  );
}

/** Takes a sending back. Resolves to where its text is; to undefined where it is too late. */
export async function takeBackSending(id: number, userId: string): Promise<Where | undefined> {
  const [sending] = await outbox.find((entry) => entry.id === id);
  if (!sending) return undefined;
  const key = keyOf(sending.lane);
  // Before it is taken back: its saves may be done in the same moment.
  const waiting = await outbox.find(ofDraft(key));
  const taken = await outbox.takeBack(id);
  if (!taken) return undefined;
  const draftId = draftIdIn(taken.call);
  const isSaved = taken.after === undefined && draftId !== undefined;
  if (isSaved) return { id: draftId, key };
  await restore(userId, key, waiting);
  return whereOf(key);
}

function whereOf(key: string): Where {
  return isDraftId(key) ? { id: key, key } : { key };
}

/** Keeps the text of what is not saved yet for the composer, which saves it from then on. */
async function restore(userId: string, key: string, waiting: readonly Entry[]): Promise<void> {
  const saves = waiting.filter((entry) => !isSending(entry));
  const kept = keptIn(saves);
  if (!kept || !(await KeptTexts.of(userId, key)).put(kept)) return;
  for (const { id } of saves.toReversed()) await outbox.takeBack(id);
}
