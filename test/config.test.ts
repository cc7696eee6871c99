/** Every setting: its default, what it takes, and the one sentence that refuses what it does not. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { openServices } from '../src/start/composition.ts';
import { ConfigError, readConfig } from '../src/start/config.ts';
import { PROGRAM } from './program.ts';

const TLS = join(import.meta.dirname, 'api/tls');
const CERT = join(TLS, 'cert.pem');
const directory = mkdtempSync(join(tmpdir(), 'atrium-config-'));
const file = join(directory, 'a-file');
writeFileSync(file, 'no PEM');
after(() => rmSync(directory, { recursive: true }));

const DEFAULTS = {
  // OPS-12
  host: '127.0.0.1',
  // OPS-13
  port: 8080,
  // OPS-14
  smtpPort: 2525,
  // OPS-15
  smtpConnectionsPerAddress: 20,
  // OPS-16
  dataDir: resolve('data'),
  // OPS-17
  databaseUrl: undefined,
  // OPS-18
  blobs: undefined,
  // OPS-19
  domain: 'localhost',
  // OPS-20
  smtpRelay: undefined,
  // OPS-21
  ownerEmail: 'owner@localhost',
  // OPS-22
  ownerKey: undefined,
  // OPS-23
  welcome: true,
  // OPS-24
  rateLimit: 0,
  // OPS-26
  cursorTtlSeconds: 3_600,
  // OPS-28
  idempotencyTtlSeconds: 86_400,
  // OPS-62
  changesTtlSeconds: 2_592_000,
  // OPS-63
  webhookAllow: new Set(),
  // OPS-25
  maxFileSize: 50 * 1024 ** 3,
  // OPS-27
  uploadTtlSeconds: 604_800,
  // OPS-29
  tls: undefined,
  tlsCertificate: undefined,
};

/** One sentence that begins with the name of the setting and repeats no more than its value. */
function isSentenceAbout(name: string, error: unknown): true {
  assert.ok(error instanceof ConfigError, String(error));
  assert.match(error.message, new RegExp(`^${name} [^\\n]*\\.$`));
  assert.ok(error.message.length < 200, error.message);
  return true;
}

