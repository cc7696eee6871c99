import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import iconv from 'iconv-lite';
import { extract } from '../../src/formats/text-extraction/extract.ts';
import { extractText, MAX_EXTRACTED_SIZE } from '../../src/formats/text-extraction/extraction.ts';
import {
  DOCX,
  documentFixture,
  docxOf,
  linesOf,
  noDocuments,
  ODP,
  ODS,
  ODT,
  openDocumentOf,
  PDF,
  PPTX,
  pagesOf,
  paragraphOf,
  pdfOf,
  pptxOf,
  RYUMIN,
  realDocument,
  textsOf,
  XLSX,
} from './document-files.ts';
import { archive, workbookOf } from './workbook-files.ts';

/** The text of a file that has one. */
async function textOf(bytes: Uint8Array | string, type: string): Promise<string> {
  const found = await textsOf(Buffer.from(bytes), type);
  assert.ok(found && 'texts' in found, JSON.stringify(found));
  assert.equal(found.cut, undefined);
  assert.equal(found.texts.length, 1);
  return found.texts[0] ?? '';
}

async function listOf(bytes: Uint8Array, type: string): Promise<string[]> {
  const found = await textsOf(bytes, type);
  assert.ok(found && 'texts' in found, JSON.stringify(found));
  return found.texts.map((text) => text.trim());
}

const LIMITS = { characters: 1_000, texts: 100, processorMs: 20_000 };

describe('the text of files of text', () => {
  const sentence = 'Straße, façade, naïve; Жёлтый; 日本語の文書; ไทย; 😀';

  it('is decoded by its byte-order mark, and as UTF-8 without one', async () => {
    assert.equal(await textOf(sentence, 'text/plain'), sentence);
    assert.equal(await textOf(`\ufeff${sentence}`, 'text/markdown; charset=utf-8'), sentence);
    for (const encoding of ['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']) {
      assert.equal(await textOf(iconv.encode(sentence, encoding, { addBOM: true }), 'text/plain'), sentence);
    }
  });

  it('is decoded in the encoding that an XML or HTML document declares', async () => {
    for (const [encoding, text] of [
      ['Big5', '繁體中文'],
      ['gb2312', '简体中文'],
      ['EUC-KR', '한국어'],
      ['KOI8-R', 'русский'],
      ['Shift_JIS', '日本語'],
      ['iso-8859-2', 'łódź'],
    ] as const) {
      const xml = iconv.encode(`<?xml version="1.0" encoding="${encoding}"?><a>${text}</a>`, encoding);
      assert.ok((await textOf(xml, 'application/rss+xml')).includes(text), encoding);
      const html = iconv.encode(`<meta charset="${encoding}"><p>${text}`, encoding);
      assert.equal((await textOf(html, 'text/html')).trim(), text, encoding);
    }
  });

  it('is decoded as Windows-1252 where it is no UTF-8, and as UTF-8 where little of it is damaged', async () => {
    assert.equal(
      await textOf(iconv.encode('Müller “quoted” 5 €', 'windows-1252'), 'text/plain'),
      'Müller “quoted” 5 €',
    );
    const damaged = Buffer.concat([Buffer.from('Müller über Größen und Maße '), Buffer.from([0xff])]);
    assert.equal(await textOf(damaged, 'text/x-log'), 'Müller über Größen und Maße \ufffd');
    const control = Buffer.concat([Buffer.from([0x1b, 0x5b, 0xe9]), Buffer.from('a coloured line of a log')]);
    assert.match(await textOf(control, 'text/x-log'), /a coloured line of a log$/);
  });

  it('is none where the bytes are no text', async () => {
    const bytes = Buffer.from(Array.from({ length: 4_000 }, (_, i) => 0x80 + ((i * 37) % 64)));
    assert.deepEqual(await textsOf(bytes, 'text/plain'), {
      unreadable: 'it is text in no encoding that is read',
    });
  });

  it('holds nothing that a database refuses', async () => {
    assert.equal(await textOf('a\0b', 'text/plain'), 'a b');
    assert.equal(await textOf('["a\\ud800b \\u0000"]', 'application/json'), '["a\ufffdb  "]');
  });

  it('of JSON has its escapes resolved, whole or damaged', async () => {
    const json = '{"name":"\\u65e5\\u672c \\ud83d\\ude00","text":"one\\ntwo\\t\\"three\\"\\\\n"';
    assert.equal(await textOf(json, 'application/json'), '{"name":"日本 😀","text":"one\ntwo\n"three"\\n"');
    assert.match(await textOf('{"a":"\\u00e9t\\u00e9"}\n{"b":1}\n', 'application/x-ndjson'), /été/);
  });

  it('of HTML is without tags, comments, scripts and styles', async () => {
    const html = `<!doctype html><html><head><title>Title &amp; more</title><style>p { color: red }</style>
      <script>if (a < b) document.write("<p>script")</script></head><body class="hidden"><!-- comment -->
      <h1>Head<b>li</b>ne</h1><p>caf&eacute; &#26085;&#x672c;<p>next<br>line<template>template</template></div></body>`;
    const words = (await textOf(html, 'text/html')).split(/\s+/).filter((word) => word !== '');
    assert.deepEqual(words, ['Title', '&', 'more', 'Headline', 'café', '日本', 'next', 'line']);
    assert.equal(
      (await textOf('<?xml version="1.0"?><p>a<script/>b<style/>c</p>', 'application/xhtml+xml')).trim(),
      'abc',
    );
  });

  it('is undefined for types without text', async () => {
    for (const type of [
      'image/png',
      'application/octet-stream',
      'application/zip',
      'text/rtf',
      'video/mp4',
      '',
    ])
      assert.equal(await textsOf(Buffer.from('text'), type), undefined, type);
  });

  it('is read for all that is text by another name', async () => {
    for (const type of [
      'text/csv',
      'application/x-ndjson',
      'image/svg+xml',
      'application/toml',
      'message/rfc822',
    ])
      assert.equal(await textOf('some "text"', type), 'some "text"', type);
  });

  it('is read up to 20 MiB, in a thread, and not opened beyond', async () => {
    const bytes = Buffer.alloc(MAX_EXTRACTED_SIZE, 'word ');
    const found = await textsOf(bytes, 'text/plain');
    assert.ok(found && 'texts' in found && found.cut === undefined);
    assert.equal(found.texts[0], bytes.toString());
    const never = () => assert.fail('it was opened');
    const refused = await extractText(never, 'text/plain', MAX_EXTRACTED_SIZE + 1);
    assert.deepEqual(refused, { unreadable: 'larger than 20 MiB' });
  });

  it('is none where there are more bytes than were announced, and the stream is closed', async () => {
    const stream = Readable.from(Array.from({ length: 30 }, () => Buffer.alloc(1024 * 1024, 'a')));
    assert.deepEqual(await extractText(() => stream, 'text/plain', 10), { unreadable: 'larger than 20 MiB' });
    assert.equal(stream.destroyed, true);
  });
});

