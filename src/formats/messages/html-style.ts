/** Properties that lay out a message but cannot leave its box, cover other things, or fetch anything. */
const PROPERTIES = new Set(
  `background background-color border border-bottom border-bottom-color border-bottom-left-radius
  border-bottom-right-radius border-bottom-style border-bottom-width border-collapse border-color border-left
  border-left-color border-left-style border-left-width border-radius border-right border-right-color
  border-right-style border-right-width border-spacing border-style border-top border-top-color
  border-top-left-radius border-top-right-radius border-top-style border-top-width border-width box-sizing
  caption-side clear color direction display empty-cells float font font-family font-size font-stretch
  font-style font-variant font-weight height letter-spacing line-height list-style list-style-position
  list-style-type margin margin-bottom margin-left margin-right margin-top max-height max-width min-height
  min-width opacity overflow overflow-wrap padding padding-bottom padding-left padding-right padding-top
  table-layout text-align text-decoration text-decoration-color text-decoration-line text-decoration-style
  text-indent text-overflow text-transform unicode-bidi vertical-align visibility white-space width word-break
  word-spacing word-wrap`.split(/\s+/),
);

/** No backslash, colon, at sign or angle: nothing that a URL, an escape or a script in CSS could be made of. */
const SAFE_VALUE = /^(?:[\w\s#.,%+/!"'-]|(?<=(?:rgb|hsl)a?)\([\d\s.,%/]{1,60}\))+$/i;
const MOVES_OUT = /^(?:margin|text-indent)/;
const MAX_DECLARATION = 500;

/** CSS pixels of a unit, those that hang on a font as of one of usual size; units of the window are none of a message. */
const PIXELS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  q: 0.945,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
  lh: 20,
};

/** From which to which length, in pixels, a property may have; and how many percent. */
interface Bounds {
  least: number;
  most: number;
  percent: number;
}

/** More than this of a page nobody lays out, and what is longer would reach over what is beside the message. */
const USUAL: Bounds = { least: 0, most: 2_000, percent: 100 };
const BOUNDS: readonly [RegExp, Bounds][] = [
  [/^(?:letter|word)-spacing$/, { least: -5, most: 50, percent: 0 }],
  [/^(?:vertical-align)$/, { least: -50, most: 200, percent: 100 }],
  [/^(?:text-indent|margin|padding|border)/, { least: 0, most: 200, percent: 100 }],
  [/^(?:font|line-height)/, { least: 0, most: 200, percent: 300 }],
];
/** Times the size of the font. */
const MOST_LINE_HEIGHT = 10;
const STRING_OR_COLOR = /"[^"]*"|'[^']*'|\([^()]*\)/g;
const NUMBER = /^([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))([a-z]{0,4}|%)$/i;

/** The declarations of a style attribute that are safe to show. */
export function safeStyle(style: string): string {
  return style
    .split(';')
    .map((declaration) => declaration.trim())
    .filter(isSafe)
    .join('; ');
}

function isSafe(declaration: string): boolean {
  const colon = declaration.indexOf(':');
  if (colon < 0 || declaration.length > MAX_DECLARATION) return false;
  const property = declaration.slice(0, colon).trim().toLowerCase();
  const value = declaration.slice(colon + 1).trim();
  if (!PROPERTIES.has(property) || !SAFE_VALUE.test(value)) return false;
  return !(MOVES_OUT.test(property) && /-\s*[\d.]/.test(value)) && isBounded(property, value);
}

/** Whether every number of a value is one that its property may have; what only begins as one is none. */
function isBounded(property: string, value: string): boolean {
  const [, bounds] = BOUNDS.find(([names]) => names.test(property)) ?? [property, USUAL];
  const parts = value.replace(STRING_OR_COLOR, ' ').split(/[\s,/]+/);
  return parts.every((part) => !/^[+-]?\.?\d/.test(part) || isWithin(part, property, bounds));
}

function isWithin(part: string, property: string, { least, most, percent }: Bounds): boolean {
  const [, digits, unit = ''] = NUMBER.exec(part) ?? [];
  if (digits === undefined) return false;
  const number = Number(digits);
  if (unit === '%') return number >= 0 && number <= percent;
  if (unit === '') return property !== 'line-height' || number <= MOST_LINE_HEIGHT;
  const pixels = PIXELS[unit.toLowerCase()];
  return pixels !== undefined && number * pixels >= least && number * pixels <= most;
}
