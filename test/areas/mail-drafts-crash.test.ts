/** The server is killed while drafts are sent: each has left exactly once when its request is repeated. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendWrite } from '../api/nodes.ts';
import { forEachEngine, freshDatabase, type TestDatabase } from '../engines.ts';
import { OWNER_KEY } from '../harness.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';

const DRAFTS = 24;
const ROUNDS = 3;

/** Folders and messages as listings show them. */
type Listed = { id: string; role: string; subject: string }[];

/** A draft, the request that sends it, and what that was answered. */
interface Draft {
  id: string;
  subject: string;
  idempotencyKey: string;
  answer: string;
}

forEachEngine((engine) => {
  describe('drafts whose server is killed', () => {
    let storage: TestDatabase;
    let server: ServedProcess;
    const start = async () => {
      server = await serveProcess({
        ATRIUM_DATA_DIR: storage.dataDir,
        ATRIUM_DATABASE_URL: storage.databaseUrl ?? '',
        ATRIUM_DOMAIN: 'home.example',
        ATRIUM_OWNER_EMAIL: 'ada@home.example',
      });
    };
    before(async () => {
      storage = await freshDatabase(engine);
      await start();
    });
    after(async () => {
      await server.kill();
      await storage.remove();
    });

    const post = (path: string, body: object | undefined, idempotencyKey: string = randomUUID()) =>
      sendWrite(server.address, { path, body: body ? JSON.stringify(body) : '', idempotencyKey });
    const get = async (path: string) => {
      const answer = await fetch(`${server.address}${path}`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      return { status: answer.status, json: (await answer.json()) as { data: Listed } };
    };
    const subjectsIn = async (role: string): Promise<string[]> => {
      const folders = (await get('/v1/folders')).json.data;
      const { id } = folders.find((folder) => folder.role === role) ?? {};
      const { data } = (await get(`/v1/messages?folder_id=${id}&limit=200`)).json;
      return data.map(({ subject }) => subject);
    };

    for (let round = 0; round < ROUNDS; round++) {
      it(`each draft is sent once, or is still there: round ${round + 1} (MAIL-89, MAIL-90)`, async () => {
        const drafts: Draft[] = [];
        for (let i = 0; i < DRAFTS; i++) {
          const subject = randomUUID();
          // Every third one is stored as a blob.
          const text = 'x'.repeat(i % 3 === 0 ? 150_000 : 10);
          const { status, text: answer } = await post('/v1/drafts', {
            to: ['ada@home.example'],
            subject,
            text,
          });
          assert.equal(status, 201, answer);
          drafts.push({ id: JSON.parse(answer).data.id, subject, idempotencyKey: randomUUID(), answer: '' });
        }
        const sent = drafts.map(async (draft) => {
          draft.answer = (await post(`/v1/drafts/${draft.id}/send`, undefined, draft.idempotencyKey)).text;
        });
        await Promise.all([Promise.allSettled(sent), sleep(30 + 60 * round).then(() => server.kill())]);
        await start();
        const [here, gone] = [await subjectsIn('drafts'), await subjectsIn('inbox')];
        for (const { id, subject } of drafts) {
          const isDraft = (await get(`/v1/drafts/${id}`)).status === 200;
          assert.deepEqual([here.includes(subject), gone.includes(subject)], [isDraft, !isDraft]);
        }
        for (const { id, idempotencyKey, answer } of drafts) {
          const again = await post(`/v1/drafts/${id}/send`, undefined, idempotencyKey);
          assert.equal(again.status, 200, again.text);
          if (answer !== '') assert.equal(again.text, answer);
          assert.equal((await post(`/v1/drafts/${id}/send`, undefined)).status, 404);
        }
        for (const role of ['inbox', 'sent']) {
          const subjects = await subjectsIn(role);
          for (const { subject } of drafts) assert.equal(subjects.filter((one) => one === subject).length, 1);
        }
        const left = await subjectsIn('drafts');
        assert.deepEqual(
          left.filter((one) => drafts.some(({ subject }) => subject === one)),
          [],
        );
      });
    }
  });
});
