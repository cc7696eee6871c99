import type { Draft } from '../../../../client/src/index.ts';
import { api } from '../../app/api.ts';
import type { RecordingApi } from '../../app/calls.ts';
import { outbox, type Sent, TakenBack } from '../../app/outbox.ts';
import { ANSWERED_ID, ANSWERED_STATE, isUncertain } from '../../app/outbox-entry.ts';
import { randomKey } from '../../app/random-key.ts';
import { session } from '../../app/session.ts';
import { bodyOf, type Content, contentOf, isSame } from './content.ts';
import { laneOf, placeOf } from './draft-names.ts';
import { OtherState } from './draft-state.ts';
import type { Creation } from './kept-text.ts';

/** A write of a draft in the outbox. */
interface UnderWay extends Sent {
  content: Content;
}

/** What a sending follows: the draft as the server has it, or the write that brings it there. */
export type ReadyToSend = { id: string; state: string; key: string } | { after: Sent; key: string };

interface Saving {
  /** Names the draft: its id, or what names it before it has one. */
  key: string;
  content: Content;
  call: (api: RecordingApi) => Promise<unknown>;
  idempotencyKey?: string;
  after?: Sent;
}

/** So many of the newest drafts are looked through for one that may have been made. */
const LOOKED_THROUGH = 100;

/** Saves one draft through the outbox: one write at a time, each once. */
export class DraftWrites {
  readonly #label: string;
  /** The last write, until its answer was taken. */
  #underWay: Promise<UnderWay> | undefined;
  #isHandedOver = false;

  /** `label` names a save in the list of what is not saved. */
  constructor(label: string) {
    this.#label = label;
  }

  /** What is to make a draft; remember it before it is given to `create`. */
  begin(content: Content): Creation {
    return { key: randomKey(), content, at: Date.now(), sessionId: outbox.lastSessionId };
  }

  /** The answer of the last write is what the next one goes by. */
  taken(): void {
    this.#underWay = undefined;
  }

  /** Makes a draft. `isAgain`: an earlier page has begun it, and may have made it. */
  async create(creation: Creation, key: string, isAgain: boolean): Promise<Draft> {
    const earlier = isAgain ? await this.#earlier(creation) : undefined;
    if (earlier) return earlier;
    if (this.#isHandedOver) throw new TakenBack('The outbox makes it');
    const { content, key: idempotencyKey } = creation;
    const body = bodyOf(content);
    const call = (to: RecordingApi) => to.mail.createDraft(body);
    const made = (await this.#write({ key, content, call, idempotencyKey })) as Draft | undefined;
    // The tab that has sent it is gone: under its key the server answers the same again.
    return made ?? api.mail.createDraft(body, { idempotencyKey });
  }

  /** Saves a draft on the state `ifMatch`. Rejects with OtherState where another window has saved it. */
  async replace(id: string, content: Content, ifMatch: string | undefined): Promise<Draft> {
    const call = (to: RecordingApi) =>
      to.mail.replaceDraft(id, bodyOf(content), ifMatch === undefined ? {} : { ifMatch });
    const answer = await this.#write({ key: id, content, call });
    if (answer) return answer as Draft;
    const draft = await api.mail.getDraft(id);
    if (isSame(contentOf(draft), content)) return draft;
    throw new OtherState(draft);
  }

  /**
   * Leaves the saving of the last content to the outbox, which does it without this page. `base` is what the server has;
   * `creation` is what an attempt was made of.
   */
  async handOver(
    content: Content,
    key: string,
    base: { id: string; state: string } | undefined,
    creation: Creation | undefined,
  ): Promise<Sent> {
    this.#isHandedOver = true;
    const first =
      (await this.#underWay) ?? (base ? undefined : await this.#addCreation(content, key, creation));
    if (first && isSame(first.content, content)) return first;
    const answered = { id: ANSWERED_ID, state: ANSWERED_STATE };
    const { id, state } = (first ? undefined : base) ?? answered;
    const body = bodyOf(content);
    const call = (to: RecordingApi) => to.mail.replaceDraft(id, body, { ifMatch: state });
    const last = await this.#add({ key, content, call, ...(first && { after: first }) });
    return { id: last.id, done: Promise.all([first?.done, last.done]).then(([, answer]) => answer) };
  }

  async #addCreation(content: Content, key: string, creation: Creation | undefined): Promise<UnderWay> {
    const { content: made, key: idempotencyKey } = creation ?? this.begin(content);
    const body = bodyOf(made);
    return this.#add({ key, content: made, call: (to) => to.mail.createDraft(body), idempotencyKey });
  }

  async #add({ key, content, ...write }: Saving): Promise<UnderWay> {
    const label = content.subject ? `${this.#label}: ${content.subject}` : this.#label;
    const { id, done } = await outbox.add({ ...write, label, lane: laneOf(key), place: placeOf(key) });
    return { id, content, done };
  }

  async #write(saving: Saving): Promise<unknown> {
    const adding = this.#add(saving);
    this.#underWay = adding;
    const { id, done } = await adding;
    try {
      return await done;
    } catch (error) {
      // The composer itself tells of it, and saves again with the next change; without it, the outbox keeps what was refused.
      if (!this.#isHandedOver) await outbox.discard(id);
      this.#underWay = undefined;
      throw error;
    }
  }

  /** The draft that an earlier page has made, or has left to the outbox to make. */
  async #earlier(creation: Creation): Promise<Draft | undefined> {
    const [entry] = await outbox.find(({ idempotencyKey }) => idempotencyKey === creation.key);
    if (entry && !entry.problem) return (await outbox.follow(entry.id)) as Draft | undefined;
    const asked = { attemptedAt: creation.at, sessionId: creation.sessionId };
    const isOpen =
      entry?.problem?.kind === 'uncertain' ||
      isUncertain(asked, await outbox.sessionId(), session.idempotencyTtlMs);
    const made = isOpen ? await findMade(creation.content) : undefined;
    if (entry) await outbox.discard(entry.id);
    // What was asked for by another session, or long ago, is asked for anew.
    if (isOpen && !made) creation.key = randomKey();
    return made;
  }
}

/** A draft of this very content. */
async function findMade(content: Content): Promise<Draft | undefined> {
  const newest = await api.mail.listMessages({ folder_id: 'drafts', limit: LOOKED_THROUGH }).first();
  for (const { id, subject } of newest.items) {
    if (subject !== content.subject) continue;
    const draft = await api.mail.getDraft(id.replace(/^msg_/, 'drf_')).catch(() => undefined);
    if (draft && isSame(contentOf(draft), content)) return draft;
  }
  return undefined;
}
