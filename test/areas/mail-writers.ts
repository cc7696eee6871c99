/** Writers that change one mailbox at once, each by a plan that chance has made. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { FLAGS, type Flag } from '../../src/areas/mail/changes/flags.ts';
import type { Answer, TestApp } from '../harness.ts';
import type { ModelWrite } from './mail-model.ts';
import { rfc822 } from './mail-world.ts';

const WRITERS = 50;
export const LABELS = ['work', 'Work', 'ü', "';--", 'a",'];
const CONVERSATIONS = 12;

/** A write before it is known which messages there are. */
export interface Plan {
  kind: 'append' | 'mark' | 'move' | 'expunge' | 'restore';
  /** Whom it picks among the messages or folders, as numbers without end. */
  picks: number[];
  op: 'add' | 'remove' | 'set';
  flags: Flag[] | undefined;
  labels: string[] | undefined;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('mark' as const) },
    { weight: 3, arbitrary: fc.constant('move' as const) },
    { weight: 2, arbitrary: fc.constant('append' as const) },
    { weight: 1, arbitrary: fc.constant('expunge' as const) },
    { weight: 2, arbitrary: fc.constant('restore' as const) },
  ),
  picks: fc.array(fc.nat(), { minLength: 4, maxLength: 8 }),
  op: fc.constantFrom('add', 'remove', 'set'),
  flags: fc.option(fc.subarray([...FLAGS]), { nil: undefined }),
  labels: fc.option(fc.shuffledSubarray(LABELS), { nil: undefined }),
});
/** What each writer does, one after the other. */
export const programs = fc.array(fc.array(plans, { minLength: 4, maxLength: 6 }), {
  minLength: WRITERS,
  maxLength: WRITERS,
});

/** A write and what came of it. */
export interface Sent {
  write: ModelWrite;
  idempotencyKey: string;
  answer: Answer;
}

/** One mailbox, and where the writers believe that its messages are. */
export class Mailbox {
  readonly believed = new Map<string, string>();
  readonly sent: Sent[] = [];
  readonly #app: TestApp;
  readonly userId: string;
  readonly key: string;
  readonly folders: readonly string[];

  constructor(app: TestApp, user: { id: string; key: string }, folders: readonly string[]) {
    this.#app = app;
    this.userId = user.id;
    this.key = user.key;
    this.folders = folders;
  }

  async run(plan: Plan): Promise<void> {
    const write = this.#write(plan);
    const idempotencyKey = randomUUID();
    const answer = await this.#send(write, idempotencyKey);
    this.sent.push({ write, idempotencyKey, answer });
    if (answer.status >= 300) assert.equal(answer.json.error.code, 'messages_not_in_folder', answer.text);
    else this.#believe(write, answer);
  }

  #write({ kind, picks, op, flags, labels }: Plan): ModelWrite {
    const [first = 0, second = 0, ...others] = picks;
    const known = [...this.believed.keys()];
    const pick = (number: number) => known[number % known.length] ?? '';
    const one = pick(first);
    const believed = this.believed.get(one) ?? '';
    const folder = this.folders[first % this.folders.length] ?? '';
    // Mostly where its messages are believed to be: a batch that is refused shows little.
    const ids = [one, ...others.map(pick).filter((id) => this.believed.get(id) === believed)];
    if (kind === 'append' || known.length === 0) {
      const links = others.slice(0, 2).map((number) => `<${number % CONVERSATIONS}@t.example>`);
      return { kind: 'append', folder, flags: flags ?? [], labels: labels ?? [], links };
    }
    if (kind === 'restore') return { kind, id: one };
    if (kind === 'expunge') return { kind, folder };
    if (kind === 'move') {
      return { kind, folder: believed, ids, to: this.folders[second % this.folders.length] ?? '' };
    }
    return { kind, folder: believed, ids, op, ...(flags && { flags }), ...(labels && { labels }) };
  }

  #send(write: ModelWrite, idempotencyKey: string): Promise<Answer> {
    const options = { key: this.key, idempotencyKey };
    const post = (path: string, body?: object) => this.#app.post(path, body, options);
    switch (write.kind) {
      case 'append': {
        const [messageId = '', ...references] = write.links;
        const marks = [
          ...write.flags.map((flag) => `flag=${flag}`),
          ...write.labels.map((label) => `label=${encodeURIComponent(label)}`),
        ];
        return this.#app.post(
          `/v1/folders/${write.folder}/messages?${marks.join('&')}`,
          rfc822({ messageId, references }),
          { ...options, headers: { 'content-type': 'message/rfc822' } },
        );
      }
      case 'mark': {
        const { folder, ids, kind: _, ...change } = write;
        return post(`/v1/folders/${folder}/messages/flags`, { message_ids: ids, ...change });
      }
      case 'move':
        return post(`/v1/folders/${write.folder}/messages/move`, {
          message_ids: write.ids,
          to_folder_id: write.to,
        });
      case 'expunge':
        return post(`/v1/folders/${write.folder}/expunge`);
      case 'restore':
        return post(`/v1/messages/${write.id}/restore`);
    }
  }

  #believe(write: ModelWrite, { json }: Answer): void {
    if (write.kind === 'move') for (const id of write.ids) this.believed.set(id, write.to);
    if (write.kind === 'append' || write.kind === 'restore')
      this.believed.set(json.data.id, json.data.folder_id);
  }
}
