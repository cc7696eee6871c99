import { digestProblems } from '../../../src/areas/drive/uploads/received-content.ts';
import { ruleProblems } from '../../../src/areas/mail/filters/rule-problems.ts';
import { InvalidRange, parseRange } from '../../../src/areas/spreadsheets/cells/a1.ts';
import { ApiError } from '../../../src/contract/errors.ts';
import { parseJson } from '../../../src/contract/json.ts';
import { Cursors, type Listing } from '../../../src/contract/pagination.ts';
import { mayAnswerRange, requireState, weighPreconditions } from '../../../src/contract/preconditions.ts';
import { bearerToken } from '../../../src/contract/principal.ts';
import { readCalendar } from '../../../src/formats/icalendar/read.ts';
import { markdownToHtml } from '../../../src/formats/markdown/html.ts';
import { parseAddresses } from '../../../src/formats/messages/addresses.ts';
import { parseDate, parseReceivedDate } from '../../../src/formats/messages/dates.ts';
import { sanitizeHtml } from '../../../src/formats/messages/html-sanitizer.ts';
import { htmlText } from '../../../src/formats/messages/html-text.ts';
import { splitMbox } from '../../../src/formats/messages/mbox.ts';
import { parseHeaders, parseMessage, readAttachment } from '../../../src/formats/messages/parse.ts';
import { InvalidRule } from '../../../src/formats/recurrence/rule.ts';
import { parseRule } from '../../../src/formats/recurrence/rule-text.ts';
import { extract } from '../../../src/formats/text-extraction/extract.ts';
import type { Kind } from '../../../src/formats/text-extraction/kinds.ts';
import { readCards } from '../../../src/formats/vcard/read.ts';
import { readWorkbook } from '../../../src/formats/workbooks/read.ts';
import { UnreadableWorkbook } from '../../../src/formats/workbooks/workbook.ts';
import { idempotencyKeyOf } from '../../../src/once/idempotency.ts';
import { checkMediaType, undecodableParameters } from '../../../src/server/http/body.ts';
import { selectRange } from '../../../src/server/http/ranges.ts';
import { inPieces } from '../../formats/messages-corpus-files.ts';
import { workbookOf } from '../../formats/workbook-files.ts';
import { seeds } from './seeds.ts';

/** Something that reads what anybody may send. */
export interface Parser {
  seeds: Buffer[];
  /** Reads all of it. What it throws must be one of the refusals. */
  read(bytes: Buffer): unknown;
  refusals?: readonly (new (...args: never[]) => Error)[];
}

const PIECE = 1_000;
const WHOLE = { etag: '"a"', lastModified: 0 };

