import { Archive } from '../../workbooks/xlsx/archive.ts';
import { readWholeXml, readXml, type XmlReader } from '../../workbooks/xlsx/xml.ts';
import { type ExtractedTexts, UnreadableContent } from '../extracted-texts.ts';
import { CellTexts, SharedStringsReader, SheetNamesReader, SheetReader } from './cells.ts';
import { OpenDocumentReader } from './open-document.ts';
import { ParagraphReader } from './paragraphs.ts';

/**
 * Deepest nesting of elements. Each level of nested tables, groups or text boxes takes several; programs make no more
 * than some dozens.
 */
const MAX_DEPTH = 256;

/** What the readers of one file share. */
interface Sink {
  readonly texts: ExtractedTexts;
  readonly cells: CellTexts;
}

/** Parts of a file with text, in the order in which they are read. */
interface PartKind {
  /** By the content type that the file declares for the part (ECMA-376-2 7.2.3). */
  readonly type?: RegExp;
  /** By the usual name, in lower case: some writers declare types in their own way. */
  readonly name: RegExp;
  readonly reader: (sink: Sink) => XmlReader;
}

const paragraphs = ({ texts }: Sink): XmlReader => new ParagraphReader(texts);

/** The parts of text documents, presentations, workbooks and OpenDocument files, which share no names. */
const PARTS: readonly PartKind[] = [
  {
    type: /wordprocessingml\.(?:document|template)\.main\+xml$|ms-word\.[a-z]+\.macroenabled(?:template)?\.main\+xml$/,
    name: /^word\/document\d*\.xml$/,
    reader: paragraphs,
  },
  {
    type: /wordprocessingml\.(?:header|footer|footnotes|endnotes|comments)\+xml$/,
    name: /^word\/(?:header|footer|footnotes|endnotes|comments)\d*\.xml$/,
    reader: paragraphs,
  },
  { type: /presentationml\.slide\+xml$/, name: /^ppt\/slides\/slide\d+\.xml$/, reader: paragraphs },
  {
    type: /presentationml\.notesslide\+xml$/,
    name: /^ppt\/notesslides\/notesslide\d+\.xml$/,
    reader: paragraphs,
  },
  {
    type: /spreadsheetml\.sheet\.main\+xml$/,
    name: /^xl\/workbook\.xml$/,
    reader: ({ cells }) => new SheetNamesReader(cells),
  },
  {
    type: /spreadsheetml\.sharedstrings\+xml$/,
    name: /^xl\/sharedstrings\.xml$/,
    reader: ({ cells }) => new SharedStringsReader(cells),
  },
  {
    type: /spreadsheetml\.worksheet\+xml$/,
    name: /^xl\/worksheets\/sheet\d+\.xml$/,
    reader: ({ cells }) => new SheetReader(cells),
  },
  {
    type: /spreadsheetml\.comments\+xml$|ms-excel\.threadedcomments\+xml$|(?:presentationml|ms-powerpoint)\.comments\+xml$/,
    name: /^(?:xl|ppt)\/(?:threadedcomments\/threadedcomment|comments\/(?:modern)?comment|comments)\d*\.xml$/,
    reader: paragraphs,
  },
  {
    type: /drawingml\.(?:chart|diagramdata)\+xml$|officedocument\.drawing\+xml$/,
    name: /^(?:word|xl|ppt)\/(?:charts\/chart|diagrams\/data|drawings\/drawing)\d+\.xml$/,
    reader: paragraphs,
  },
  { name: /^content\.xml$/, reader: ({ texts, cells }) => new OpenDocumentReader(texts, cells) },
];

/**
 * Adds the texts of a .docx, .pptx, .xlsx, .odt, .odp or .ods file: each header, slide, note and cell is a text of its
 * own. Throws LimitReached, and UnreadableContent or UnreadableWorkbook when it is damaged or no such file.
 */
export async function addOfficeText(bytes: Uint8Array, texts: ExtractedTexts): Promise<void> {
  const archive = await Archive.open(bytes);
  const types = await partTypes(archive, texts);
  const sink: Sink = { texts, cells: new CellTexts(texts) };
  let found = 0;
  for (const kind of PARTS) {
    for (const part of partsOf(kind, archive, types)) {
      found++;
      for await (const _step of readXml(part, archive.read(part), kind.reader(sink), MAX_DEPTH)) {
        texts.checkTime();
      }
      texts.endText();
    }
  }
  if (found === 0) throw new UnreadableContent('it is an archive without a part that is read');
}

/** The declared types of the parts of an Office Open XML file, in lower case, by name. */
async function partTypes(archive: Archive, texts: ExtractedTexts): Promise<Map<string, string>> {
  const part = '[content_types].xml';
  const types = new Map<string, string>();
  await readWholeXml(part, archive.read(part), {
    open(name, { PartName: partName = '', ContentType: type = '' }) {
      texts.checkTime();
      if (name === 'Override') types.set(partName.replace(/^\//, '').toLowerCase(), type.toLowerCase());
    },
  });
  return types;
}

/** In the order of their numbers: slide2 before slide10. */
function partsOf({ type, name }: PartKind, { parts }: Archive, types: ReadonlyMap<string, string>): string[] {
  const isOfKind = (part: string) => {
    const declared = types.get(part);
    return name.test(part) || (declared !== undefined && (type?.test(declared) ?? false));
  };
  return parts.filter(isOfKind).sort((a, b) => numberOf(a) - numberOf(b));
}

function numberOf(part: string): number {
  return Number.parseInt(/\d{1,9}\.xml$/.exec(part)?.[0] ?? '0', 10);
}
