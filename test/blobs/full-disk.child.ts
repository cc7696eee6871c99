// Run as a process of its own on a file system of 4 MiB: `full-disk.child.ts DIRECTORY`. Prints what happens.
import { openDiskBlobs } from '../../src/blobs/disk/disk.ts';
import { arriving, bytesOf, read } from '../contract/blobs-content.ts';
import { filesBelow } from '../contract/blobs-engines.ts';

const MiB = 1024 * 1024;
const [directory = ''] = process.argv.slice(2);
const store = await openDiskBlobs(directory);

await store.put('before', arriving(bytesOf(MiB)));
await store.put('too-large', arriving(bytesOf(5 * MiB))).catch((error) => {
  console.log(`${error.name} because of ${error.cause.code}`);
});
console.log(`left: ${await filesBelow(directory)}`);
console.log(`before: ${(await read(store.get('before'))).length} bytes`);
await store.remove('before');
console.log(`after removal: ${(await store.put('after', arriving(bytesOf(3 * MiB)))).size} bytes`);
