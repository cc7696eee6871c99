// Run as a process of its own by the contract of the blob store: `blobs.child.ts COMMAND SETTINGS [PARTED BLOB]`.
import { openBlobs } from '../../src/blobs/open-blobs.ts';
import { bytesOf } from './blobs-content.ts';

const [command, settings = '', parted = ''] = process.argv.slice(2);
const store = await openBlobs(JSON.parse(settings));
const megabyte = bytesOf(1024 * 1024);

/** Bytes; the most that any look at the memory of this process found. */
let peak = 0;

function look(): void {
  peak = Math.max(peak, process.memoryUsage.rss());
}

async function* megabytes(count: number): AsyncGenerator<Buffer> {
  for (let n = 0; n < count; n++) {
    look();
    yield megabyte;
  }
}

async function readAll(key: string): Promise<void> {
  for await (const _ of await store.get(key)) look();
}

/** Prints by how many MiB the work makes this process grow, once everything is loaded. */
async function printGrowth(work: () => Promise<unknown>): Promise<void> {
  await store.put('warm', megabytes(1));
  await readAll('warm');
  look();
  const before = peak;
  await work();
  console.log(Math.round((peak - before) / megabyte.length));
}

/** Puts 20 MiB, says so, and never ends. */
async function stall(): Promise<void> {
  setInterval(() => {}, 60_000);
  await store.put(
    'stalled',
    (async function* () {
      yield* megabytes(20);
      console.log('stalled');
      await new Promise(() => {});
    })(),
  );
}

/** Puts four parts of 5 MiB, prints the tag of each, and stays until it is killed. */
async function parts(): Promise<void> {
  const size = 5 * megabyte.length;
  for (let number = 1; number <= 4; number++) {
    const place = { number, start: (number - 1) * size, size };
    const tag = await store.putPart(JSON.parse(parted), place, megabytes(5));
    console.log(JSON.stringify(tag));
  }
  setInterval(() => {}, 60_000);
}

const commands = {
  put: () => printGrowth(() => store.put('large', megabytes(300))),
  get: () => printGrowth(() => readAll('large')),
  stall,
  parts,
};
await commands[command as keyof typeof commands]();
