/** Random trees of folders and files, trashed, restored and moved, held against a plain model. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { isActive, type ModelNode, move, restore, trash } from './files-model.ts';
import { makeFolder, makePerson, type Person, putFile } from './files-world.ts';

/** What may happen; numbers choose among the nodes there are. */
type Step =
  | { do: 'create'; kind: 'file' | 'folder'; parent: number }
  | { do: 'trash' | 'restore'; node: number }
  | { do: 'move'; node: number; parent: number };

const pick = fc.nat({ max: 1_000 });
const creation = fc.record<Step & { do: 'create' }>({
  do: fc.constant('create'),
  kind: fc.constantFrom('file', 'folder', 'folder'),
  parent: pick,
});
const change = fc.oneof(
  fc.record<Step & { do: 'trash' | 'restore' }>({
    do: fc.constantFrom('trash', 'trash', 'restore'),
    node: pick,
  }),
  fc.record<Step & { do: 'move' }>({ do: fc.constant('move'), node: pick, parent: pick }),
);
/** Few nodes and many changes, so that they meet. */
const steps = fc
  .tuple(
    fc.array(creation, { minLength: 5, maxLength: 9 }),
    fc.array(fc.oneof({ weight: 6, arbitrary: change }, { weight: 1, arbitrary: creation }), {
      minLength: 10,
      maxLength: 20,
    }),
  )
  .map((parts) => parts.flat());

/** The model beside the drive that it describes. */
class Drive {
  readonly #app: TestApp;
  readonly #person: Person;
  readonly #ids = new Map<ModelNode, string>();

  constructor(app: TestApp, person: Person) {
    this.#app = app;
    this.#person = person;
  }

  async run(step: Step): Promise<void> {
    if (step.do === 'create') return this.#create(step.kind, this.#folder(step.parent));
    const node = this.#node(step.node);
    if (!node) return;
    if (step.do === 'move') return this.#move(node, this.#folder(step.parent));
    await this.#send(step.do === 'trash' ? 'DELETE' : 'POST', node, step.do);
    if (step.do === 'trash') trash(node);
    else restore(node);
  }

  async assertAlike(): Promise<void> {
    for (const trashed of [false, true]) {
      for (const kind of ['file', 'folder'] as const) {
        const shown = await this.#listed(kind, trashed);
        const expected = [...this.#ids]
          .filter(([node]) => node.kind === kind && (trashed ? node.trashed : isActive(node)))
          .map(([node, id]) => `${id} in ${this.#idOf(node.parent)}`);
        assert.deepEqual(shown.sort(), expected.sort(), `${kind}s, trashed ${trashed}`);
      }
    }
    await this.#assertEachAlike();
  }

  async #assertEachAlike(): Promise<void> {
    for (const [node, id] of this.#ids) {
      if (node.kind === 'folder') continue;
      const { data } = (await this.#app.get(`/v1/files/${id}`, this.#person)).json;
      assert.equal(data.state, isActive(node) ? 'active' : 'trashed');
      assert.equal(data.folder_id, this.#idOf(node.parent));
    }
  }

  async #create(kind: ModelNode['kind'], parent: ModelNode | undefined): Promise<void> {
    if (parent && !isActive(parent)) return this.#assertNoRoom(parent);
    const node: ModelNode = { name: `n${this.#ids.size}`, kind, parent, trashed: false };
    const folderId = this.#idOf(parent);
    const { id } =
      kind === 'folder'
        ? await makeFolder(this.#app, this.#person, node.name, folderId)
        : await putFile(this.#app, this.#person, { filename: node.name, folderId });
    this.#ids.set(node, id);
  }

  async #assertNoRoom(parent: ModelNode): Promise<void> {
    const body = { name: 'x', parent_id: this.#idOf(parent) };
    const answer = await this.#app.post('/v1/file-folders', body, this.#person);
    assert.equal(answer.json.error?.code, 'folder_trashed', answer.text);
  }

  async #move(node: ModelNode, parent: ModelNode | undefined): Promise<void> {
    const to = this.#idOf(parent);
    const body = node.kind === 'file' ? { folder_id: to } : { parent_id: to };
    const answer = await this.#app.put(this.#pathOf(node), body, this.#person);
    assert.equal(answer.json.error?.code, move(node, parent), answer.text);
  }

  async #send(method: string, node: ModelNode, what: string): Promise<void> {
    const path = `${this.#pathOf(node)}${what === 'restore' ? '/restore' : ''}`;
    const answer = await this.#app.request(method, path, this.#person);
    assert.equal(answer.status, what === 'restore' ? 200 : 204, answer.text);
  }

  async #listed(kind: ModelNode['kind'], trashed: boolean): Promise<string[]> {
    const path = kind === 'file' ? '/v1/files' : '/v1/file-folders';
    const { data } = (await this.#app.get(`${path}?trashed=${trashed}`, this.#person)).json;
    return data.map((item: Record<string, string>) => `${item.id} in ${item.folder_id ?? item.parent_id}`);
  }

  #pathOf(node: ModelNode): string {
    return `/v1/${node.kind === 'file' ? 'files' : 'file-folders'}/${this.#idOf(node)}`;
  }

  #node(choice: number): ModelNode | undefined {
    return [...this.#ids.keys()][choice % this.#ids.size];
  }

  /** A folder, or the root. */
  #folder(choice: number): ModelNode | undefined {
    const folders = [...this.#ids.keys()].filter(({ kind }) => kind === 'folder');
    return folders[choice % (folders.length + 1)];
  }

  #idOf(node: ModelNode | undefined): string {
    return (node && this.#ids.get(node)) ?? '';
  }
}

forEachEngine((engine) => {
  describe('a drive', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    test('a drive is after any steps what a plain tree is after them (FILE-8, FILE-26, FILE-28, FILE-29, FILE-57, FILE-58, FILE-60, FILE-61, FILE-62)', async () => {
      const property = fc.asyncProperty(steps, async (taken) => {
        const drive = new Drive(app, await makePerson(app));
        for (const step of taken) await drive.run(step);
        await drive.assertAlike();
      });
      await fc.assert(property, { numRuns: 20, endOnFailure: true });
    });
  });
});
