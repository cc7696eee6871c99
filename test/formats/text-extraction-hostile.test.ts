import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it, mock } from 'node:test';
import { extractText, MAX_CHARACTERS } from '../../src/formats/text-extraction/extraction.ts';
import { onBehalfOf } from '../../src/turns/current-user.ts';
import { eventually } from '../eventually.ts';
import { turnsDuring } from '../turns.ts';
import {
  DOCX,
  docxOf,
  HELVETICA,
  linesOf,
  noDocuments,
  ODS,
  openDocumentOf,
  PDF,
  PPTX,
  pagesOf,
  paragraphOf,
  pdfOf,
  pptxOf,
  RYUMIN,
  realDocument,
  realDocuments,
  streamOf,
  textsOf,
  XLSX,
} from './document-files.ts';
import { archive, workbookOf } from './workbook-files.ts';

const MIB = 1024 * 1024;
/** Far more than a file may take, on a machine of any speed. */
const TIMEOUT = 200_000;

/** What is said of bytes; the event loop goes on meanwhile. */
async function told(bytes: Uint8Array, type: string): Promise<string> {
  const startedAt = performance.now();
  const found = await textsOf(bytes, type);
  assert.ok(performance.now() - startedAt < TIMEOUT);
  assert.ok(found !== undefined);
  if ('unreadable' in found) {
    assert.equal(found.isTemporary, undefined, found.unreadable);
    return found.unreadable;
  }
  const length = found.texts.reduce((sum, text) => sum + text.length, 0);
  assert.ok(length <= MAX_CHARACTERS);
  return `${found.texts.length} texts${found.cut === undefined ? '' : `, ${found.cut}`}`;
}

const OUT_OF_MEMORY = /^reading it takes more than 256 MiB of memory$/;

