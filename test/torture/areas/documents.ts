import assert from 'node:assert/strict';
import type { Actor, Write } from '../actor.ts';
import type { Area, Place, World } from '../area.ts';

/** Writing on the state that was read, in a document of its own and in one that all write. */
export async function startDocuments({ actor, world }: Place): Promise<Area> {
  const { random } = actor;
  const body = { type: 'document', title: random.token() };
  const { id } = (await actor.must({ method: 'POST', path: '/v1/documents', body })).data;
  const contents: string[] = [''];
  const text = () => `# ${random.token()}\n\n${random.bytes(random.int(3_000)).toString('hex')}`;
  let state = '*';

  const writeOwn = async () => {
    const content = text();
    const { data } = await actor.must(replacing(id, content, state), async () => [
      (await contentOf(actor, id)) === content,
    ]);
    contents.push(content);
    assert.equal(data.revision, contents.length, 'a revision too many or too few');
    state = data.state;
  };
  const writeShared = async () => {
    const content = text();
    const revisions = await actor.get(`/v1/documents/${world.document}/revisions?limit=1`);
    const answer = await actor.write(replacing(world.document, content, revisions[0].state));
    if (answer.status === 412) return;
    assert.equal(answer.status, 200, answer.text);
    const { revision } = answer.data;
    assert.ok(!world.shared.revisions.has(revision), `revision ${revision} was acknowledged twice`);
    world.shared.revisions.set(revision, content);
  };

  return {
    step: () => random.pick([writeOwn, writeShared])(),
    prove: () => proveRevisions(actor, id, new Map(contents.map((content, i) => [i + 1, content]))),
  };
}

/** Every revision that is there was acknowledged, and the other way round. */
async function proveRevisions(
  actor: Actor,
  id: string,
  contents: ReadonlyMap<number, string>,
): Promise<void> {
  const revisions = await actor.walk(`/v1/documents/${id}/revisions`);
  assert.deepEqual(
    revisions.map(({ revision }) => revision),
    Array.from({ length: contents.size }, (_, i) => contents.size - i),
  );
  for (const [revision, content] of contents)
    assert.equal((await actor.download(`/v1/documents/${id}/revisions/${revision}`)).toString(), content);
}

export async function proveSharedDocument(actor: Actor, { document, shared }: World): Promise<void> {
  await proveRevisions(actor, document, new Map([[1, ''], ...shared.revisions]));
}

function replacing(id: string, body: string, state: string): Write {
  const headers = { 'content-type': 'text/markdown', 'if-match': state === '*' ? state : `"${state}"` };
  return { method: 'PUT', path: `/v1/documents/${id}/content`, body, headers };
}

async function contentOf(actor: Actor, id: string): Promise<string> {
  return (await actor.download(`/v1/documents/${id}/content`)).toString();
}
