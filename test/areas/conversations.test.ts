/** Conversations over all folders, and lists narrowed by time and conversation. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { makePerson } from './files-world.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

forEachEngine((engine) => {
  describe('conversations', () => {
    let app: TestApp;
    let inbox: string;
    let archive: string;
    let thread: string;
    const day = (number: number) => new Date(Date.UTC(2026, 2, number, 12));

    before(async () => {
      app = await startApp(engine);
      [inbox, archive] = [await folderOf(app, 'inbox'), await folderOf(app, 'archive')];
      for (let i = 1; i <= 6; i++) {
        const draft = { subject: `part ${i}`, messageId: `<${i}@example.org>`, receivedAt: day(i) };
        const reply = i === 1 ? draft : { ...draft, inReplyTo: '<1@example.org>' };
        const query = `${i % 3 === 0 ? '?flag=read' : ''}${i % 2 === 0 ? `${i % 3 === 0 ? '&' : '?'}label=even` : ''}`;
        thread = (await append(app, i % 2 === 0 ? archive : inbox, rfc822(reply), { query })).thread_id;
      }
      await append(
        app,
        inbox,
        rfc822({ subject: 'alone', messageId: '<alone@example.org>', receivedAt: day(3) }),
      );
    });
    after(() => app.stop());

    const subjects = async (path: string): Promise<string[]> => {
      const all: string[] = [];
      for (let cursor = ''; ; ) {
        const answer = await app.get(
          `${path}${path.includes('?') ? '&' : '?'}limit=2${cursor && `&cursor=${cursor}`}`,
        );
        all.push(...data(answer).map(({ subject }: { subject: string }) => subject));
        if (!answer.json.pagination.has_more) return all;
        cursor = answer.json.pagination.next_cursor;
      }
    };
    const parts = (...numbers: number[]) => numbers.map((number) => `part ${number}`);

    it('are listed over all folders, oldest first (MAIL-81)', async () => {
      assert.deepEqual(await subjects(`/v1/threads/${thread}/messages`), parts(1, 2, 3, 4, 5, 6));
      const [first] = data(await app.get(`/v1/threads/${thread}/messages`));
      const listed = data(await app.get(`/v1/messages?folder_id=${inbox}`));
      assert.deepEqual(first, listed.at(-1));
    });

    it('of others, and unknown ones, are not found (MAIL-81)', async () => {
      const other = await makePerson(app);
      for (const [id, key] of [
        [thread, other.key],
        ['thr_x', undefined],
      ] as const) {
        const answer = await app.get(`/v1/threads/${id}/messages`, key === undefined ? {} : { key });
        assert.equal(answer.status, 404);
      }
    });

    it('narrow the list of messages with other filters (MAIL-82)', async () => {
      const narrowed = (filter: string) => subjects(`/v1/messages?thread_id=${thread}&${filter}`);
      assert.deepEqual(await narrowed(`folder_id=${inbox}`), parts(5, 3, 1));
      assert.deepEqual(await narrowed(`folder_id=${inbox}&folder_id=${archive}&label=even`), parts(6, 4, 2));
      assert.deepEqual(await narrowed('unread=true'), parts(5, 4, 2, 1));
      assert.deepEqual(await narrowed('flag=read'), parts(6, 3));
      assert.deepEqual(await narrowed(`label=even&before=${day(6).toISOString()}`), parts(4, 2));
      assert.deepEqual(await narrowed('folder_id=fld_x'), []);
    });

    it('a list that is narrowed to a conversation and times has the part of it that lies between (MAIL-81, MAIL-82)', async () => {
      const whole = data(await app.get(`/v1/threads/${thread}/messages`));
      const at = ({ date }: { date: string }) => Date.parse(date);
      const folders = `folder_id=${inbox}&folder_id=${archive}`;
      for (let from = 1; from <= 7; from++)
        for (let to = 1; to <= 7; to++) {
          const window = `after=${day(from).toISOString()}&before=${day(to).toISOString()}`;
          const between = whole.filter(
            (one: { date: string }) => at(one) >= +day(from) && at(one) < +day(to),
          );
          for (const narrowed of [`${folders}&${window}`, `${window}&label=even`]) {
            const isWanted = ({ labels }: { labels: string[] }) =>
              narrowed.startsWith(folders) || labels.includes('even');
            const listed = data(await app.get(`/v1/messages?thread_id=${thread}&${narrowed}`));
            assert.deepEqual(listed.toReversed(), between.filter(isWanted), narrowed);
          }
        }
    });

    it('the list of a conversation takes no filters: it is whole (MAIL-81)', async () => {
      for (const [name, value] of [
        ['before', '2026-03-04T00:00:00Z'],
        ['after', '2026-03-04T00:00:00Z'],
        ['thread_id', thread],
        ['folder_id', inbox],
      ]) {
        const answer = await app.get(`/v1/threads/${thread}/messages?${name}=${value}`);
        assert.equal(answer.status, 400);
        assert.equal(answer.json.error.code, 'validation_failed');
        assert.equal(answer.json.error.details.errors[0].parameter, name);
      }
    });

    it('lists are narrowed by times, of which after includes its own (MAIL-82)', async () => {
      const between = (filter: string, from: number, to: number) =>
        subjects(`/v1/messages?${filter}&after=${day(from).toISOString()}&before=${day(to).toISOString()}`);
      assert.deepEqual(await between(`folder_id=${inbox}`, 3, 5), ['alone', 'part 3']);
      assert.deepEqual(await between('unread=true', 2, 5), ['part 4', 'alone', 'part 2']);
      assert.deepEqual(await between('label=even', 2, 6), parts(4, 2));
      assert.deepEqual(await between('label=even&flag=read', 2, 7), parts(6));
      assert.deepEqual(await between('label=even', 5, 2), []);
      const withTwo = `/v1/messages?label=even&label=even&after=${day(3).toISOString()}`;
      assert.deepEqual(await subjects(withTwo), parts(6, 4));
    });

    it('times and conversations do not count as the filter that is required (MAIL-82)', async () => {
      for (const query of [
        `thread_id=${thread}`,
        'before=2026-01-01T00:00:00Z',
        'after=2026-01-01T00:00:00Z',
      ])
        assert.equal((await app.get(`/v1/messages?${query}`)).json.error.code, 'filter_required');
    });
  });
});
