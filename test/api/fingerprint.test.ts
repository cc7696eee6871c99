import assert from 'node:assert/strict';
import { it } from 'node:test';
import { crc32 } from 'node:zlib';
import { fingerprintOf, StreamedFingerprint } from '../../src/once/idempotency.ts';

type Request = [method: string, url: string, body: string];

const REQUESTS: Request[] = [
  ['PUT', '/v1/groups/1', '{}'],
  ['DELETE', '/v1/groups/1', '{}'],
  ['PUT', '/v1/groups/2', '{}'],
  ['PUT', '/v1/groups/1?', '{}'],
  ['PUT', '/v1/groups/1', '{} '],
  ['PUT', '/v1/groups/1', '{}\0'],
  ['PUT', '/v1/groups/1', ''],
];

/** Of a body that arrives in pieces of so many bytes. */
function ofPieces([method, url, body]: Request, size: number) {
  const fingerprint = new StreamedFingerprint(method, url);
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) fingerprint.add(bytes.subarray(at, at + size));
  return fingerprint.digest();
}

const FINGERPRINTS = {
  'that is there': ([method, url, body]: Request) => fingerprintOf(method, url, Buffer.from(body)),
  'that arrives': (request: Request) => ofPieces(request, 1000),
};

for (const [name, fingerprint] of Object.entries(FINGERPRINTS))
  it(`a fingerprint tells the method, the path, the query and every byte of a body ${name} (API-125)`, () => {
    assert.equal(new Set(REQUESTS.map(fingerprint)).size, REQUESTS.length);
    assert.deepEqual(REQUESTS.map(fingerprint), REQUESTS.map(fingerprint));
  });

it('a body has the same fingerprint in whatever pieces it arrives (API-125)', () => {
  const request: Request = ['POST', '/v1/files', 'x'.repeat(10_007)];
  const sizes = [1, 15, 16, 17, 4096, 10_007];
  assert.equal(new Set(sizes.map((size) => ofPieces(request, size))).size, 1);
});

it('bodies of different lengths have different fingerprints, though they have one checksum', () => {
  const bodies = [Buffer.alloc(0), Buffer.from('9d0ad96d', 'hex')];
  assert.equal(new Set(bodies.map((body) => crc32(body))).size, 1);
  const fingerprints = bodies.map((body) => {
    const fingerprint = new StreamedFingerprint('POST', '/v1/files');
    fingerprint.add(body);
    return fingerprint.digest();
  });
  assert.equal(new Set(fingerprints).size, bodies.length);
});
