import { addressText, areaText } from '../areas.ts';
import type { CellLink, FrozenPanes, SheetLooks } from '../looks.ts';
import { OFFICE } from './written-parts.ts';
import { escapeAttribute } from './xml.ts';

/**
 * The ids of the relationships to the targets of links, one for each target; filled while the links are written.
 */
export type LinkIds = Map<string, string>;

/** The relationship elements of the targets of links. */
export function* linkRelationships(ids: LinkIds): Generator<string> {
  for (const [target, id] of ids) {
    yield `<Relationship Id="${id}" Type="${OFFICE}/hyperlink" Target="${escapeAttribute(target)}" TargetMode="External"/>`;
  }
}

function linkElement({ target, location, tooltip, ...area }: CellLink, ids: LinkIds): string {
  const id = target === undefined ? undefined : ids.getOrInsertComputed(target, () => `link${ids.size + 1}`);
  const attributes = [
    ['ref', areaText(area)],
    ['r:id', id],
    ['location', location],
    ['tooltip', tooltip],
  ] as const;
  const texts = attributes.map(([name, value]) =>
    value === undefined ? '' : ` ${name}="${escapeAttribute(value)}"`,
  );
  return `<hyperlink${texts.join('')}/>`;
}

/** The elements of a worksheet before its rows: frozen panes, and widths of columns. */
export function elementsBeforeRows(looks: SheetLooks | undefined): string {
  if (!looks) return '';
  const { panes, defaultWidth, columns } = looks;
  const format =
    defaultWidth === undefined
      ? ''
      : `<sheetFormatPr defaultColWidth="${defaultWidth}" defaultRowHeight="15"/>`;
  const list = columns.map(({ first, last, width, isHidden }) => {
    const shown = width === undefined ? '' : ` width="${width}" customWidth="1"`;
    return `<col min="${first + 1}" max="${last + 1}"${shown}${isHidden ? ' hidden="1"' : ''}/>`;
  });
  return (
    (panes ? viewElement(panes) : '') + format + (list.length > 0 ? `<cols>${list.join('')}</cols>` : '')
  );
}

function viewElement({ rows, columns, top, left, scrolledRow, scrolledColumn }: FrozenPanes): string {
  const shown = top + left > 0 ? ` topLeftCell="${addressText(top, left)}"` : '';
  const split = `${columns > 0 ? ` xSplit="${columns}"` : ''}${rows > 0 ? ` ySplit="${rows}"` : ''}`;
  const pane = rows === 0 ? 'topRight' : columns === 0 ? 'bottomLeft' : 'bottomRight';
  const scrolled = addressText(scrolledRow, scrolledColumn);
  return `<sheetViews><sheetView workbookViewId="0"${shown}><pane${split} topLeftCell="${scrolled}" activePane="${pane}" state="frozen"/></sheetView></sheetViews>`;
}

const AT_ONCE = 1_000;

/** The elements of a worksheet after its rows, in portions. */
export function* elementsAfterRows(
  looks: SheetLooks | undefined,
  ids: LinkIds,
  filter: string,
): Generator<string> {
  yield filter;
  const { merges = [], links = [], notes = [] } = looks ?? {};
  yield* listElement('mergeCells', merges, (area) => `<mergeCell ref="${areaText(area)}"/>`);
  yield* listElement('hyperlinks', links, (link) => linkElement(link, ids));
  if (notes.length > 0) yield '<legacyDrawing r:id="shapes"/>';
}

function* listElement<T>(
  name: string,
  entries: readonly T[],
  elementOf: (entry: T) => string,
): Generator<string> {
  if (entries.length === 0) return;
  yield `<${name}>`;
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    yield entries
      .slice(at, at + AT_ONCE)
      .map(elementOf)
      .join('');
  }
  yield `</${name}>`;
}