describe('the text of a PDF', () => {
  it('is that of all pages, in one text', async () => {
    const bytes = pagesOf([linesOf('(first page)', '(caf\\351 \\(and more\\))'), linesOf('(second page)')]);
    assert.equal(await textOf(bytes, PDF), 'first page\r\ncafé (and more)\nsecond page\n');
  });

  it('has Chinese, Japanese and Korean of fonts that are not embedded, and joins their lines', async () => {
    const hex = (text: string) => `<${iconv.encode(text, 'Shift_JIS').toString('hex')}>`;
    const bytes = pagesOf([linesOf(hex('日本語の文'), hex('書を読む'), hex('ＡＢＣ'))], RYUMIN);
    assert.match(await textOf(bytes, PDF), /日本語の文書を読む\r\nＡＢＣ/);
  });

  it('has words that were parted at the end of a line', async () => {
    const bytes = pagesOf([linesOf('(a manip-)', '(ulation of words)')]);
    assert.match(await textOf(bytes, PDF), /a manipulation/);
  });

  it('is found in a real file, and in one that lost its table of objects', async () => {
    const bytes = documentFixture('filetype__fixture-minimal.pdf');
    assert.equal(await textOf(bytes, PDF), 'Hello World\n');
    const cut = bytes.subarray(0, bytes.indexOf('xref'));
    assert.equal(
      await textOf(Buffer.concat([cut, Buffer.from('trailer<</Root 1 0 R>>')]), PDF),
      'Hello World\n',
    );
  });

  it('is told to be missing for a password, damage, and other bytes', async () => {
    const locked = pdfOf(
      ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>', encryption()],
      '/Encrypt 3 0 R/ID[<00><00>]',
    );
    assert.deepEqual(await textsOf(locked, PDF), { unreadable: 'it has a password' });
    assert.deepEqual(await textsOf(Buffer.from('no PDF'), PDF), { unreadable: 'it is damaged, or no PDF' });
    assert.deepEqual(await textsOf(Buffer.alloc(0), PDF), { unreadable: 'it is damaged, or no PDF' });
  });
});