/** By name. */
export const PARSERS: Record<string, () => Parser> = {
  messages: () => ({
    seeds: seeds('mail/*.eml', 'mail/*.eml'),
    read: async (bytes) => {
      const { attachments } = await parseMessage(bytes);
      await parseHeaders(bytes);
      for (const position of attachments.keys()) await drain(readAttachment(bytes, position));
    },
  }),
  'addresses and dates': () => ({
    seeds: seeds(
      '',
      '',
      'Ada <ada@x.example>, "B, C" <b@y.example>;',
      'Mon, 2 Mar 2026 09:00:00 +0100 (CET)',
    ),
    read: (bytes) => [parseAddresses, parseDate, parseReceivedDate].map((parse) => parse(bytes.toString())),
  }),
  mailboxes: () => ({
    seeds: seeds('mbox/*', 'mail/*.mbox'),
    read: (bytes) => drain(splitMbox(inPieces(bytes, PIECE))),
  }),
  iCalendar: () => ({
    seeds: seeds(
      'ics/*.ics',
      '',
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260301T090000Z\r\nEND:VEVENT\r\n',
    ),
    read: (bytes) => drain(readCalendar(inPieces(bytes, PIECE))),
  }),
  'recurrence rules': () => ({
    seeds: seeds(
      '',
      '',
      'FREQ=MONTHLY;BYDAY=-1FR,2TU;COUNT=3',
      'FREQ=YEARLY;UNTIL=20300101T000000Z;BYWEEKNO=5',
    ),
    read: (bytes) => parseRule(bytes.toString()),
    refusals: [InvalidRule],
  }),
  vCard: () => ({
    seeds: seeds('vcf/*.vcf', '', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n'),
    read: (bytes) => drain(readCards(inPieces(bytes, PIECE))),
  }),
  '.xlsx': () => ({
    seeds: seeds('sheets/*.xlsx', 'workbooks/*.xlsx'),
    read: readCells,
    refusals: [UnreadableWorkbook],
  }),
  'XML of sheets': () => ({
    seeds: seeds(
      '',
      '',
      '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1"><f t="shared" ref="B1:B9" si="0">A1*2</f><v>1</v></c></row>',
      '<row r="2"><c t="inlineStr"><is><r><t>a</t></r></is></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>',
    ),
    read: async (bytes) => readCells(await workbookOf(bytes.toString())),
    refusals: [UnreadableWorkbook],
  }),
  CSV: () => ({
    seeds: seeds('sheets/*.csv', '', 'a,"b ""c""",1.5\r\nTRUE;x\r\n', '\ufeffname\tvalue\n'),
    read: readCells,
    refusals: [UnreadableWorkbook],
  }),
  'A1 references': () => ({
    seeds: seeds('', '', "'My sheet'!$A$1:b2", 'Sheet1!A:C', '2:5', 'XFD1048576'),
    read: (bytes) => parseRange(bytes.toString()),
    refusals: [InvalidRange],
  }),
  Markdown: () => ({
    seeds: seeds(
      '',
      '',
      '# T\n\n- [a](b "c")\n\n| a | b |\n|---|---|\n| `x` | **y** |\n\n> ~~z~~ <b>q</b>\n',
    ),
    read: (bytes) => assertHarmless(markdownToHtml(bytes.toString())),
  }),
  HTML: () => ({
    seeds: seeds(
      '',
      '',
      '<div style="color:red" onclick="x()"><a href="java&#115;cript:x()">a</a><img src="cid:1"></div>',
      '<svg><style><!--</style><img src=x onerror=x()>--></svg><table><td>1<math><mi>x</mi></math>',
    ),
    read: (bytes) => {
      const { html } = sanitizeHtml(bytes.toString());
      assertHarmless(html);
      htmlText(html);
    },
  }),
  'text of files': () => ({
    seeds: seeds(
      'types/*.{html,xml,json,csv}',
      'workbooks/*.csv',
      '<title>a</title><script>b</script><p>c&eacute;<br/>d<!-- e -->',
      '<?xml version="1.0" encoding="Shift_JIS"?><a>\u65e5</a>',
      '{"a":"\\u00e9\\n","b":"\\ud83d\\ude00"}',
    ),
    read: (bytes) => extractAs(bytes, 'plain', 'json', 'html'),
  }),
  'text of PDF': () => ({
    seeds: seeds('types/*.pdf', 'documents/*.pdf'),
    read: (bytes) => extractAs(bytes, 'pdf'),
  }),
  'text of office files': () => ({
    seeds: seeds('types/*.{docx,xlsx,pptx,odt,ods,odp}', 'documents/*.{docx,xlsx,pptx}'),
    read: (bytes) => extractAs(bytes, 'office'),
  }),
  JSON: () => ({
    seeds: seeds('', '', '{"a":[1,-2.5e3,"x\\u00e9\\n"],"b":{"c":null,"d":true}}', '[[[["deep"]]]]'),
    read: parseJson,
    refusals: [ApiError],
  }),
  'rules of filters': () => ({
    seeds: seeds(
      '',
      '',
      '{"rule":{"match":"any","conditions":[{"field":"header:x","op":"regex","value":"a"}],"actions":[{"type":"move"}]}}',
    ),
    read: (bytes) => ruleProblems(parseJson(bytes)),
    refusals: [ApiError],
  }),
  cursors: () => {
    const listing: Listing = { listing: 'listFiles', user: 'usr_1', filters: 'none' };
    const cursors = new Cursors(Buffer.alloc(32), 3_600);
    return {
      seeds: seeds('', '', cursors.encode(listing, ['a place'])),
      read: (bytes) => cursors.decode(listing, bytes.toString()),
      refusals: [ApiError],
    };
  },
  headers: () => ({
    seeds: seeds(
      '',
      '',
      'bytes=0-5, -7, 9-',
      'sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:, sha-512=:YQ==:',
      'W/"a", "b" , *',
      'text/vcard; charset="utf-8"; x=y',
      'Bearer atr_abc',
      '/v1/files?q=%C3%A9&limit=1',
    ),
    read: (bytes) => readAsHeader(bytes.toString('latin1')),
    refusals: [ApiError],
  }),
};

async function readCells(bytes: Buffer): Promise<void> {
  await drain((await readWorkbook(bytes)).portions);
}

/** What cannot be read is told, and nothing is thrown. */
async function extractAs(bytes: Buffer, ...kinds: Kind[]): Promise<void> {
  for (const kind of kinds) await extract(kind, bytes, { characters: 1e6, texts: 1e5, processorMs: 20_000 });
}

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

function assertHarmless(html: string): void {
  if (/<(script|iframe|object|embed|style|svg)\b|<[^>]* on\w+=/i.test(html)) throw new Error(`Left: ${html}`);
}

/** The value in the place of every header that is read as more than a word; the first refusal is not the last. */
function readAsHeader(value: string): void {
  selectRange(value, 100);
  undecodableParameters(value);
  digestProblems({ 'content-digest': value });
  for (const name of ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'])
    weighPreconditions({ [name]: value }, WHOLE);
  mayAnswerRange({ range: 'bytes=0-1', 'if-range': value }, WHOLE);
  const refusing = [
    () => requireState({ 'if-match': value }, 'a'),
    () => checkMediaType({ 'content-type': value, 'content-length': '1' }, 'text/vcard'),
    () => bearerToken(value),
    () => idempotencyKeyOf(value),
  ];
  for (const read of refusing) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
