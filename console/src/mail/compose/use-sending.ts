import { useState } from 'react';
import { flushSync } from 'react-dom';
import { outbox } from '../../app/outbox.ts';
import { useStayAt } from '../../app/still-here.ts';
import { showToast, UNDO_MS } from '../../app/toasts.tsx';
import { recipientsIn, withoutRepeats, written } from './addresses.ts';
import { isEmpty } from './content.ts';
import type { DraftKeeper } from './draft-keeper.ts';
import { laneOf } from './draft-names.ts';
import { sendHeld, type Where } from './sending.ts';
import type { ComposeTexts } from './texts.ts';

export type Field = 'to' | 'cc' | 'bcc';

interface Leaving {
  userId: string;
  keeper: DraftKeeper;
  texts: ComposeTexts;
  /** What is typed into the fields of recipients and not taken yet. */
  typed: Record<Field, string>;
  isUploading: boolean;
  /** Leaves the composer. */
  onLeave(): void;
  /** Comes back to it. */
  onBack(where: Where): void;
}

/** Sending and discarding: what has to hold before, and how each is taken back. */
export function useSending({ userId, keeper, texts, typed, isUploading, onLeave, onBack }: Leaving) {
  const [problem, setProblem] = useState<string>();
  const [question, setQuestion] = useState<'subject' | 'discard'>();
  const [isSending, setSending] = useState(false);
  const [hasEnded, setEnded] = useState(false);
  const stay = useStayAt();
  // The fields go before a toast offers to undo: the key z is a letter in them.
  const endWriting = () => flushSync(() => setEnded(true));

  const send = async (isSubjectAsked = false) => {
    if (isSending) return;
    const wrong = takeTyped(keeper, typed, texts) ?? (isUploading ? texts.uploading : undefined);
    setProblem(wrong);
    if (wrong !== undefined) return;
    const { subject } = keeper.state().content;
    if (subject.trim() === '' && !isSubjectAsked) return setQuestion('subject');
    setSending(true);
    const isReady = await canBeSent(keeper);
    const isStillThere = stay();
    if (isReady) {
      const ready = await keeper.handOver();
      endWriting();
      const label = `${texts.sendMessage}: ${subject}`;
      await sendHeld(userId, ready, { ...texts, label }, onBack);
      keeper.forget();
      if (isStillThere()) onLeave();
    } else setProblem(texts.decideFirst);
    setSending(false);
  };

  const discard = async () => {
    const isStillThere = stay();
    await keeper.end();
    endWriting();
    const { id } = keeper.state();
    const remove = id === undefined ? undefined : await removeDraft(id, texts.discardDraft);
    const forgetting = setTimeout(() => keeper.forget(), UNDO_MS);
    const undo = async () => {
      clearTimeout(forgetting);
      await remove?.undo();
      onBack({ id, key: keeper.key });
    };
    showToast({ text: texts.discarded, undo: () => void undo() });
    if (isStillThere()) onLeave();
  };
  const askToDiscard = () => {
    const { condition, id, content } = keeper.state();
    const isWritten = condition.status !== 'untouched' || id !== undefined;
    if (isWritten && !isEmpty(content)) setQuestion('discard');
    else void discard();
  };
  return { askToDiscard, problem, setProblem, question, setQuestion, isSending, hasEnded, send, discard };
}

/** What was refused is tried again first; what the person has to decide about is not sent. */
async function canBeSent(keeper: DraftKeeper): Promise<boolean> {
  if (keeper.state().condition.status === 'refused') await keeper.saveAnyway();
  const { status } = keeper.state().condition;
  return status !== 'refused' && status !== 'conflict' && status !== 'gone';
}

/** Takes what is typed for recipients. Returns what is wrong. */
function takeTyped(
  keeper: DraftKeeper,
  typed: Record<Field, string>,
  texts: ComposeTexts,
): string | undefined {
  const { content } = keeper.state();
  let count = 0;
  for (const field of ['to', 'cc', 'bcc'] as const) {
    const { recipients, rest } = recipientsIn(typed[field]);
    if (rest) return texts.noAddress(rest);
    const all = withoutRepeats([...content[field], ...recipients.map(written)]);
    count += all.length;
    if (recipients.length > 0) keeper.change({ [field]: all });
  }
  return count === 0 ? texts.noRecipients : undefined;
}

async function removeDraft(id: string, label: string): Promise<{ undo(): Promise<void> }> {
  const lane = laneOf(id);
  const { id: write, done } = await outbox.add({ call: (api) => api.mail.deleteDraft(id), label, lane });
  // It has gone already.
  done.catch(() => void outbox.discard(write));
  const undo = async () => {
    if (await outbox.takeBack(write)) return;
    const messageId = `msg_${id.slice(id.indexOf('_') + 1)}`;
    const restored = await outbox.add({ call: (api) => api.mail.restoreMessage(messageId), label, lane });
    await restored.done.catch(() => undefined);
  };
  return { undo };
}
