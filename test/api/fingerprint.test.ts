import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { BodyFingerprint, fingerprintOf } from '../../src/api/fingerprint.ts';

type Request = [method: string, url: string, body: string];

const SECRET = randomBytes(32);
const SCOPE = { workspaceId: 'wrk_1', keyId: 'key_1', idempotencyKey: 'once' };
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
function ofPieces([method, url, body]: Request, size: number, { scope = SCOPE, secret = SECRET } = {}) {
  const fingerprint = new BodyFingerprint(secret, scope, method, url);
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) fingerprint.add(bytes.subarray(at, at + size));
  return fingerprint.digest();
}

const FINGERPRINTS = {
  'that is there': ([method, url, body]: Request) => fingerprintOf(method, url, Buffer.from(body)),
  'that arrives': (request: Request) => ofPieces(request, 1000),
};

for (const [name, fingerprint] of Object.entries(FINGERPRINTS))
  it(`a fingerprint tells the method, the path, the query and every byte of a body ${name}`, () => {
    assert.equal(new Set(REQUESTS.map(fingerprint)).size, REQUESTS.length);
    assert.deepEqual(REQUESTS.map(fingerprint), REQUESTS.map(fingerprint));
  });

it('a body has one fingerprint in whatever pieces it arrives', () => {
  const request: Request = ['POST', '/v1/files', 'x'.repeat(10_007)];
  const sizes = [1, 15, 16, 17, 4096, 10_007];
  assert.equal(new Set(sizes.map((size) => ofPieces(request, size))).size, 1);
});

it('the same body has another fingerprint under another key or secret', () => {
  const request: Request = ['POST', '/v1/files', 'body'];
  const others = [
    { scope: { ...SCOPE, idempotencyKey: 'twice' } },
    { scope: { ...SCOPE, keyId: 'key_2' } },
    { secret: randomBytes(32) },
  ];
  const fingerprints = [ofPieces(request, 4), ...others.map((other) => ofPieces(request, 4, other))];
  assert.equal(new Set(fingerprints).size, fingerprints.length);
});
