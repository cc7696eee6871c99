import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { Checksum, checksumOfParts } from '../../src/blobs/checksum.ts';

test('the checksum of a whole follows from those of its parts', () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
  fc.assert(
    fc.property(parts, (all) => {
      const known = all.map((bytes) => ({ size: bytes.length, checksum: crc32(bytes) }));
      assert.equal(checksumOfParts(known), crc32(Buffer.concat(all)));
    }),
  );
});

test('it does where parts are many and long', () => {
  const bytes = Buffer.alloc(1024 * 1024, 'a part of a large file');
  const part = { size: bytes.length, checksum: crc32(bytes) };
  const whole = Array.from({ length: 100 }).reduce<number>((value) => crc32(bytes, value), 0);
  assert.equal(checksumOfParts(Array.from({ length: 100 }, () => part)), whole);
});

test('content passes as it is while its checksum is taken', async () => {
  const chunks = [Buffer.from('one, '), Buffer.alloc(0), Buffer.from('two')];
  const checksum = new Checksum();
  const passed = await Array.fromAsync(
    checksum.of(
      (async function* () {
        yield* chunks;
      })(),
    ),
  );
  assert.deepEqual(passed, chunks);
  assert.equal(checksum.value, crc32('one, two'));
});
