import assert from 'node:assert/strict';
import type { Actor } from '../actor.ts';
import type { Area, Place } from '../area.ts';

const FLAGS = ['read', 'starred', 'answered', 'draft', 'deleted'] as const;

interface Message {
  id: string;
  raw: string;
  folder: string;
  flags: Set<string>;
  labels: string[];
  isExpunged: boolean;
}

/** Appending, flagging, moving, expunging and restoring, in two folders of its own. */
export async function startMail({ actor }: Place): Promise<Area> {
  const { random } = actor;
  const folders = [await makeFolder(actor), await makeFolder(actor)];
  const messages: Message[] = [];
  const inFolder = (folder: string) =>
    messages.filter((message) => message.folder === folder && !message.isExpunged);

  const append = async () => {
    const folder = random.pick(folders);
    const subject = random.token();
    const flags = random.chance(0.5) ? [random.pick(FLAGS)] : [];
    const raw = `Subject: ${subject}\r\n\r\n${random.bytes(random.int(2_000)).toString('base64')}`;
    const query = `label=${subject}${flags.map((flag) => `&flag=${flag}`).join('')}`;
    const { data } = await actor.must(
      {
        method: 'POST',
        path: `/v1/folders/${folder}/messages?${query}`,
        body: raw,
        headers: { 'content-type': 'message/rfc822' },
      },
      async () => [(await actor.walk(`/v1/messages?label=${subject}`)).length === 1],
    );
    messages.push({
      id: data.id,
      raw,
      folder,
      flags: new Set(flags),
      labels: [subject],
      isExpunged: false,
    });
  };

  const flag = async (folder: string) => {
    const batch = random.some(inFolder(folder));
    const label = random.token();
    const op = random.pick(['add', 'set']);
    const flags = random.some(FLAGS);
    await actor.must(
      {
        method: 'POST',
        path: `/v1/folders/${folder}/messages/flags`,
        body: { message_ids: batch.map(({ id }) => id), op, flags, labels: [label] },
      },
      () => ofEach(batch, async ({ id }) => (await record(actor, id)).labels.includes(label)),
    );
    for (const message of batch) {
      if (op === 'set') Object.assign(message, { flags: new Set(), labels: [] });
      for (const one of flags) message.flags.add(one);
      message.labels.push(label);
    }
  };

  const move = async (folder: string) => {
    const batch = random.some(inFolder(folder));
    const target = folders.find((other) => other !== folder) ?? folder;
    const { data } = await actor.must(
      {
        method: 'POST',
        path: `/v1/folders/${folder}/messages/move`,
        body: { message_ids: batch.map(({ id }) => id), to_folder_id: target },
      },
      () => ofEach(batch, async ({ id }) => (await record(actor, id)).folder_id === target),
    );
    assert.equal(data.moved, batch.length);
    for (const message of batch) message.folder = target;
  };

  const expunge = async (folder: string) => {
    const gone = inFolder(folder).filter(({ flags }) => flags.has('deleted'));
    if (gone.length === 0) return;
    const { data } = await actor.must({ method: 'POST', path: `/v1/folders/${folder}/expunge` }, async () => {
      const listed = new Set((await actor.walk(`/v1/messages?folder_id=${folder}`)).map(({ id }) => id));
      return gone.map(({ id }) => !listed.has(id));
    });
    assert.equal(data.expunged, gone.length);
    for (const message of gone) message.isExpunged = true;
  };

  const restore = async () => {
    const expunged = messages.filter(({ isExpunged }) => isExpunged);
    if (expunged.length === 0) return;
    const message = random.pick(expunged);
    await actor.must({ method: 'POST', path: `/v1/messages/${message.id}/restore` }, async () => [
      (await actor.walk(`/v1/messages?folder_id=${message.folder}`)).some(({ id }) => id === message.id),
    ]);
    message.isExpunged = false;
    message.flags.delete('deleted');
  };

  return {
    step: () => {
      const folder = random.pick(folders);
      if (inFolder(folder).length < 3) return append();
      return random.pick([append, append, flag, flag, move, expunge, restore])(folder);
    },
    prove: async () => {
      const stored = await actor.get('/v1/folders');
      for (const folder of folders) {
        const expected = inFolder(folder).map(summaryOf).sort(byId);
        const listed = await actor.walk(`/v1/messages?folder_id=${folder}`);
        assert.deepEqual(listed.map(shownOf).sort(byId), expected);
        const { message_count, unread_count } = stored.find(({ id }: { id: string }) => id === folder);
        const unread = expected.filter(({ flags }) => !flags.includes('read')).length;
        assert.deepEqual([message_count, unread_count], [expected.length, unread]);
        const unreadListed = await actor.walk(`/v1/messages?folder_id=${folder}&unread=true`);
        assert.equal(unreadListed.length, unread);
      }
      for (const { id, raw } of messages.filter(({ isExpunged }) => !isExpunged).slice(0, 20))
        assert.equal((await actor.download(`/v1/messages/${id}/raw`)).toString(), raw);
    },
  };
}

async function makeFolder(actor: Actor): Promise<string> {
  const name = actor.random.token();
  const { data } = await actor.must({ method: 'POST', path: '/v1/folders', body: { name } });
  return data.id;
}

function record(actor: Actor, id: string) {
  return actor.get(`/v1/messages/${id}`);
}

function ofEach<T>(list: readonly T[], look: (one: T) => Promise<boolean>): Promise<boolean[]> {
  return Promise.all(list.map(look));
}

interface Shown {
  id: string;
  flags: string[];
  labels: string[];
}

function summaryOf({ id, flags, labels }: Message): Shown {
  return { id, flags: FLAGS.filter((flag) => flags.has(flag)), labels };
}

function shownOf(summary: { id: string; flags: Record<string, boolean>; labels: string[] }): Shown {
  const { id, flags, labels } = summary;
  return { id, flags: FLAGS.filter((flag) => flags[flag]), labels };
}

function byId(a: Shown, b: Shown): number {
  return a.id < b.id ? -1 : 1;
}
