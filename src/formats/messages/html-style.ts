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
  return !(MOVES_OUT.test(property) && /-\s*[\d.]/.test(value));
}