/** The standard security handler with keys that no password fits. */
function encryption(): string {
  const key = '11'.repeat(32);
  return `<</Filter/Standard/V 2/R 3/Length 128/P -4/O<${key}>/U<${key}>>>`;
}

describe('the text of a .docx', () => {
  it('is the paragraphs as one text, and each header and note as one', async () => {
    const body = `${paragraphOf('Straße <![CDATA[&]]> 日本')}<p><r><t>a</t><tab/><t>b</t><br/><t>c</t><noBreakHyphen/><t>d</t></r></p>
      <tbl><tr><tc>${paragraphOf('cell')}</tc></tr></tbl>`;
    const bytes = await docxOf(body, {
      'word/header1.xml': `<hdr>${paragraphOf('header')}</hdr>`,
      'word/footnotes.xml': `<footnotes>${paragraphOf('note')}</footnotes>`,
      'word/theme/theme1.xml': `<theme>${paragraphOf('theme')}</theme>`,
    });
    const found = await listOf(bytes, DOCX);
    assert.deepEqual(found, ['Straße & 日本\na\tb\nc-d\ncell', 'note', 'header']);
  });

  it('is without deleted and moved text, instructions of fields, readings and older forms', async () => {
    const body = `<p><del><r><delText>deleted</delText></r></del><moveFrom><r><t>moved</t></r></moveFrom>
      <r><instrText>PAGE</instrText></r><ruby><rt><r><t>かんじ</t></r></rt><rubyBase><r><t>漢字</t></r></rubyBase></ruby>
      <AlternateContent><Choice><r><t>box</t></r></Choice><Fallback><r><t>box</t></r></Fallback></AlternateContent></p>`;
    assert.deepEqual(await listOf(await docxOf(body), DOCX), ['漢字box']);
  });

  it('is read from the parts that the file declares, whatever they are called', async () => {
    const types =
      '<Types><Override PartName="/Main.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
    const bytes = await archive({ '[Content_Types].xml': types, 'main.xml': paragraphOf('declared') });
    assert.deepEqual(await listOf(bytes, DOCX), ['declared']);
  });

  it('is found in a real file', async () => {
    const [text = ''] = await listOf(documentFixture('filetype__fixture-office365.docx'), DOCX);
    assert.match(text, /Recently voted “Largest Upside Potential” by a panel/);
  });

  it('stays as far as it was read before a damaged part', async () => {
    const bytes = await docxOf(paragraphOf('whole'), { 'word/header1.xml': '<hdr><p>' });
    const found = await textsOf(bytes, DOCX);
    assert.ok(found && 'texts' in found);
    assert.deepEqual(found.texts, ['whole\n']);
    assert.match(found.cut ?? '', /^its part word\/header1\.xml is not well formed/);
  });
});

describe('the text of a .pptx', () => {
  it('is a text for each slide, in order, and for each page of notes', async () => {
    const slides = Array.from({ length: 11 }, (_, i) => `slide ${i + 1}`);
    const bytes = await pptxOf(slides, {
      'ppt/notesSlides/notesSlide1.xml': `<notes>${paragraphOf('what to say')}</notes>`,
      'ppt/slideMasters/slideMaster1.xml': `<sldMaster>${paragraphOf('Click to edit')}</sldMaster>`,
      'ppt/diagrams/data1.xml': `<dataModel>${paragraphOf('in a diagram')}</dataModel>`,
    });
    assert.deepEqual(await listOf(bytes, PPTX), [...slides, 'what to say', 'in a diagram']);
  });

  it('is found in a real file', async () => {
    assert.deepEqual(await listOf(documentFixture('filetype__fixture.pptx'), PPTX), ['Unicorns!']);
  });
});

