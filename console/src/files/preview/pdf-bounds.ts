/** Of a longer PDF the preview shows the beginning, and says so. */
export const MOST_PAGES = 2000;
/** Pixels of one picture in a PDF; larger ones are left out, as each takes four bytes a pixel. */
export const MOST_PIXELS_OF_PICTURE = 64_000_000;
/** What every browser can draw on one canvas: pixels of area, and of a side. */
const MOST_PIXELS = 16_000_000;
const LONGEST_SIDE = 8192;
/** No page is shown longer or wider than so many times its other side. */
const MOST_STRETCHED = 20;

interface Size {
  width: number;
  height: number;
}

/** How large a page is drawn for a place of so many pixels: as large, unless no canvas could hold it. */
export function scaleOf({ width, height }: Size, wanted: number): number {
  const byArea = Math.sqrt(MOST_PIXELS / (width * height));
  return Math.min(wanted / width, byArea, LONGEST_SIDE / Math.max(width, height));
}

/** Width by height of the place of a page, which a page of a strange shape does not fill. */
export function shapeOf({ width, height }: Size): number {
  return Math.min(MOST_STRETCHED, Math.max(1 / MOST_STRETCHED, width / height));
}