describe('settings', () => {
  it('have defaults (OPS-11)', () => assert.deepEqual(readConfig({}), DEFAULTS));

  it('settings that are empty count as unset (OPS-10)', () => {
    const names = [
      ...[
        'HOST',
        'PORT',
        'SMTP_PORT',
        'DATA_DIR',
        'DATABASE_URL',
        'BLOBS',
        'DOMAIN',
        'OWNER_EMAIL',
        'OWNER_KEY',
        'WELCOME',
      ],
      ...[
        'SMTP_RELAY',
        'RATE_LIMIT',
        'CURSOR_TTL',
        'IDEMPOTENCY_TTL',
        'CHANGES_TTL',
        'MAX_FILE_SIZE',
        'UPLOAD_TTL',
      ],
      ...['TLS_CERT', 'TLS_KEY', 'SMTP_CONNECTIONS_PER_ADDRESS'],
    ];
    assert.deepEqual(readConfig(Object.fromEntries(names.map((name) => [`ATRIUM_${name}`, '']))), DEFAULTS);
  });

  const taken: Record<string, [env: Record<string, string>, config: Partial<typeof DEFAULTS> | object]> = {
    'an IPv6 address': [{ ATRIUM_HOST: '::1' }, { host: '::1' }],
    'a host name': [{ ATRIUM_HOST: 'mail.example.org' }, { host: 'mail.example.org' }],
    // OPS-13
    'any free port': [{ ATRIUM_PORT: '0' }, { port: 0 }],
    // OPS-14
    'any free SMTP port': [{ ATRIUM_SMTP_PORT: '0' }, { smtpPort: 0 }],
    // OPS-14
    'no SMTP': [{ ATRIUM_SMTP_PORT: 'off' }, { smtpPort: undefined }],
    'the last port': [{ ATRIUM_PORT: '65535' }, { port: 65_535 }],
    'a relative directory': [{ ATRIUM_DATA_DIR: 'x/y' }, { dataDir: resolve('x/y') }],
    // OPS-19
    'a domain, which is that of the owner too': [
      { ATRIUM_DOMAIN: 'example.org' },
      { domain: 'example.org', ownerEmail: 'owner@example.org' },
    ],
    'a domain in another script': [
      { ATRIUM_DOMAIN: 'münchen.example', ATRIUM_OWNER_EMAIL: 'owner@localhost' },
      { domain: 'münchen.example' },
    ],
    // OPS-20
    'a relay': [
      { ATRIUM_SMTP_RELAY: 'smtp://mail.example.org' },
      { smtpRelay: { host: 'mail.example.org', port: 587, secure: false, auth: undefined } },
    ],
    // OPS-20
    'a relay with TLS and credentials': [
      { ATRIUM_SMTP_RELAY: 'smtps://ada%40example.org:p%40ss:w%2Frd@mail.example.org' },
      {
        smtpRelay: {
          host: 'mail.example.org',
          port: 465,
          secure: true,
          auth: { user: 'ada@example.org', pass: 'p@ss:w/rd' },
        },
      },
    ],
    'a relay by its IPv6 address': [
      { ATRIUM_SMTP_RELAY: 'smtp://[::1]:25/' },
      { smtpRelay: { host: '::1', port: 25, secure: false, auth: undefined } },
    ],
    'an owner elsewhere': [{ ATRIUM_OWNER_EMAIL: 'ada@example.org' }, { ownerEmail: 'ada@example.org' }],
    'small files for a short time': [
      { ATRIUM_MAX_FILE_SIZE: '1', ATRIUM_UPLOAD_TTL: '1' },
      { maxFileSize: 1, uploadTtlSeconds: 1 },
    ],
    // OPS-22
    'the shortest key': [{ ATRIUM_OWNER_KEY: '!'.repeat(20) }, { ownerKey: '!'.repeat(20), welcome: false }],
    // OPS-23
    'no welcome': [{ ATRIUM_WELCOME: 'off' }, { welcome: false }],
    // OPS-23
    'a welcome for a given key': [
      { ATRIUM_WELCOME: 'on', ATRIUM_OWNER_KEY: '!'.repeat(20) },
      { ownerKey: '!'.repeat(20), welcome: true },
    ],
    // OPS-22
    'the longest key': [{ ATRIUM_OWNER_KEY: '~'.repeat(200) }, { ownerKey: '~'.repeat(200), welcome: false }],
    // OPS-17
    'PostgreSQL by either name': [
      { ATRIUM_DATABASE_URL: 'postgresql://a:b@h:1/d' },
      { databaseUrl: 'postgresql://a:b@h:1/d' },
    ],
    'PostgreSQL on a socket': [
      { ATRIUM_DATABASE_URL: 'postgres://a@/d?host=/tmp' },
      { databaseUrl: 'postgres://a@/d?host=/tmp' },
    ],
    // OPS-63
    'hosts of webhooks': [
      { ATRIUM_WEBHOOK_ALLOW: 'Inner.example, 127.0.0.1,[::1],' },
      { webhookAllow: new Set(['inner.example', '127.0.0.1', '::1']) },
    ],
    // OPS-11
    'a rate, and times': [
      { ATRIUM_RATE_LIMIT: '60', ATRIUM_CURSOR_TTL: '1', ATRIUM_IDEMPOTENCY_TTL: '1' },
      { rateLimit: 60, cursorTtlSeconds: 1, idempotencyTtlSeconds: 1 },
    ],
  };
  for (const [what, [env, config]] of Object.entries(taken)) {
    it(`take ${what}`, () => assert.deepEqual(readConfig(env), { ...DEFAULTS, ...config }));
  }

  it('settings take a certificate and its key (OPS-29)', () => {
    const { tls } = readConfig({ ATRIUM_TLS_CERT: CERT, ATRIUM_TLS_KEY: join(TLS, 'key.pem') });
    assert.match(tls?.cert ?? '', /^-----BEGIN CERTIFICATE/);
    assert.match(tls?.key ?? '', /^-----BEGIN PRIVATE KEY/);
  });

  const refused: Record<string, readonly string[]> = {
    ATRIUM_HOST: ['a b', 'http://localhost', 'localhost:80', '-x', 'x/y', '[::1]'],
    ATRIUM_PORT: ['-1', '65536', '80.5', 'http', '0x50', ' 80', '1e3'],
    ATRIUM_SMTP_PORT: ['-1', '65536', '25.5', 'none', 'OFF', '0x50', '8080'],
    ATRIUM_DATABASE_URL: ['mysql://h/d', 'h/d', 'sqlite.db', 'postgres://h:port/d', 'postgres://h:99999/d'],
    ATRIUM_DOMAIN: ['a b', 'a..b', '.a', 'a@b', 'https://a', 'a/b', `${'x'.repeat(64)}.org`],
    ATRIUM_SMTP_RELAY: [
      ...[
        'mail.example.org',
        'http://mail.example.org',
        'smtp://',
        'smtp://h:0',
        'smtp://h:65536',
        'smtp://h:x',
      ],
      ...[
        'smtp://user@h',
        'smtp://:pass@h',
        'smtp://user:@h',
        'smtp://%zz:pass@h',
        'smtp://h/path',
        'smtp://h?a=b',
      ],
    ],
    ATRIUM_OWNER_EMAIL: ['owner', '@', 'a@b@c', 'a b@c', 'owner@'],
    ATRIUM_OWNER_KEY: ['x'.repeat(19), 'x'.repeat(201), 'x y'.repeat(10), 'ä'.repeat(20)],
    ATRIUM_WELCOME: ['yes', 'ON', '1'],
    ATRIUM_RATE_LIMIT: ['-1', 'none', '1.5', '99999999999999999'],
    ATRIUM_SMTP_CONNECTIONS_PER_ADDRESS: ['-1', 'none', '1.5'],
    ATRIUM_CURSOR_TTL: ['0', '-5', '1h', '9999999999'],
    ATRIUM_IDEMPOTENCY_TTL: ['0', '-5', '24h', '9999999999'],
    ATRIUM_CHANGES_TTL: ['0', '-5', '30d', '9999999999'],
    ATRIUM_WEBHOOK_ALLOW: ['http://a', 'a b', 'a,b/c', '127.0.0.1:80', '*'],
    ATRIUM_MAX_FILE_SIZE: ['0', '-1', '50GiB', '1e9'],
    ATRIUM_UPLOAD_TTL: ['0', '-5', '7d', '9999999999'],
  };
  for (const [name, values] of Object.entries(refused)) {
    for (const value of values) {
      // OPS-10
      it(`refuse ${name}=${value.slice(0, 30)}`, () =>
        assert.throws(
          () => readConfig({ [name]: value }),
          (error) => isSentenceAbout(name, error),
        ));
    }
  }

  const pairs: Record<string, [cert: string, key: string, name: string]> = {
    'a certificate without a key': [CERT, '', 'ATRIUM_TLS_CERT and ATRIUM_TLS_KEY'],
    'a key without a certificate': ['', join(TLS, 'key.pem'), 'ATRIUM_TLS_CERT and ATRIUM_TLS_KEY'],
    'a certificate that is nowhere': [join(directory, 'none'), join(TLS, 'key.pem'), 'ATRIUM_TLS_CERT'],
    'a key that is nowhere': [CERT, join(directory, 'none'), 'ATRIUM_TLS_KEY'],
    'a certificate that is none': [file, join(TLS, 'key.pem'), 'ATRIUM_TLS_CERT and ATRIUM_TLS_KEY'],
    'a key of another certificate': [CERT, join(TLS, 'other-key.pem'), 'ATRIUM_TLS_CERT and ATRIUM_TLS_KEY'],
  };
  for (const [what, [ATRIUM_TLS_CERT, ATRIUM_TLS_KEY, name]] of Object.entries(pairs)) {
    // OPS-10, OPS-29
    it(`refuse ${what}`, () =>
      assert.throws(
        () => readConfig({ ATRIUM_TLS_CERT, ATRIUM_TLS_KEY }),
        (error) => isSentenceAbout(name, error),
      ));
  }

  it('never repeat a password', () => {
    for (const url of ['postgres://u:hidden@h:port/d', 'mysql://u:hidden@h/d']) {
      assert.throws(
        () => readConfig({ ATRIUM_DATABASE_URL: url }),
        (error) => isSentenceAbout('ATRIUM_DATABASE_URL', error) && !String(error).includes('hidden'),
      );
    }
  });
});

describe('settings that only the start can judge (OPS-10)', () => {
  const refused: Record<string, Record<string, string>> = {
    ATRIUM_DATA_DIR: { ATRIUM_DATA_DIR: file },
    ATRIUM_BLOBS: { ATRIUM_DATA_DIR: directory, ATRIUM_BLOBS: 'ftp://files' },
  };
  for (const [name, env] of Object.entries(refused)) {
    it(`refuse a wrong ${name}`, () =>
      assert.rejects(openServices(readConfig(env)), (error) => isSentenceAbout(name, error)));
  }

  // Nobody can make a directory below /proc, not even root, and Node's own ways to make several try for ever.
  it('refuse a data directory that cannot be made', {
    skip: !existsSync('/proc/self') && 'this system has no /proc',
  }, () => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve'], {
      env: { ...process.env, ATRIUM_DATA_DIR: '/proc/atrium/data' },
      encoding: 'utf8',
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    assert.equal(status, 1);
    assert.match(stderr, /^error: ATRIUM_DATA_DIR names no directory [^\n]*\n$/);
  });
});
