import { giveWay } from '../../../turns/next-turn.ts';
import { addressText } from '../areas.ts';
import type { CellNote } from '../looks.ts';
import { DECLARATION, MAIN } from './written-parts.ts';
import { escapeText } from './xml.ts';

/** Characters of one portion of output. */
const PORTION = 64 * 1024;

/** A text in portions of output; it yields to the event loop between them. */
export async function* portions(
  start: string,
  pieces: Iterable<string>,
  end: string,
): AsyncGenerator<string> {
  let portion = start;
  for (const piece of pieces) {
    portion += piece;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
    await giveWay();
  }
  yield portion + end;
}

/** The part with the texts and authors of the notes of a sheet. */
export function notesPart(notes: readonly CellNote[]): AsyncGenerator<string> {
  const authors = new Map<string, number>();
  for (const { author } of notes) authors.getOrInsertComputed(author, () => authors.size);
  const list = Array.from(authors.keys(), (author) => `<author>${escapeText(author)}</author>`);
  const start = `${DECLARATION}<comments xmlns="${MAIN}"><authors>${list.join('')}</authors><commentList>`;
  const elements = notes.values().map(({ row, column, author, text }) => {
    const ref = addressText(row, column);
    const content = `<text><t xml:space="preserve">${escapeText(text)}</t></text>`;
    return `<comment ref="${ref}" authorId="${authors.get(author) ?? 0}">${content}</comment>`;
  });
  return portions(start, elements, '</commentList></comments>');
}

/** Programs number the shapes of all sheets in blocks of this size. */
const SHAPES_IN_BLOCK = 1_024;
const SHAPE_TYPE =
  '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>';

/** The part with the boxes in which programs show the notes of a sheet, when the pointer is over their cells. */
export function notesShapes(notes: readonly CellNote[], sheet: number): AsyncGenerator<string> {
  const blocks = 1 + Math.floor(notes.length / SHAPES_IN_BLOCK);
  // Blocks of one sheet follow each other; sheets are far enough apart for the most notes of a workbook.
  const firstBlock = (sheet - 1) * 65 + 1;
  const used = Array.from({ length: blocks }, (_, i) => firstBlock + i).join(',');
  const start = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="${used}"/></o:shapelayout>${SHAPE_TYPE}`;
  let id = firstBlock * SHAPES_IN_BLOCK;
  const shapes = notes.values().map((note) => shape(note, ++id));
  return portions(start, shapes, '</xml>');
}

function shape({ row, column }: CellNote, id: number): string {
  const style =
    'position:absolute;margin-left:59.25pt;margin-top:1.5pt;width:144pt;height:79pt;z-index:1;visibility:hidden';
  return `<v:shape id="_x0000_s${id}" type="#_x0000_t202" style="${style}" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:AutoFill>False</x:AutoFill><x:Row>${row}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`;
}
