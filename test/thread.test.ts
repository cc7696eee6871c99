import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onBehalfOf } from '../src/turns/current-user.ts';
import { TooManyWaiting } from '../src/turns/fair-queue.ts';
import { Thread, type ThreadOptions } from '../src/turns/thread.ts';
import { eventually } from './eventually.ts';

function threadOf(options: Partial<ThreadOptions> = {}): Thread<string, string> {
  const module = new URL('./thread.child.ts', import.meta.url);
  return new Thread({ module, timeoutMs: 5_000, heapMegabytes: 64, ...options });
}

describe('a thread', () => {
  for (const question of ['for ever', 'fail', 'end', 'memory']) {
    it(`answers who waits behind "${question}" all the same`, async () => {
      // Until then it is busy.
      const thread = threadOf(question === 'for ever' ? { timeoutMs: 1_500 } : {});
      const answers = await Promise.allSettled(['a', question, 'b', question, 'c'].map((q) => thread.ask(q)));
      assert.deepEqual(
        answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.status)),
        ['a!', 'rejected', 'b!', 'rejected', 'c!'],
      );
      assert.equal(await thread.ask('d'), 'd!');
    });
  }

  it('answers each of many the question of their own', async () => {
    const thread = threadOf();
    const questions = Array.from({ length: 60 }, (_, i) => `work ${i % 3}.${i}`);
    const answers = await Promise.all(
      questions.map((question, i) => onBehalfOf(`user ${i % 7}`, () => thread.ask(question))),
    );
    assert.deepEqual(
      answers,
      questions.map((question) => `${question}!`),
    );
  });

  it('answers long work that had to give way to others in the end', async () => {
    const thread = threadOf();
    const works = [1, 2, 3, 4].map((user) => onBehalfOf(`heavy ${user}`, () => thread.ask('work 700')));
    const answers = await Promise.all([...works, onBehalfOf('light', () => thread.ask('a'))]);
    assert.deepEqual(answers, [...new Array(4).fill('work 700!'), 'a!']);
  });

  it('answers who has long work again and again by another worker, and by the first until that is loaded', async () => {
    const thread = threadOf();
    const threadFor = (user: string) => onBehalfOf(user, () => thread.ask('thread'));
    const first = await threadFor('heavy');
    await onBehalfOf('heavy', () => thread.ask('work 2100'));
    assert.equal(await threadFor('heavy'), first);
    await eventually(async () => (await threadFor('heavy')) !== first, 'the other worker is loaded');
    assert.equal(await threadFor('heavy'), await threadFor('heavy'));
    assert.equal(await threadFor('light'), first);
  });

  it('answers by another worker after the last reply of one', async () => {
    const thread = threadOf();
    const first = await thread.ask('thread');
    assert.equal(await thread.ask('thread'), first);
    assert.deepEqual(await Promise.all([thread.ask('last'), thread.ask('a')]), ['last!', 'a!']);
    assert.notEqual(await thread.ask('thread'), first);
  });

  it('gives up what is aborted, running or waiting, and nothing else', { timeout: 60_000 }, async () => {
    const thread = threadOf({ timeoutMs: 600_000 });
    const running = new AbortController();
    const waiting = new AbortController();
    const asked = [
      thread.ask('for ever', 0, running.signal),
      thread.ask('for ever', 0, waiting.signal),
      thread.ask('a'),
    ];
    waiting.abort(new Error('waiting'));
    await assert.rejects(asked[1] ?? assert.fail(), /^Error: waiting$/);
    running.abort(new Error('running'));
    await assert.rejects(asked[0] ?? assert.fail(), /^Error: running$/);
    assert.equal(await asked[2], 'a!');
    await assert.rejects(thread.ask('b', 0, AbortSignal.abort(new Error('before'))), /^Error: before$/);
  });

  it('turns away what is more than may wait, and no others', async () => {
    const thread = threadOf({ waiting: { each: 3, all: 10 } });
    const heavy = Array.from({ length: 5 }, () => onBehalfOf('heavy', () => thread.ask('work 10')));
    const light = onBehalfOf('light', () => thread.ask('a'));
    const outcomes = await Promise.allSettled(heavy);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
    );
    assert.ok(outcomes[4]?.status === 'rejected' && outcomes[4].reason instanceof TooManyWaiting);
    assert.equal(await light, 'a!');
  });

  for (const hostile of [1, 2, 4, 8]) {
    it(`answers another user within a second while ${hostile} ask for what never ends`, async () => {
      const waits: number[] = [];
      while (waits.length < 3 && !(Math.min(...waits) < 1_000)) {
        const thread = threadOf({ timeoutMs: 600 });
        await thread.ask('warm');
        const decided = new AbortController();
        const works = Array.from({ length: hostile * 2 }, (_, i) =>
          onBehalfOf(`hostile ${i % hostile}`, () => thread.ask('for ever', 100_000, decided.signal)),
        );
        const ended = Promise.allSettled(works);
        const startedAt = performance.now();
        assert.equal(await onBehalfOf('another', () => thread.ask('a', 1_000)), 'a!');
        waits.push(performance.now() - startedAt);
        decided.abort();
        await ended;
      }
      assert.ok(Math.min(...waits) < 1_000, `took ${waits.map(Math.round)} ms`);
    });
  }
});
