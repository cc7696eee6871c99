import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (question: string) => {
  if (question === 'for ever') for (;;);
  if (question === 'fail') throw new Error('asked to');
  if (question === 'end') process.exit();
  parentPort?.postMessage(`${question}!`);
});
