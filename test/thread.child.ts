import { parentPort, threadId } from 'node:worker_threads';
import { LAST_REPLY } from '../src/turns/request-worker.ts';

parentPort?.on('message', (question: string) => {
  if (question === 'for ever') for (;;);
  if (question === 'fail') throw new Error('asked to');
  if (question === 'end') process.exit();
  if (question === 'memory') fill();
  if (question.startsWith('work ')) work(Number(question.slice(5)));
  if (question === 'last') parentPort?.postMessage(LAST_REPLY);
  parentPort?.postMessage(question === 'thread' ? String(threadId) : `${question}!`);
});

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

function fill(): void {
  for (const texts: string[][] = []; ; ) texts.push(Array.from({ length: 10_000 }, (_, i) => `text ${i}`));
}
