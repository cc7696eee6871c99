/** What files are told to be, in whichever way they come. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { complete, putPart, start } from './uploads-world.ts';

const MIB = 1024 * 1024;

/** An ID3 tag of a MiB, as one with pictures is. */
const TAG = Buffer.concat([Buffer.from('ID3\x04\0\0\0\x40\0\0', 'latin1'), Buffer.alloc(MIB, 1)]);
const TRAILER = Buffer.concat([Buffer.from('koly'), Buffer.alloc(508)]);

/** Filename, content, type. */
const FILES: [string, Buffer, string][] = [
  ['notes.md', Buffer.from('Hello, world\nIt is, so\n'), 'text/markdown'],
  ['notes.txt', Buffer.from('Hello, world\nIt is, so\n'), 'text/plain'],
  ['song.flac', Buffer.concat([TAG, Buffer.from('fLaC\0\0\0\x22')]), 'audio/flac'],
  ['song.aac', Buffer.concat([TAG, Buffer.from('fff15080021ffc', 'hex')]), 'audio/aac'],
  [
    'disk.dmg',
    Buffer.concat([Buffer.from('7801730d', 'hex'), Buffer.alloc(MIB), TRAILER]),
    'application/x-apple-diskimage',
  ],
];

forEachEngine((engine) => {
  describe('the type of a file', () => {
    let app: TestApp;

    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    for (const [filename, bytes, type] of FILES) {
      test(`${filename} is ${type}, sent at once and in parts (FILE-13, FILE-14, FILE-46)`, async () => {
        const headers = { 'content-type': 'application/octet-stream' };
        const sent = await app.request('POST', `/v1/files?filename=${filename}`, { body: bytes, headers });
        assert.equal(data(sent, 201).mime_type, type);
        const { session_id: id } = await start(app, bytes.length, { filename });
        data(await putPart(app, id, 1, bytes));
        assert.equal(data(await complete(app, id), 201).mime_type, type);
      });
    }
  });
});
