/** What an agent reads of a text and writes back is the same text, to the byte. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const MARK = '\ufeff';
const CONTROLS = 'with noncharacters and controls';

/** Each of them is changed by one careless decoder or another. */
const TEXTS = {
  'with a byte-order mark': `${MARK}# Title\n`,
  'with two byte-order marks': `${MARK}${MARK}x`,
  'of a byte-order mark alone': MARK,
  'with a byte-order mark within': `a${MARK}b`,
  'that is empty': '',
  'of blanks alone': ' \n\t\n',
  'with blanks around': '\n\n  x  \n\n',
  'with all ends of lines': 'a\r\nb\rc\nd\u2028e\u2029f\u0085g',
  'with characters in pieces': 'e\u0301 \u1e9b\u0323 \u212b',
  [CONTROLS]: '\ufffe\uffff\ufffd\u0001\u001f\u007f',
  'with characters of four bytes': '😀'.repeat(3),
  'that is long': `${MARK}${'a line 😀 "of"\ttext\\\r\n\n  x\n'.repeat(4_000)}`,
};

forEachEngine((engine) => {
  describe('the texts that agents read', () => {
    let app: TestApp;
    let agent: TestAgent;
    before(async () => {
      app = await startApp(engine);
      agent = await connectAgent(app.address);
    });
    after(async () => {
      await agent.close();
      await app.stop();
    });

    /** The parts of a text, one after the other. */
    const read = async (name: string, id: string) => {
      const parts: string[] = [];
      for (let cursor = ''; ; ) {
        const { structured, texts } = await agent.call(name, { id, ...(cursor && { cursor }) });
        assert.equal(structured.error, undefined, texts.join());
        parts.push(structured.data.text);
        cursor = structured.next_cursor;
        if (cursor === '') return parts.join('');
      }
    };
    const bytesAt = async (path: string) => {
      const answer = await fetch(`${app.address}${path}`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      assert.equal(answer.status, 200);
      return Buffer.from(await answer.arrayBuffer());
    };

    for (const [title, text] of Object.entries(TEXTS)) {
      it(`a document ${title} is read and written to the byte (MCP-29, MCP-41)`, async () => {
        const { id } = data(await app.post('/v1/documents', { type: 'document', title }), 201);
        const headers = { 'content-type': 'text/markdown', 'if-match': '*' };
        data(await app.put(`/v1/documents/${id}/content`, text, { headers }));
        const found = await read('read_document', id);
        assert.deepEqual(Buffer.from(found), Buffer.from(text));
        const copy = await agent.use('write_document', { title: 'Copy', content: found });
        assert.deepEqual(await bytesAt(`/v1/documents/${copy.id}/content`), Buffer.from(text));
      });

      // A file with them is not told to be text.
      if (title === CONTROLS) continue;
      it(`a file ${title} is read and written to the byte (MCP-18, MCP-28, MCP-41)`, async () => {
        const content_base64 = Buffer.from(text).toString('base64');
        const { id } = await agent.use('write_file', { filename: 'a.txt', content_base64 });
        const found = await read('read_file', id);
        assert.deepEqual(Buffer.from(found), Buffer.from(text));
        const copy = await agent.use('write_file', { filename: 'b.txt', content: found });
        assert.deepEqual(await bytesAt(`/v1/files/${copy.id}/content`), Buffer.from(text));
      });
    }
  });
});
