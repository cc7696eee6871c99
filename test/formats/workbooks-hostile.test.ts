import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openWorkbook } from '../../src/formats/workbooks/open-workbook.ts';
import { turnsDuring } from '../turns.ts';
import { archive, cellsOfContent, workbookOf } from './workbook-files.ts';

/** What is said of the bytes when they are read as the server reads them. */
async function refusal(bytes: Uint8Array, measure?: { withinMs: number; heapMiB: number }): Promise<string> {
  const started = performance.now();
  try {
    const cells = await cellsOfContent(await openWorkbook(async () => new Uint8Array(bytes), measure));
    return `read ${Object.keys(cells).length} cells`;
  } catch (error) {
    assert.equal((error as Error).name, 'UnreadableWorkbook', String((error as Error).stack));
    return (error as Error).message;
  } finally {
    assert.ok(performance.now() - started < 300_000, 'it took five minutes');
  }
}

const row = (cells: string) => `<row r="1">${cells}</row>`;
const workbook = (inner: string) => ({ 'xl/workbook.xml': `<workbook>${inner}</workbook>` });
const sheets = (count: number) =>
  `<sheets>${Array.from({ length: count }, (_, i) => `<sheet name="S${i}" r:id="r${i}"/>`).join('')}</sheets>`;

/** Bytes of an archive with other ones in a place that is found by what stands there. */
function patched(bytes: Buffer, find: Buffer, offset: number, put: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.lastIndexOf(find);
  assert.ok(at >= 0);
  put.copy(copy, at + offset);
  return copy;
}

const CENTRAL_ENTRY = Buffer.from('PK\x01\x02', 'latin1');

