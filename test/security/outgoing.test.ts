/** Nothing that somebody stores, sends or computes makes the server open a connection: it speaks to what its settings name. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { makeDocument, putContent } from '../areas/documents-world.ts';
import { append, folderOf } from '../areas/mail-world.ts';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';

describe('an address within content', () => {
  let app: TestApp;
  let target: Server;
  let url: string;
  let connections = 0;
  before(async () => {
    app = await startApp(ANY_ENGINE);
    target = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  });
  after(async () => {
    await app.stop();
    target.close();
  });

  const send = (path: string, type: string, lines: string[]) =>
    app.post(path, lines.join('\r\n'), { headers: { 'content-type': type } });

  const PLACES: Record<string, () => Promise<unknown>> = {
    'of HTML mail': async () => {
      const html = `<link rel=stylesheet href="${url}"><img src="${url}"><p style="background:url(${url})">x</p>`;
      const { id } = await append(
        app,
        await folderOf(app, 'inbox'),
        `Content-Type: text/html\r\n\r\n${html}`,
      );
      data(await app.get(`/v1/messages/${id}`));
    },
    'of mail with a body elsewhere': async () => {
      const type = `message/external-body; access-type=URL; URL="${url}"`;
      const { id } = await append(
        app,
        await folderOf(app, 'inbox'),
        `Content-Type: ${type}\r\n\r\nContent-Type: text/plain\r\n\r\n`,
      );
      data(await app.get(`/v1/messages/${id}`));
    },
    'of mail that is sent': async () => {
      const html = `<img src="${url}"><a href="${url}">x</a>`;
      data(await app.post('/v1/messages', { to: ['owner@localhost'], html }), 201);
    },
    'of a formula': async () => {
      const { id } = await makeDocument(app, { key: OWNER_KEY }, { type: 'spreadsheet' });
      const formulas = ['WEBSERVICE', 'IMAGE', 'HYPERLINK', 'FILTERXML', 'RTD', 'IMPORTDATA'].map(
        (name) => `=${name}("${url}")`,
      );
      const values = [[...formulas, `='${url}[a.xlsx]Sheet1'!A1`]];
      assert.equal((await app.put(`/v1/spreadsheets/${id}/values/A1`, { values })).status, 200);
      data(await app.get(`/v1/spreadsheets/${id}/values/A1:G1`));
    },
    'of Markdown': async () => {
      const { id } = await makeDocument(app, { key: OWNER_KEY });
      await putContent(app, { key: OWNER_KEY }, id, `![x](${url}) [x](${url}) <img src="${url}">`);
      assert.equal((await app.get(`/v1/documents/${id}/export?format=html`)).status, 200);
    },
    'of an uploaded XML file': async () => {
      const xml = `<?xml version="1.0"?><!DOCTYPE a SYSTEM "${url}" [<!ENTITY b SYSTEM "${url}">]><a>&b;</a>`;
      const { id } = data(await app.post('/v1/files?filename=a.svg', xml), 201);
      assert.equal((await app.get(`/v1/files/${id}/content`)).text, xml);
    },
    'of a contact': async () => {
      const [{ id }] = data(await app.get('/v1/address-books'));
      const card = ['BEGIN:VCARD', 'VERSION:4.0', 'FN:Ada', `PHOTO:${url}`, `SOURCE:${url}`, 'END:VCARD', ''];
      data(await send(`/v1/address-books/${id}/import`, 'text/vcard', card));
    },
    'of a calendar': async () => {
      const [{ id }] = data(await app.get('/v1/calendars'));
      const event = ['BEGIN:VEVENT', 'UID:a', 'DTSTART:20260302T090000Z', `ATTACH:${url}`, 'END:VEVENT'];
      const zone = ['BEGIN:VTIMEZONE', 'TZID:X', `TZURL:${url}`, 'END:VTIMEZONE'];
      const lines = ['BEGIN:VCALENDAR', `SOURCE:${url}`, ...zone, ...event, 'END:VCALENDAR', ''];
      data(await send(`/v1/calendars/${id}/import`, 'text/calendar', lines));
    },
  };
  for (const [what, use] of Object.entries(PLACES)) {
    it(`${what} is not asked`, async () => {
      await use();
      assert.equal(connections, 0);
    });
  }
});
