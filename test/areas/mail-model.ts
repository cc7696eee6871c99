/** A mailbox as plain objects: what each write does to it, told as simply as can be. */
import { FLAGS, type Flag } from '../../src/areas/mail/changes/flags.ts';

export interface ModelMessage {
  id: string;
  folder: string;
  flags: Set<Flag>;
  labels: string[];
  expunged: boolean;
  /** The Message-IDs that it has or names. */
  links: string[];
}

export type ModelWrite =
  | { kind: 'append'; folder: string; flags: Flag[]; labels: string[]; links: string[] }
  | {
      kind: 'mark';
      folder: string;
      ids: string[];
      op: 'add' | 'remove' | 'set';
      flags?: Flag[];
      labels?: string[];
    }
  | { kind: 'move'; folder: string; ids: string[]; to: string }
  | { kind: 'expunge'; folder: string }
  | { kind: 'restore'; id: string };

export class ModelMailbox {
  readonly messages = new Map<string, ModelMessage>();

  /** Does what the write says; answers what the API has to. An append takes the id that the API gave. */
  apply(write: ModelWrite, appendedId: string): unknown {
    switch (write.kind) {
      case 'append':
        return this.#append(write, appendedId);
      case 'mark':
        return this.#mark(write);
      case 'move':
        return this.#move(write);
      case 'expunge':
        return this.#expunge(write.folder);
      case 'restore':
        return this.#restore(write.id);
    }
  }

  /** Those that listings show. */
  get active(): ModelMessage[] {
    return [...this.messages.values()].filter(({ expunged }) => !expunged);
  }

  /** The conversations, each as the sorted ids of its messages that listings show. */
  get threads(): string[][] {
    const groups: { links: Set<string>; ids: string[] }[] = [];
    for (const { id, links, expunged } of this.messages.values()) {
      const joined = groups.filter((group) => links.some((link) => group.links.has(link)));
      const all = new Set([...links, ...joined.flatMap((group) => [...group.links])]);
      const ids = [...joined.flatMap((group) => group.ids), ...(expunged ? [] : [id])];
      for (const group of joined) groups.splice(groups.indexOf(group), 1);
      groups.push({ links: all, ids });
    }
    return groups.map(({ ids }) => ids.sort()).filter((ids) => ids.length > 0);
  }

  #append({ folder, flags, labels, links }: ModelWrite & { kind: 'append' }, id: string) {
    const message = {
      id,
      folder,
      flags: new Set(flags),
      labels: [...new Set(labels)],
      expunged: false,
      links,
    };
    this.messages.set(id, message);
    return summaryOf(message);
  }

  #mark(write: ModelWrite & { kind: 'mark' }) {
    const { op, flags = [], labels = [] } = write;
    return this.#batch(write).map((message) => {
      if (op === 'add') for (const flag of flags) message.flags.add(flag);
      if (op === 'remove') for (const flag of flags) message.flags.delete(flag);
      if (op === 'set') message.flags = new Set(flags);
      if (op !== 'add') message.labels = message.labels.filter((l) => labels.includes(l) === (op === 'set'));
      if (op !== 'remove') for (const l of labels) if (!message.labels.includes(l)) message.labels.push(l);
      const { folder: _, ...result } = summaryOf(message);
      return result;
    });
  }

  #move(write: ModelWrite & { kind: 'move' }) {
    const batch = this.#batch(write);
    for (const message of batch) message.folder = write.to;
    return { moved: write.to === write.folder ? 0 : batch.length, to_folder_id: write.to };
  }

  #expunge(folder: string) {
    const gone = this.active.filter((message) => message.folder === folder && message.flags.has('deleted'));
    for (const message of gone) message.expunged = true;
    return { expunged: gone.length };
  }

  #restore(id: string) {
    const message = this.messages.get(id);
    if (!message) throw new Error(`${id} was never appended`);
    if (message.expunged) message.flags.delete('deleted');
    message.expunged = false;
    return summaryOf(message);
  }

  /** The API has accepted the batch, so all of it must be in the folder. */
  #batch({ folder, ids }: { folder: string; ids: string[] }): ModelMessage[] {
    return [...new Set(ids)].map((id) => {
      const message = this.messages.get(id);
      if (!message || message.expunged || message.folder !== folder)
        throw new Error(`${id} was accepted though it is not in ${folder}`);
      return message;
    });
  }
}

/** What of a message the model tells, with all five flags. */
export function summaryOf({ id, folder, flags, labels }: ModelMessage) {
  return {
    id,
    folder,
    flags: Object.fromEntries(FLAGS.map((flag) => [flag, flags.has(flag)])),
    labels: [...labels],
  };
}
