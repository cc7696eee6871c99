import assert from 'node:assert/strict';
import { sha256 } from '../../contract/blobs-content.ts';
import type { Area, Place } from '../area.ts';

interface File {
  id: string;
  title: string;
  digest: string;
  isTrashed: boolean;
  /** The grant by which somebody else reads it. */
  grant?: string | undefined;
}

const MANY_PARTS = 0.1;
const PART = 8 * 1024 * 1024;

/** Uploads in one request and in parts, renaming, sharing, trashing and restoring, in a folder of its own. */
export async function startFiles({ actor, person, world }: Place): Promise<Area> {
  const { random } = actor;
  const made = await actor.must({
    method: 'POST',
    path: '/v1/file-folders',
    body: { name: random.token() },
  });
  const folder = made.data.id;
  const files: File[] = [];
  const listed = (query = '') => actor.walk(`/v1/files?folder_id=${folder}${query}`);
  const hasOne = (title: string) => async () => [(await listed(`&q=${title}`)).length === 1];

  const keep = (id: string, title: string, bytes: Buffer) =>
    files.push({ id, title, digest: sha256(bytes), isTrashed: false });
  const upload = async () => {
    const name = random.token();
    const bytes = random.bytes(random.int(100_000));
    const path = `/v1/files?filename=${name}&folder_id=${folder}`;
    const headers = { 'content-type': 'application/octet-stream' };
    const { data } = await actor.must({ method: 'POST', path, body: bytes, headers }, hasOne(name));
    keep(data.id, name, bytes);
  };
  const uploadParts = async () => {
    const name = random.token();
    const bytes = random.bytes((random.chance(MANY_PARTS) ? PART : 0) + 1 + random.int(50_000));
    const body = { filename: name, size: bytes.length, folder_id: folder };
    const { data } = await actor.must({ method: 'POST', path: '/v1/files/uploads', body });
    const session = `/v1/files/uploads/${data.session_id}`;
    const numbers = Array.from({ length: Math.ceil(bytes.length / data.part_size) }, (_, i) => i + 1);
    const sendPart = (number: number) =>
      actor.must({
        method: 'PUT',
        path: `${session}/parts/${number}`,
        body: bytes.subarray((number - 1) * data.part_size, number * data.part_size),
        headers: { 'content-type': 'application/octet-stream' },
      });
    await Promise.all(numbers.reverse().map(sendPart));
    const status = await actor.get(session);
    assert.deepEqual([status.received_bytes, status.missing_parts], [bytes.length, []]);
    await actor.must({ method: 'POST', path: `${session}/complete` }, hasOne(name));
    keep(data.document_id, name, bytes);
  };
  const rename = async (file: File) => {
    const title = random.token();
    await actor.must({ method: 'PUT', path: `/v1/files/${file.id}`, body: { title } }, hasOne(title));
    file.title = title;
  };
  const grantsOf = async ({ id }: File): Promise<string[]> =>
    (await actor.get(`/v1/files/${id}/permissions`)).map((grant: { id: string }) => grant.id);
  const share = async (file: File) => {
    const other = random.pick(world.people.filter(({ id }) => id !== person.id));
    const body = { principal_id: other.id, role: 'viewer' };
    const path = `/v1/files/${file.id}/permissions`;
    const isShared = async () => [(await grantsOf(file)).length === 1];
    file.grant = (await actor.must({ method: 'POST', path, body }, isShared)).data.id;
  };
  const unshare = async (file: File) => {
    const path = `/v1/files/${file.id}/permissions/${file.grant}`;
    const isPrivate = async () => [(await grantsOf(file)).length === 0];
    await actor.must({ method: 'DELETE', path }, isPrivate);
    file.grant = undefined;
  };
  const trash = async (file: File) => {
    const isGone = async () => (await hasOne(file.title)()).map((isThere) => !isThere);
    await actor.must({ method: 'DELETE', path: `/v1/files/${file.id}` }, isGone);
    file.isTrashed = true;
  };
  const restore = async (file: File) => {
    await actor.must({ method: 'POST', path: `/v1/files/${file.id}/restore` }, hasOne(file.title));
    file.isTrashed = false;
  };

  return {
    step: () => {
      if (files.length < 3 || random.chance(0.6)) return random.pick([upload, uploadParts])();
      const file = random.pick(files);
      if (file.isTrashed) return restore(file);
      return random.pick([rename, trash, file.grant === undefined ? share : unshare])(file);
    },
    prove: async () => {
      for (const isTrashed of [false, true]) {
        const expected = files.filter((file) => file.isTrashed === isTrashed);
        const found = await listed(`&trashed=${isTrashed}`);
        assert.deepEqual(
          found.map(({ id, title }) => `${id} ${title}`).sort(),
          expected.map(({ id, title }) => `${id} ${title}`).sort(),
        );
      }
      for (const file of files)
        assert.deepEqual(await grantsOf(file), file.grant === undefined ? [] : [file.grant], file.id);
      for (const { id, digest } of files)
        assert.equal(sha256(await actor.download(`/v1/files/${id}/content`)), digest, id);
    },
  };
}
