/** Feeds one parser what nobody would write, in a thread that its parent ends when it is silent for too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../../bench/mail/random.ts';
import { mutated } from './mutate.ts';
import { PARSERS } from './parsers.ts';

/** What the thread is to do. */
export interface FuzzTask {
  parser: string;
  seed: number;
  seconds: number;
}

const { parser: name, seed, seconds } = workerData as FuzzTask;
const { seeds, read, refusals = [] } = (PARSERS[name] as (typeof PARSERS)[string])();
const random = new Random(seed);
let end = Number.POSITIVE_INFINITY;
let inputs = 0;
let refused = 0;
while (performance.now() < end) {
  const input = mutated(random.of(seeds), random.of(seeds), random);
  parentPort?.postMessage({ input });
  try {
    await read(Buffer.from(input));
  } catch (error) {
    if (!refusals.some((refusal) => error instanceof refusal)) throw error;
    refused++;
  }
  // What is compiled and loaded with the first input is not its time.
  if (inputs++ === 0) end = performance.now() + seconds * 1_000;
}
parentPort?.postMessage({ inputs, refused });
