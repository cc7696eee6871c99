import { AtriumError, type Draft } from '../../../../client/src/index.ts';
import { mayPass, pause } from '../../../../client/src/retrying.ts';
import { api } from '../../app/api.ts';
import { TakenBack } from '../../app/outbox.ts';
import { randomKey } from '../../app/random-key.ts';
import { reasonOf } from '../../app/refusals.ts';
import { language } from '../../app/texts.ts';
import { tellUnsaved } from '../../app/unsaved.ts';
import { type Content, contentOf, isEmpty, isSame } from './content.ts';
import { laneOf, unsavedId } from './draft-names.ts';
import {
  type AttachedFile,
  type KeeperState,
  OtherState,
  SAVED,
  type Start,
  UNSAVED,
  UNTOUCHED,
} from './draft-state.ts';
import { DraftWrites, type ReadyToSend } from './draft-writes.ts';
import { type KeptText, KeptTexts } from './kept-text.ts';
import { merged } from './merge.ts';
import { composeTexts } from './texts.ts';

/** Saved after this pause in writing. */
const PAUSE_MS = 1000;
const KEPT_AFTER_MS = 200;

/**
 * Keeps one draft while it is written: at each pause on the server, on the state that was read last, and until then in the
 * browser. What another window saves is merged, or told.
 */
export class DraftKeeper {
  readonly key: string;
  /** Names the draft before it has an id. */
  #name: string;
  readonly #writes: DraftWrites;
  readonly #listeners = new Set<() => void>();
  readonly #userId: string;
  #texts: KeptTexts;
  #state: KeeperState;
  #base: { state: string; content: Content } | undefined;
  #creation: KeptText['creation'];
  /** An earlier page has begun to make the draft. */
  #isBegun = false;
  #pending: Content | undefined;
  #saving: Promise<void> | undefined;
  /** What both sides of a conflict began with. */
  #undecided: Content | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;
  /** Called when the server has made the draft. */
  onCreated: (id: string) => void = () => undefined;

  constructor({ userId, key, content, draft, kept, texts, files, label }: Start) {
    this.key = key;
    this.#name = key;
    this.#userId = userId;
    this.#texts = texts;
    this.#writes = new DraftWrites(label);
    this.#state = {
      content,
      version: 0,
      id: draft?.id,
      files: new Map(files),
      condition: draft ? SAVED : UNTOUCHED,
    };
    if (draft) this.#adopt(draft);
    if (kept) this.#resume(kept);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): KeeperState => this.#state;

