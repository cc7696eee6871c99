import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Thread } from '../../src/formats/thread.ts';

const thread = new Thread<string, string>({
  module: new URL('./thread.child.ts', import.meta.url),
  answerWithinMs: 5_000,
});

for (const question of ['for ever', 'fail', 'end']) {
  test(`who waits behind "${question}" is answered all the same`, async () => {
    const answers = await Promise.allSettled(['a', question, 'b', question, 'c'].map((q) => thread.ask(q)));
    assert.deepEqual(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.status)),
      ['a!', 'rejected', 'b!', 'rejected', 'c!'],
    );
    assert.equal(await thread.ask('d'), 'd!');
  });
}