describe('the text of an .xlsx', () => {
  it('is a text for each text and short number of its cells, once', async () => {
    const shared =
      '<sst><si><t>München</t><rPh><t>reading</t></rPh></si><si><r><t>two </t></r><r><t>runs</t></r></si></sst>';
    const rows = `<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c><c><v>4711</v></c><c><v>4711</v></c><c><v>-12.5</v></c></row>
      <row><c t="inlineStr"><is><t>in the cell</t></is></c><c t="str"><f>A1&amp;"x"</f><v>of a formula_x000A_</v></c>
      <c><v>0.30000000000000004</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2026-03-01</v></c></row>`;
    const bytes = await workbookOf(rows, {
      'xl/sharedStrings.xml': shared,
      'xl/comments1.xml': '<comments><comment><text><r><t>a comment</t></r></text></comment></comments>',
    });
    assert.deepEqual(await listOf(bytes, XLSX), [
      'Sheet1',
      'München',
      'two runs',
      '4711',
      '-12.5',
      'in the cell',
      'of a formula',
      '2026-03-01',
      'a comment',
    ]);
  });

  it('is found in a real file', async () => {
    assert.deepEqual(await listOf(documentFixture('filetype__fixture-office365.xlsx'), XLSX), [
      'Sheet1',
      'Test',
    ]);
  });
});

describe('the text of an OpenDocument file', () => {
  it('is the paragraphs of a text document, with notes and without deleted text', async () => {
    const content = `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h>Ü<text:span>ber</text:span>schrift</text:h>
      <text:p>a<text:s/>b<text:tab/>c<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p>`;
    assert.deepEqual(await listOf(await openDocumentOf('text', content), ODT), ['Überschrift\na b\tcnote']);
  });

  it('is a text for each cell and for each page', async () => {
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const table = `<table:table table:name="Sheet"><table:table-row>${cell('one')}${cell('two')}${cell('one')}</table:table-row></table:table>`;
    assert.deepEqual(await listOf(await openDocumentOf('spreadsheet', table), ODS), ['Sheet', 'one', 'two']);
    const pages = ['first', 'second']
      .map((text) => `<draw:page><text:p>${text}</text:p></draw:page>`)
      .join('');
    assert.deepEqual(await listOf(await openDocumentOf('presentation', pages), ODP), ['first', 'second']);
  });
});

describe('the text of real documents', { skip: noDocuments }, () => {
  for (const [name, type, word] of [
    ['tika__testOptionalHyphen.pdf', PDF, 'optionalhyphen'],
    ['tika__testPDF_XMPBasicSchema.pdf', PDF, 'Multiple rdf:Description tags'],
    ['filetype__fixture-fast-web.pdf', PDF, 'Test document made with Adobe Illustrator'],
    ['filetype__fixture.docx', DOCX, 'Unicorns!'],
    ['filetype__fixture.docm', DOCX, 'Test ERDIL'],
    ['tika__testAttachedTemplate.docx', DOCX, 'Document with external attached template'],
    ['filetype__fixture-office365.pptx', PPTX, '5 tips for a simpler way to work'],
    ['filetype__fixture.ppsx', PPTX, 'Example'],
    ['tika__testMSChart-govdocs-428996.pptx', PPTX, 'Thin Film Partnership'],
    ['tika__testEXCEL_phonetic.xlsx', XLSX, '豊田車会社'],
    ['tika__testStyles.odt', ODT, 'And another test is here.'],
    ['tika__testFooter.ods', ODS, 'Data 3'],
  ] as const) {
    it(`is found in ${name}`, async () => {
      const texts = await listOf(realDocument(name), type);
      assert.ok(
        texts.some((text) => text.includes(word)),
        JSON.stringify(texts),
      );
    });
  }
});

describe('limits of the text of a file', () => {
  it('are told with what was read before them', async () => {
    const plain = await extract('plain', Buffer.from('a'.repeat(1_001)), LIMITS);
    assert.ok('packed' in plain);
    assert.equal(plain.packed.all, 'a'.repeat(1_000));
    assert.equal(plain.cut, 'what comes after 1000 characters is left out');
    const rows = Array.from({ length: 200 }, (_, i) => `<row><c><v>${i}</v></c></row>`).join('');
    const cells = await extract('office', await workbookOf(rows), LIMITS);
    assert.ok('packed' in cells);
    assert.equal(cells.packed.ends.length, 100);
    assert.equal(cells.cut, 'what comes after 100 separate texts is left out');
  });

  it('of processor time keep what was read, and say so', async () => {
    const slides = await pptxOf(Array.from({ length: 2_000 }, () => 'word '.repeat(2_000)));
    const limits = { characters: 1e9, texts: 1e6, processorMs: 50 };
    const found = await extract('office', slides, limits);
    assert.ok('packed' in found);
    assert.ok(found.packed.all.length > 0 && found.packed.ends.length < 2_000);
    assert.equal(found.cut, 'what takes longer to read than 0.05 seconds is left out');
  });
});