  /** Takes what the person has written. */
  change(part: Partial<Content>): void {
    if (this.#hasEnded || this.#state.condition.status === 'gone') return;
    // What is written here is text; kept beside it, the HTML of another program would say something else.
    const content = { ...this.#state.content, html: '', ...part };
    if (isSame(content, this.#state.content)) return;
    const isConflict = this.#state.condition.status === 'conflict';
    this.#set({ content, ...(!isConflict && { condition: UNSAVED }) });
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => this.keep(), KEPT_AFTER_MS);
    clearTimeout(this.#pause);
    if (!isConflict) this.#pause = setTimeout(() => void this.save(), PAUSE_MS);
  }

  /** Remembers name and size of a file, and attaches it. */
  attach(files: readonly ({ id: string } & AttachedFile)[]): void {
    const known = new Map(this.#state.files);
    for (const { id, name, size } of files) known.set(id, { name, size });
    this.#set({ files: known });
    this.change({ fileIds: [...new Set([...this.#state.content.fileIds, ...files.map(({ id }) => id)])] });
  }

  /** Keeps what is not saved in this browser at once. */
  keep(): void {
    clearTimeout(this.#keeping);
    if (this.#hasEnded || this.#isSaved()) return;
    const { content, condition } = this.#state;
    const { status } = condition;
    if (status === 'untouched' || status === 'gone') return;
    const base = this.#ancestor();
    const isKept = this.#texts.put({
      content,
      ...(base && { base }),
      ...(this.#pending && { pending: this.#pending }),
      ...(this.#creation && { creation: this.#creation }),
    });
    if (condition.status === 'unsaved' && condition.isKept !== isKept)
      this.#set({ condition: { status: 'unsaved', isKept } });
  }

  /** Saves until the server has what is written here; resolves also where it cannot be saved, as the state says. */
  save(): Promise<void> {
    clearTimeout(this.#pause);
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /** Saves also what nobody has changed yet, such as an answer that is sent as it begins, and what was refused. */
  saveAnyway(): Promise<void> {
    const { status } = this.#state.condition;
    if (status === 'untouched' || status === 'refused') this.#set({ condition: UNSAVED });
    return this.save();
  }

  /** Ends the keeping, such as before discarding; a save that is under way is waited for. */
  async end(): Promise<void> {
    this.#stop();
    await this.#saving;
  }

  /** Ends the keeping for a sending. What is not saved is left to the outbox, however long the server is away. */
  async handOver(): Promise<ReadyToSend> {
    const { id, content } = this.#state;
    const key = id ?? this.#name;
    const saved = this.#isSaved() ? this.#base : undefined;
    this.#stop();
    if (id !== undefined && saved) return { id, state: saved.state, key };
    const base = id === undefined || !this.#base ? undefined : { id, state: this.#base.state };
    return { key, after: await this.#writes.handOver(content, key, base, this.#creation) };
  }

  /** The composer is closed: what is not saved is saved without it, or stays in the browser. */
  leave(): void {
    this.keep();
    void this.save().finally(() => tellUnsaved(this, []));
  }

  #stop(): void {
    this.keep();
    this.#hasEnded = true;
    clearTimeout(this.#pause);
    clearTimeout(this.#keeping);
    tellUnsaved(this, []);
  }

  /** Removes what this browser has kept of the draft. */
  forget(): void {
    this.#texts.remove();
  }

  /** Another window may have saved. */
  async lookForOther(): Promise<void> {
    if (this.#saving || this.#hasEnded || this.#state.id === undefined) return;
    const draft = await this.#read();
    if (this.#saving || this.#hasEnded || !draft || draft.state === this.#base?.state) return;
    this.#merge(draft);
    if (this.#state.condition.status !== 'conflict') await this.save();
  }

  /** Decides a conflict. */
  async decide(choice: 'mine' | 'theirs' | 'both'): Promise<void> {
    const { content, condition } = this.#state;
    if (condition.status !== 'conflict') return;
    const { theirs } = condition;
    const chosen = {
      mine: content,
      theirs,
      both: { ...content, text: `${content.text}\n\n${theirs.text}` },
    }[choice];
    this.#set({ content: chosen, version: this.#state.version + 1, condition: UNSAVED });
    this.keep();
    await this.save();
  }

  /** Keeps what is written here as a new draft, where the old one has gone. */
  async keepAsNew(): Promise<void> {
    this.#base = undefined;
    this.#texts.remove();
    this.#name = `k${randomKey()}`;
    this.#texts = await KeptTexts.of(this.#userId, this.#name);
    const content = { ...this.#state.content };
    this.#set({ content, id: undefined, condition: UNSAVED });
    await this.save();
  }

  /** The draft has gone, and what this window has kept of it has not. */
  lose(): void {
    this.#set({ condition: { status: 'gone' } });
  }

  #isSaved(): boolean {
    return this.#base !== undefined && isSame(this.#base.content, this.#state.content);
  }

  async #saveAll(): Promise<void> {
    while (!this.#hasEnded && !this.#isSaved() && this.#state.condition.status === 'unsaved') {
      const sent = this.#creation?.content ?? this.#state.content;
      this.#pending = sent;
      this.keep();
      try {
        const { id } = this.#state;
        const draft = await (id === undefined
          ? this.#create(sent)
          : this.#writes.replace(id, sent, this.#base?.state));
        this.#base = { state: draft.state, content: sent };
        this.#writes.taken();
      } catch (error) {
        if (!this.#hasEnded) await this.#recover(error);
      } finally {
        this.#pending = undefined;
      }
    }
    if (!this.#isSaved() || this.#hasEnded) return;
    this.#texts.remove();
    this.#set({ condition: SAVED });
  }

  async #create(content: Content): Promise<Draft> {
    const isAgain = this.#isBegun;
    const creation = this.#creation ?? this.#writes.begin(content);
    this.#creation = creation;
    this.keep();
    const draft = await this.#writes.create(creation, this.#name, isAgain);
    this.#isBegun = false;
    this.#creation = undefined;
    if (this.#hasEnded) return draft;
    // What was typed meanwhile is kept under the new name before the old one goes.
    const earlier = this.#texts;
    this.#texts = await KeptTexts.of(this.#userId, draft.id);
    this.#set({ id: draft.id });
    this.keep();
    earlier.remove();
    this.onCreated(draft.id);
    return draft;
  }

  async #recover(error: unknown): Promise<void> {
    if (error instanceof OtherState) return this.#merge(error.draft);
    // Whoever has discarded it in the list of what is not saved wants no more of it now.
    if (error instanceof TakenBack) return this.#refuse(error);
    // The server was not asked: it could not be reached.
    if (!(error instanceof AtriumError)) return void (await pause(PAUSE_MS, undefined));
    if (error.status === 412) {
      const draft = await this.#read();
      if (draft) this.#merge(draft);
    } else if (error.status === 404 && this.#state.id !== undefined && !(await this.#read())) {
      this.keep();
    } else if (error.code === 'draft_sending' || mayPass(error)) {
      await pause(PAUSE_MS, undefined);
    } else {
      this.#creation = undefined;
      this.#refuse(error);
    }
  }

  /** The draft as the server has it; where it has gone, the state says so. */
  async #read(): Promise<Draft | undefined> {
    try {
      return await api.mail.getDraft(this.#state.id ?? '');
    } catch (error) {
      if (error instanceof AtriumError && error.status === 404) {
        if (!this.#hasEnded) this.#set({ condition: { status: 'gone' } });
      } else if (mayPass(error)) await pause(PAUSE_MS, undefined);
      else this.#refuse(error);
      return undefined;
    }
  }

  #merge(draft: Draft): void {
    const base = this.#ancestor();
    this.#undecided = undefined;
    const mine = this.#state.content;
    this.#adopt(draft);
    const theirs = this.#base?.content ?? mine;
    const content = merged(base, mine, theirs);
    if (content === undefined) this.#undecided = base;
    const version = this.#state.version + (content === undefined || isSame(content, mine) ? 0 : 1);
    this.#settle(content, theirs, version);
  }

  /** What both sides began with; while the person has not decided, that of the conflict. */
  #ancestor(): Content | undefined {
    return this.#state.condition.status === 'conflict' ? this.#undecided : this.#base?.content;
  }

  /** Takes the state of the server for the base of what follows. */
  #adopt(draft: Draft): void {
    this.#base = { state: draft.state, content: contentOf(draft) };
    const files = new Map(this.#state.files);
    for (const [index, id] of (draft.content.file_ids ?? []).entries()) {
      const attachment = draft.message.attachments[index];
      if (attachment) files.set(id, { name: attachment.filename, size: attachment.size });
    }
    this.#set({ files });
  }

  /** Goes on with what this window has kept. */
  #resume({ content, base, pending, creation }: KeptText): void {
    const theirs = this.#base?.content;
    this.#creation = creation;
    this.#isBegun = creation !== undefined;
    if (!theirs) {
      this.#set({ content, condition: { status: 'unsaved', isKept: true } });
      return void this.save();
    }
    // What was being saved when the page went has been saved after all.
    const from = pending && isSame(pending, theirs) ? pending : (creation?.content ?? base);
    this.#creation = undefined;
    this.#isBegun = false;
    this.#set({ content });
    this.#settle(merged(from, content, theirs), theirs, this.#state.version);
    if (this.#state.condition.status === 'unsaved') void this.save();
  }

  /** What follows of a merge; without a result the person decides. */
  #settle(content: Content | undefined, theirs: Content, version: number): void {
    if (content === undefined) {
      this.#set({ condition: { status: 'conflict', theirs } });
      this.keep();
      return;
    }
    const isSaved = isSame(content, theirs);
    this.#set({ content, version, condition: isSaved ? SAVED : UNSAVED });
    if (isSaved) this.#texts.remove();
    else this.keep();
  }

  #refuse(error: unknown): void {
    const reason = reasonOf(error);
    this.#set({ condition: { status: 'refused', reason } });
  }

  #set(part: Partial<KeeperState>): void {
    this.#state = { ...this.#state, ...part };
    this.#tellUnsaved();
    for (const listener of this.#listeners) listener();
  }

  #tellUnsaved(): void {
    if (this.#hasEnded) return;
    const { content, condition, id } = this.#state;
    const { status } = condition;
    const key = id ?? this.#name;
    const isSaved = status === 'untouched' || status === 'saved' || (status === 'gone' && isEmpty(content));
    tellUnsaved(
      this,
      isSaved
        ? []
        : [
            {
              id: unsavedId(key),
              label: () => composeTexts[language()].keptText(content.subject),
              state: status === 'unsaved' ? 'saving' : 'problem',
              lane: laneOf(key),
              withPage: condition.status === 'unsaved' && !condition.isKept ? 'lost' : 'kept',
            },
          ],
    );
  }
}