describe('workbooks that are made to do harm', () => {
  it('are refused when they inflate without measure', async () => {
    const text = `<si><t>${' '.repeat(1024 * 1024)}</t></si>`;
    const bytes = await workbookOf('', { 'xl/sharedStrings.xml': `<sst>${text.repeat(70)}</sst>` });
    assert.ok(bytes.length < 100_000);
    assert.match(await refusal(bytes), /^it inflates to more than 67108864 bytes/);
  });

  it('are refused when the sizes in their archive lie', async () => {
    const bytes = await workbookOf(row('<c><v>1</v></c>'));
    const small = patched(bytes, CENTRAL_ENTRY, 24, Buffer.from([1, 0, 0, 0]));
    assert.match(await refusal(small), /^its archive is damaged \(too many bytes/);
    const damaged = patched(bytes, CENTRAL_ENTRY, 16, Buffer.from([1, 2, 3, 4]));
    assert.match(await refusal(damaged), /^its part xl\/worksheets\/sheet1.xml is damaged/);
    assert.match(await refusal(bytes.subarray(0, bytes.length - 30)), /^its archive is damaged/);
  });

  it('are refused when one text stands for too much', async () => {
    const parts = { 'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(50_000)}</t></si></sst>` };
    const rows = '<row>'.concat('<c t="s"><v>0</v></c>'.repeat(12_000), '</row>');
    assert.match(await refusal(await workbookOf(rows, parts)), /hold more than 16777216 characters together/);
    const long = { 'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(50_001)}</t></si></sst>` };
    assert.match(
      await refusal(await workbookOf(row('<c t="s"><v>0</v></c>'), long)),
      /^cell A1 holds more than 50000 characters/,
    );
    const text = { 'xl/sharedStrings.xml': `<sst><si><t>${'x '.repeat(5 * 1024 * 1024)}</t></si></sst>` };
    assert.match(await refusal(await workbookOf('', text)), /a text or a tag that is too long/);
  });

  it('are read without names that double themselves, or follow each other, without end', async () => {
    const names = Array.from(
      { length: 60 },
      (_, i) => `<definedName name="n_${i}">n_${i + 1}&amp;n_${i + 1}</definedName>`,
    );
    const parts = workbook(`${sheets(1)}<definedNames>${names.join('')}</definedNames>`);
    const bytes = await workbookOf(row('<c><f>n_0</f></c>'), parts);
    assert.equal(await refusal(bytes), 'read 1 cells');
    const chain = Array.from(
      { length: 9_999 },
      (_, i) => `<definedName name="n_${i}">n_${i + 1}</definedName>`,
    );
    const long = workbook(`${sheets(1)}<definedNames>${chain.join('')}</definedNames>`);
    assert.equal(await refusal(await workbookOf(row('<c><f>n_0</f></c>'), long)), 'read 1 cells');
    const ranges = `_xlfn.SINGLE(A1${':INDEX(B1)'.repeat(200_000)})`;
    assert.match(
      await refusal(await workbookOf(row(`<c><f>${ranges}</f></c>`))),
      /more than 50000 characters/,
    );
  });

  it('are refused when they define entities', async () => {
    const sst =
      '<!DOCTYPE sst [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>';
    assert.match(await refusal(await workbookOf('', { 'xl/sharedStrings.xml': sst })), /has a document type/);
    const cell = '<c t="str"><v>&unknown;</v></c>';
    assert.match(await refusal(await workbookOf(row(cell))), /is not well formed \(.*undefined entity/);
  });

  it('are refused when they are nested, cut off or outside of a sheet', async () => {
    const nested = `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`;
    assert.match(await refusal(await workbookOf(nested)), /is nested too deeply/);
    assert.match(await refusal(await workbookOf('<row><c><v>1')), /is not well formed/);
    const attribute = `<row ${'a="b" '.repeat(2_000_000)}/>`;
    assert.match(await refusal(await workbookOf(attribute)), /too long|not well formed/);
    for (const address of ['XFE1', 'A1048577', 'A0', 'AAAA1', '1A', '']) {
      const outside = await refusal(await workbookOf(row(`<c r="${address}"><v>1</v></c>`)));
      assert.match(outside, /^its sheet "Sheet1" has a cell .* outside of a sheet/, address);
    }
    assert.match(await refusal(await workbookOf('<row r="1048577"/>')), /has row 1048577 outside of a sheet/);
    assert.match(
      await refusal(await workbookOf('<row r="2"><c><v>1</v></c></row><row r="1"><c><v>1</v></c></row>')),
      /^row 1 comes after row 2/,
    );
    assert.match(
      await refusal(await workbookOf(row('<c t="s"><v>7</v></c>'))),
      /the shared text "7", which is missing/,
    );
  });

  it('are refused when they have too many sheets, two of a name, or none', async () => {
    assert.match(
      await refusal(await workbookOf('', workbook(sheets(1_001)))),
      /^it has more than 1000 sheets/,
    );
    const same = '<sheets><sheet name="a" r:id="1"/><sheet name="A" r:id="2"/></sheets>';
    const parts = { ...workbook(same), 'xl/worksheets/sheet2.xml': '<worksheet/>' };
    assert.match(await refusal(await workbookOf('', parts)), /^it has two sheets "A"/);
    assert.match(await refusal(await workbookOf('', workbook(''))), /^it has no sheet of cells/);
    assert.match(
      await refusal(await workbookOf('', workbook(sheets(2)))),
      /^the cells of its sheet "S1" are missing/,
    );
  });

  it('are refused when they are something else', async () => {
    assert.match(await refusal(await archive({ 'word/document.xml': '<document/>' })), /no \.xlsx workbook/);
    assert.match(
      await refusal(Buffer.from('d0cf11e0a1b11ae100', 'hex')),
      /it is an \.xls workbook, or has a password/,
    );
    assert.match(await refusal(Buffer.from('PK')), /its archive is damaged/);
    assert.match(await refusal(Buffer.from('%PDF-1.7\n\x00')), /neither an \.xlsx workbook nor text/);
    assert.equal(await refusal(Buffer.alloc(0)), 'read 0 cells');
  });

  it('end with their thread when they take too long or too much memory', async () => {
    const rows = Array.from(
      { length: 50_000 },
      (_, r) => `<row>${`<c t="str"><v>${r} and more</v></c>`.repeat(20)}</row>`,
    ).join('');
    const bytes = await workbookOf(rows);
    assert.match(
      await refusal(bytes, { withinMs: 200, heapMiB: 512 }),
      /^reading it takes longer than 0.2 seconds/,
    );
    const many = `<sst>${'<si><t>some text of its own</t></si>'.repeat(1_000_000)}</sst>`;
    const texts = await workbookOf('', { 'xl/sharedStrings.xml': many });
    assert.match(
      await refusal(texts, { withinMs: 600_000, heapMiB: 24 }),
      /^reading it takes more than 24 MiB of memory/,
    );
    assert.equal(await refusal(await workbookOf(row('<c><v>1</v></c>'))), 'read 1 cells');
  });

  it('leave the event loop to others, and are left when nobody reads on', async () => {
    const rows = `<row>${'<c><v>1</v></c>'.repeat(500)}</row>`.repeat(200);
    const bytes = new Uint8Array(await workbookOf(rows));
    const turns = await turnsDuring(openWorkbook(async () => new Uint8Array(bytes)).then(cellsOfContent));
    assert.ok(turns > 100, `${turns} turns`);
    for (let i = 0; i < 4; i++) {
      const { portions } = await openWorkbook(async () => new Uint8Array(bytes));
      for await (const _portion of portions) break;
    }
    const { close } = await openWorkbook(async () => new Uint8Array(bytes));
    await close();
    assert.equal(bytes.length > 0, true);
  });
});
