import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { InvalidBlobsSetting, openBlobs, parseBlobsSetting } from '../../src/blobs/open-blobs.ts';

describe('the setting ATRIUM_BLOBS', () => {
  const read: [string, ReturnType<typeof parseBlobsSetting>][] = [
    [
      's3://bucket?endpoint=http://127.0.0.1:9000&region=eu-west-1',
      { bucket: 'bucket', prefix: '', endpoint: 'http://127.0.0.1:9000', region: 'eu-west-1' },
    ],
    [
      's3://bucket?region=eu-west-1',
      { bucket: 'bucket', prefix: '', endpoint: undefined, region: 'eu-west-1' },
    ],
    [
      's3://my.bucket/a/b_c/?endpoint=https%3A%2F%2Fs3.example.org%2Fbase',
      { bucket: 'my.bucket', prefix: 'a/b_c/', endpoint: 'https://s3.example.org/base', region: 'us-east-1' },
    ],
  ];
  for (const [setting, location] of read) {
    test(`${setting} is read`, () => assert.deepEqual(parseBlobsSetting(setting), location));
  }

  const refused: [string, RegExp][] = [
    ['', /must be s3:/],
    ['/var/blobs', /must be s3:/],
    ['https://bucket?region=a', /must be s3:/],
    ['s3://?region=a', /bucket name/],
    ['s3:bucket?region=a', /bucket name/],
    ['s3://ab?region=a', /bucket name/],
    ['s3://bucket', /must name a region/],
    ['s3://bucket?endpoint=', /must name a region/],
    ['s3://bucket?region=', /must name a region/],
    ['s3://bucket?region=eu west', /has a region/],
    ['s3://bucket?region=a&endpoint=', /needs an endpoint/],
    ['s3://bucket?endpoint=s3.example.org', /needs an endpoint/],
    ['s3://bucket?endpoint=ftp://example.org', /needs an endpoint/],
    ['s3://bucket?endpoint=https://id:secret@example.org', /needs an endpoint/],
    ['s3://bucket?regoin=a', /only the parameters/],
    ['s3://bucket?region=a&region=b', /region twice/],
    ['s3://bucket:9000?region=a', /port/],
    ['s3://bucket#a?region=a', /port or a "#"/],
    ['s3://id:secret@bucket?region=a', /credentials/],
    ['s3://bucket/a b?region=a', /prefix/],
    ['s3://bucket/a//b?region=a', /prefix/],
  ];
  for (const [setting, reason] of refused) {
    test(`${JSON.stringify(setting)} is refused in one sentence that does not repeat it`, async () => {
      const error = await openBlobs({ blobs: setting, dataDir: '/nonexistent' }).catch((refusal) => refusal);
      assert.ok(error instanceof InvalidBlobsSetting);
      assert.match(error.message, reason);
      assert.match(error.message, /^ATRIUM_BLOBS [^\n]*\.$/);
      assert.doesNotMatch(error.message, /secret/);
    });
  }
});

test('whoever keeps blobs on disk does not load the AWS SDK', () => {
  const open = new URL('../../src/blobs/open-blobs.ts', import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) { console.log(name); return next(name, context); } });
    await import('${open}');
  `;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  assert.match(loaded, /disk\.ts/);
  assert.doesNotMatch(loaded, /aws-sdk/);
});