/** PDFs that are made to do harm, and what is told of them. */
const PDFS: Record<string, { bytes: () => Buffer; told: RegExp }> = {
  'a page that inflates to a gibibyte of blanks': {
    bytes: () => pagesOf([Buffer.alloc(1024 * MIB, ' ')], HELVETICA, 2),
    told: OUT_OF_MEMORY,
  },
  'a page of three million pieces of text': {
    bytes: () => pagesOf([`BT /F 1 Tf ${'(aaaaaaaaaa) Tj 1 0 Td '.repeat(3_000_000)} ET`], HELVETICA, 2),
    told: OUT_OF_MEMORY,
  },
  'forms that draw each other twice, thirty deep': {
    bytes: () => {
      const forms = Array.from({ length: 30 }, (_, i) => {
        const next = i < 29 ? `/XObject<</X ${5 + i} 0 R>>` : '';
        const dictionary = `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F 3 0 R>>${next}>>`;
        const stream = streamOf(i < 29 ? '/X Do /X Do' : linesOf('(boom)'))
          .toString('latin1')
          .slice(2);
        return Buffer.from(dictionary + stream, 'latin1');
      });
      return pagesOf(['/X Do'], HELVETICA, 1, '/XObject<</X 4 0 R>>', forms);
    },
    told: /^reading it takes more than 256 MiB of memory$|^[01] texts/,
  },
  'arrays nested millions deep': {
    bytes: () => pagesOf([linesOf('(a)')], HELVETICA, 1, '', ['['.repeat(5_000_000)]),
    told: /^1 texts$/,
  },
  'a page of states and arrays without end': {
    bytes: () => pagesOf(['q '.repeat(5_000_000) + '['.repeat(5_000_000)]),
    told: /^reading it takes more than 256 MiB of memory$|^0 texts$/,
  },
  'hundreds of thousands of objects': {
    bytes: () => pagesOf([linesOf('(a)')], HELVETICA, 1, '', new Array(300_000).fill('0')),
    told: /^1 texts$/,
  },
  'a million objects without a table': {
    bytes: () => Buffer.from(`%PDF-1.4\n${'9 0 obj\n0\nendobj\n'.repeat(1_000_000)}`),
    told: /^it is damaged, or no PDF$/,
  },
  'nothing but beginnings of objects': {
    bytes: () => Buffer.from(`%PDF-1.4\n${'1 0 obj '.repeat(2_500_000)}`),
    told: /^it is damaged, or no PDF$/,
  },
  'pages that hold themselves': {
    bytes: () => pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000>>']),
    told: /^0 texts/,
  },
  'one page 250,000 times': {
    bytes: () =>
      pdfOf([
        '<</Type/Catalog/Pages 2 0 R>>',
        `<</Type/Pages/Kids[${'3 0 R '.repeat(250_000)}]/Count 250000>>`,
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>`,
        streamOf(linesOf('(boom and more)')),
        HELVETICA,
      ]),
    told: /^1 texts(?:, what .* is left out)?$/,
  },
  'a font that maps all characters, a hundred thousand times': {
    bytes: () => {
      const map = `begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange ${'1 beginbfrange <0000> <FFFF> <0000> endbfrange '.repeat(100_000)} endcmap`;
      const font = RYUMIN.replace('90ms-RKSJ-H', 'Identity-H').replace(
        '/Type/Font',
        '/Type/Font/ToUnicode 4 0 R',
      );
      return pagesOf([linesOf('<00410042>')], font, 1, '', [streamOf(map)]);
    },
    told: /^1 texts$/,
  },
  'a picture of ten thousand million pixels': {
    bytes: () => {
      const picture =
        '<</Type/XObject/Subtype/Image/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB/Length 1>>stream\nx\nendstream';
      return pagesOf([`/X Do ${linesOf('(a)')}`], HELVETICA, 1, '/XObject<</X 4 0 R>>', [picture]);
    },
    told: /^1 texts$/,
  },
  'a script and an action that fetches': {
    bytes: () =>
      pdfOf([
        '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(for(;;);)>>/AA<</WC<</S/URI/URI(http://127.0.0.1:1/)>>>>>>',
        '<</Type/Pages/Kids[]/Count 0>>',
      ]),
    told: /^0 texts$/,
  },
};

describe('PDFs that are made to do harm', { timeout: 900_000 }, () => {
  for (const [name, { bytes, told: expected }] of Object.entries(PDFS)) {
    it(`with ${name} are read or refused in time`, async () => {
      const pdf = bytes();
      assert.ok(pdf.length < 20 * MIB, `${pdf.length} bytes`);
      assert.match(await told(pdf, PDF), expected);
    });
  }

  it('take no more memory than they may, and their thread ends', async () => {
    const pdf = PDFS['a page of three million pieces of text']?.bytes() ?? assert.fail();
    let threads = 0;
    const count = () => threads++;
    process.on('worker', count);
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 10);
    assert.match(await onBehalfOf('who has much', () => told(pdf, PDF)), OUT_OF_MEMORY);
    clearInterval(timer);
    assert.ok(peak - before < 700 * MIB, `${Math.round((peak - before) / MIB)} MiB`);
    threads = 0;
    // The thread that was there for both of them has ended, so another one is started.
    const next = onBehalfOf('nobody else', () => told(pagesOf([linesOf('(next)')]), PDF));
    assert.equal(await next, '1 texts');
    process.off('worker', count);
    assert.equal(threads, 1);
  });

  it('leave the next file unharmed, and others of another user', async () => {
    const bomb = onBehalfOf('hostile', () =>
      textsOf(PDFS['a page of three million pieces of text']?.bytes() ?? assert.fail(), PDF),
    );
    const next = onBehalfOf('hostile', () => textsOf(pagesOf([linesOf('(next)')]), PDF));
    const other = onBehalfOf('other', () => textsOf(pagesOf([linesOf('(other)')]), PDF));
    assert.deepEqual(await other, { texts: ['other\n'] });
    assert.deepEqual(await next, { texts: ['next\n'] });
    assert.ok('unreadable' in ((await bomb) ?? {}));
  });

  it('do not hold the event loop', async () => {
    const bytes = PDFS['nothing but beginnings of objects']?.bytes() ?? assert.fail();
    assert.ok((await turnsDuring(textsOf(bytes, PDF))) > 100);
  });
});

describe('archives that are made to do harm', { timeout: 900_000 }, () => {
  it('are refused when they inflate without measure', async () => {
    const bytes = await docxOf(paragraphOf(' '.repeat(MIB)).repeat(80));
    assert.ok(bytes.length < 200_000);
    assert.match(await told(bytes, DOCX), /^what comes after 20971520 characters is left out$/);
    const slides = await pptxOf(Array.from({ length: 70 }, () => `<pad a="${'b'.repeat(MIB)}"/>`));
    assert.match(await told(slides, PPTX), /^it inflates to more than 67108864 bytes$/);
  });

  it('are refused when they define entities', async () => {
    const entities =
      '<!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
    for (const [bytes, type] of [
      [await archive({ 'word/document.xml': `${entities}<a>&b;&c;</a>` }), DOCX],
      [await archive({ 'content.xml': `${entities}<a>&b;&c;</a>` }), ODS],
      [await workbookOf('', { 'xl/sharedStrings.xml': `${entities}<sst/>` }), XLSX],
    ] as const) {
      assert.match(await told(bytes, type), /has a document type, which is not read$/);
    }
  });

  it('are refused when they are nested without end, cut off or something else', async () => {
    const nested = `${'<p>'.repeat(100_000)}${'</p>'.repeat(100_000)}`;
    assert.match(await told(await docxOf(nested), DOCX), /is nested too deeply$/);
    const table = (depth: number): string =>
      depth === 0 ? paragraphOf('inmost') : `<tbl><tr><tc>${table(depth - 1)}</tc></tr></tbl>`;
    assert.equal(await told(await docxOf(table(60)), DOCX), '1 texts');
    assert.match(
      await told(await docxOf(`<a ${'b="c" '.repeat(2_000_000)}/>`), DOCX),
      /too long|not well formed/,
    );
    const whole = await docxOf(paragraphOf('text'));
    assert.match(await told(whole.subarray(0, whole.length - 30), DOCX), /^its archive is damaged/);
    assert.match(await told(Buffer.from('PK'), DOCX), /^its archive is damaged/);
    assert.match(await told(Buffer.from('d0cf11e0a1b11ae1', 'hex'), DOCX), /^its archive is damaged/);
    assert.match(
      await told(await archive({ 'a.txt': 'a' }), DOCX),
      /^it is an archive without a part that is read$/,
    );
  });

  it('are read as far as so many cells may be', async () => {
    const cells = Array.from({ length: 600_000 }, (_, i) => `<c t="str"><v>n${i}</v></c>`).join('');
    const bytes = await workbookOf(`<row>${cells}</row>`);
    assert.equal(await told(bytes, XLSX), '500000 texts, what comes after 500000 separate texts is left out');
    const sheet = await openDocumentOf(
      'spreadsheet',
      '<table:table-cell><text:p>a</text:p></table:table-cell>'.repeat(600_000),
    );
    assert.equal(await told(sheet, ODS), '1 texts');
  });
});

describe('texts that are made to do harm', { timeout: 900_000 }, () => {
  for (const [name, piece, type] of [
    ['tags that are never closed', '<a><div>', 'text/html'],
    ['closing tags that were never open', '<b></i>', 'text/html'],
    ['beginnings of tags', '<', 'text/html'],
    ['beginnings of comments', '<!--', 'text/html'],
    ['beginnings of entities', '&am', 'text/html'],
    ['entities', '&lt;', 'text/html'],
    ['declarations', '<?xml <meta ', 'text/html'],
    ['backslashes', '\\', 'application/json'],
    ['escapes', '\\u00e9', 'application/json'],
    ['bytes of no encoding', '\x81\x8d', 'text/plain'],
    ['zero bytes', '\0', 'text/plain'],
  ] as const) {
    it(`of nothing but ${name} are read or refused in time`, async () => {
      const bytes = Buffer.alloc(20 * MIB, Buffer.from(piece, 'latin1'));
      assert.match(
        await told(bytes, type),
        /^[01] texts(?:, what .* is left out)?$|^it is text in no encoding that is read$/,
      );
    });
  }

  it('are none where they never come to an end, and the stream is closed', async () => {
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536, 'a'));
      },
    });
    assert.deepEqual(await extractText(() => endless, 'text/plain', 1), { unreadable: 'larger than 20 MiB' });
    assert.equal(endless.destroyed, true);
  });
});

describe('content that fails', () => {
  it('is told as a temporary failure', async () => {
    const failing = () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('a');
          throw new Error('connection lost');
        })(),
      );
    const expected = { unreadable: 'its content could not be read (connection lost)', isTemporary: true };
    assert.deepEqual(await extractText(failing, 'text/plain', 5), expected);
    const refused = () => Promise.reject(new Error('connection lost'));
    assert.deepEqual(await extractText(refused, 'text/plain', 5), expected);
  });

  it('is given up when the signal aborts: before it is opened, while it comes, and while it is read', async () => {
    const expected = { unreadable: 'reading it was stopped', isTemporary: true };
    const never = () => assert.fail('it was opened');
    assert.deepEqual(await extractText(never, 'text/plain', 5, AbortSignal.abort()), expected);
    const coming = new AbortController();
    // It begins, and nothing comes any more.
    const stream = new Readable({ read: () => setImmediate(() => coming.abort()) });
    assert.deepEqual(await extractText(() => stream, 'text/plain', 5, coming.signal), expected);
    await eventually(() => stream.destroyed, 'the stream is closed');
    const reading = new AbortController();
    const long = PDFS['one page 250,000 times']?.bytes() ?? assert.fail();
    const work = textsOf(long, PDF, reading.signal);
    const next = textsOf(pagesOf([linesOf('(next)')]), PDF);
    await new Promise((resolve) => setTimeout(resolve, 300));
    reading.abort();
    assert.deepEqual(await work, expected);
    assert.deepEqual(await next, { texts: ['next\n'] });
  });
});

describe('the thread that extracts text', () => {
  it('ends after it has been idle', async () => {
    const small = () => onBehalfOf('another', () => textsOf(pagesOf([linesOf('(a)')]), PDF));
    let threads = 0;
    const count = () => threads++;
    process.on('worker', count);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      await small();
      threads = 0;
      await small();
      assert.equal(threads, 0, 'one thread reads several files');
      mock.timers.tick(31_000);
      await small();
      assert.equal(threads, 1, 'the first one has ended');
    } finally {
      mock.timers.reset();
      process.off('worker', count);
    }
  });
});

describe('real files of all types', { skip: noDocuments }, () => {
  it('are read or refused under every type', async () => {
    for (const name of realDocuments('')) {
      const bytes = realDocument(name);
      if (bytes.length > 200_000) continue;
      for (const type of [PDF, DOCX, XLSX, 'text/html', 'application/json', 'text/plain'])
        await told(bytes, type);
    }
  });
});
