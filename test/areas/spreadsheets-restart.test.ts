/** What was written as text, as a date or under a key is the same after the server has been killed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { type KilledServer, killedServer } from './served-process.ts';

forEachEngine((engine) => {
  describe('a spreadsheet whose server is killed', () => {
    let server: KilledServer;
    before(async () => {
      server = await killedServer(engine);
      await server.start();
    });
    after(() => server.remove());

    const request = async (method: string, path: string, body?: object) => {
      const given = body === undefined ? {} : { body: JSON.stringify(body) };
      const { status, text } = await server.request(method, path, given);
      assert.ok(status < 300, text);
      return JSON.parse(text).data;
    };

    test('has its texts, dates and keys as before, and each row once (SHEET-66, SHEET-68, SHEET-73)', async () => {
      const { id } = await request('POST', '/v1/documents', { type: 'spreadsheet', title: 'T' });
      const path = `/v1/spreadsheets/${id}/values`;
      const append = (n: number) =>
        request('POST', `${path}/append`, {
          values: [['=1+1', { date: '2026-11-23' }, n]],
          input: 'raw',
          columns: 'A:C',
          row_key: `row ${n}`,
        });
      for (let round = 0; round < 3; round++) {
        const sent = Array.from({ length: 30 }, (_, n) => append(n));
        await Promise.all([Promise.allSettled(sent), Promise.allSettled(sent.slice(0, 5)).then(server.kill)]);
        await server.start();
      }
      for (let n = 0; n < 30; n++) await append(n);
      const { values } = await request('GET', `${path}/A:C?render=formatted`);
      const rows = values.toSorted((a: string[], b: string[]) => Number(a[2]) - Number(b[2]));
      const wanted = Array.from({ length: 30 }, (_, n) => ['=1+1', '2026-11-23', String(n)]);
      assert.deepEqual(rows, wanted);
    });
  });
});
