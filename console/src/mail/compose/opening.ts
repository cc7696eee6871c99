import { AtriumError, type Draft, type Message } from '../../../../client/src/index.ts';
import { mayPass } from '../../../../client/src/retrying.ts';
import { api } from '../../app/api.ts';
import { outbox } from '../../app/outbox.ts';
import { ANSWERED_ID, type Entry } from '../../app/outbox-entry.ts';
import { recipientsIn, withoutRepeats, written } from './addresses.ts';
import { type Content, contentOf, isEmpty, NOTHING } from './content.ts';
import { DraftKeeper } from './draft-keeper.ts';
import { type KeptText, KeptTexts } from './kept-text.ts';
import { begun, type Mode, type QuoteWords } from './quoting.ts';
import { draftIdIn, isSending, keptIn, ofDraft, sendingIn } from './waiting-writes.ts';

export interface Wanted {
  userId: string;
  email: string;
  /** "new", or the id of a draft. */
  draftId: string;
  query: Record<string, string | undefined>;
  words: QuoteWords & { when(at: string): string; save: string };
}

export type Opened =
  | {
      keeper: DraftKeeper;
      /** Why the server has not sent it. */
      notSent?: string;
      /** The message whose attachments go along. */
      forwarded?: Message;
    }
  | { sending: Entry }
  /** The server has made the draft meanwhile: it has an address of its own. */
  | { isAt: string }
  | 'gone';

const MODES: readonly string[] = ['reply', 'reply-all', 'forward'] satisfies Mode[];

/** What the address asks for: a new message, an answer, or a draft. */
export async function open(wanted: Wanted): Promise<Opened> {
  return wanted.draftId === 'new' ? openNew(wanted) : openDraft(wanted);
}

async function openNew({ userId, email, query, words }: Wanted): Promise<Opened> {
  const key = query.key ?? '';
  const entries = await outbox.find(ofDraft(key));
  const sending = sendingIn(entries);
  if (sending) return { sending };
  const made = entries
    .map(({ call }) => draftIdIn(call))
    .find((id) => id !== undefined && id !== ANSWERED_ID);
  if (made !== undefined) return { isAt: made };
  const texts = await KeptTexts.of(userId, key);
  const start = { userId, key, texts, label: words.save };
  const { kept, notSent } = await takeLeft(texts, entries);
  if (kept) {
    const keeper = new DraftKeeper({ ...start, content: kept.content, kept });
    return notSent === undefined ? { keeper } : { keeper, notSent };
  }
  const message = query.message && MODES.includes(query.mode ?? '') ? await read(query.message) : undefined;
  const content = message
    ? begun(query.mode as Mode, message, await ownAddresses(email), words, words.when(message.date))
    : NOTHING;
  const people = (name: 'to' | 'cc' | 'bcc') =>
    withoutRepeats([...content[name], ...recipientsIn(query[name] ?? '').recipients.map(written)]);
  const filled: Content = {
    ...content,
    to: people('to'),
    cc: people('cc'),
    bcc: people('bcc'),
    subject: content.subject || (query.subject ?? ''),
  };
  const keeper = new DraftKeeper({ ...start, content: filled, kept: undefined });
  return message && query.mode === 'forward' ? { keeper, forwarded: message } : { keeper };
}

async function openDraft({ userId, draftId, words }: Wanted): Promise<Opened> {
  const sending = sendingIn(await outbox.find(ofDraft(draftId)));
  if (sending) return { sending };
  const entries = await settled(draftId);
  const texts = await KeptTexts.of(userId, draftId);
  const draft = await readDraft(draftId);
  const { kept, notSent } = await takeLeft(texts, entries, draft);
  const start = { userId, key: draftId, texts, label: words.save };
  if (!draft) {
    if (!kept || isEmpty(kept.content)) return 'gone';
    const keeper = new DraftKeeper({ ...start, content: kept.content, kept: undefined });
    keeper.lose();
    return { keeper };
  }
  const keeper = new DraftKeeper({ ...start, content: contentOf(draft), draft, kept });
  return notSent === undefined ? { keeper } : { keeper, notSent };
}

/**
 * What this browser has of a draft beyond the server: the text that a window has kept, or that the outbox holds and will not
 * send, and why it was not sent.
 */
async function takeLeft(
  texts: KeptTexts,
  entries: readonly Entry[],
  draft?: Draft,
): Promise<{ kept: KeptText | undefined; notSent: string | undefined }> {
  const saves = entries.filter((entry) => !isSending(entry));
  const found = (await texts.take()) ?? keptIn(saves);
  // Nobody else has saved the draft since.
  const isBase = draft !== undefined && found?.baseState === draft.state;
  const kept = found && isBase ? { ...found, base: contentOf(draft) } : found;
  // Before it leaves the outbox.
  if (kept) texts.put(kept);
  const refused = entries.find(({ problem }) => problem);
  for (const { id, problem } of entries.toReversed())
    if (problem) await outbox.discard(id);
    // What is under way goes on; the composer follows it by its key.
    else await outbox.takeBack(id);
  const notSent = entries.some(isSending) ? refused?.problem?.message : undefined;
  return { kept, notSent };
}

/** Waits until what an earlier page has written of the draft is saved, and returns what is left. */
function settled(draftId: string): Promise<Entry[]> {
  return new Promise((resolve) => {
    const look = async () => {
      const entries = await outbox.find(ofDraft(draftId));
      const hasProblem = entries.some(({ problem }) => problem);
      if (!hasProblem && entries.some((entry) => !isSending(entry))) return;
      stop();
      resolve(entries);
    };
    const stop = outbox.subscribe(() => void look());
    void look();
  });
}

async function readDraft(id: string): Promise<Draft | undefined> {
  try {
    return await api.mail.getDraft(id);
  } catch (error) {
    if (error instanceof AtriumError && error.status === 404) return undefined;
    throw error;
  }
}

async function read(id: string): Promise<Message> {
  return api.mail.getMessage(id);
}

/** Who may not read the directory still has the address of the session. */
async function ownAddresses(email: string): Promise<string[]> {
  try {
    return [email, ...(await api.directory.getOwnUser()).aliases];
  } catch (error) {
    if (mayPass(error)) throw error;
    return [email];
  }
}
