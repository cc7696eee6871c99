import assert from 'node:assert/strict';
import type { Area, Place } from '../area.ts';

interface Draft {
  id: string;
  subject: string;
}

/** Messages that are written, replaced and thrown away, and never sent. */
export async function startDrafts({ actor, person }: Place): Promise<Area> {
  const { random } = actor;
  const drafts: Draft[] = [];
  const prefix = `${random.token()}-`;
  const contentOf = (subject: string) => ({ to: [person.email], subject, text: subject });
  const listed = async () =>
    (await actor.walk('/v1/messages?flag=draft')).flatMap(({ subject }) =>
      subject?.startsWith(prefix) ? [subject] : [],
    );
  const hasOne = (subject: string) => async () => [
    (await listed()).filter((one) => one === subject).length === 1,
  ];
  const create = async () => {
    const subject = `${prefix}${random.token()}`;
    const write = { method: 'POST', path: '/v1/drafts', body: contentOf(subject) } as const;
    const { data } = await actor.must(write, hasOne(subject));
    drafts.push({ id: data.id, subject });
  };
  const replace = async (draft: Draft) => {
    const subject = `${prefix}${random.token()}`;
    const path = `/v1/drafts/${draft.id}`;
    const headers = { 'if-match': '*' };
    await actor.must({ method: 'PUT', path, body: contentOf(subject), headers }, hasOne(subject));
    draft.subject = subject;
  };
  const remove = async (draft: Draft) => {
    const isGone = async () => (await hasOne(draft.subject)()).map((isThere) => !isThere);
    await actor.must({ method: 'DELETE', path: `/v1/drafts/${draft.id}` }, isGone);
    drafts.splice(drafts.indexOf(draft), 1);
  };
  return {
    step: () =>
      drafts.length < 3 || random.chance(0.5)
        ? create()
        : random.pick([replace, replace, remove])(random.pick(drafts)),
    prove: async () => assert.deepEqual((await listed()).sort(), drafts.map(({ subject }) => subject).sort()),
  };
}
