import { Parser } from 'htmlparser2';
import sanitize from 'sanitize-html';
import { cutAt, MAX_HTML_DEPTH, MAX_SHOWN_BODY } from './message.ts';

const TAGS = `a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col
  colgroup dd del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins
  kbd li main mark nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody
  td tfoot th thead time tr tt u ul var wbr`.split(/\s+/);

const OPTIONS: sanitize.IOptions = {
  allowedTags: TAGS,
  allowedAttributes: {
    '*': ['align', 'bgcolor', 'dir', 'height', 'lang', 'style', 'title', 'valign', 'width'],
    a: ['href', 'rel', 'target'],
    blockquote: ['type'],
    col: ['span'],
    colgroup: ['span'],
    font: ['color', 'face', 'size'],
    hr: ['noshade', 'size', 'color'],
    img: ['alt', 'border', 'hspace', 'src', 'vspace'],
    li: ['type', 'value'],
    ol: ['reversed', 'start', 'type'],
    table: ['border', 'cellpadding', 'cellspacing', 'frame', 'rules', 'summary'],
    td: ['abbr', 'colspan', 'headers', 'nowrap', 'rowspan', 'scope'],
    th: ['abbr', 'colspan', 'headers', 'nowrap', 'rowspan', 'scope'],
    time: ['datetime'],
    ul: ['type'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'ftp'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  allowProtocolRelative: false,
  selfClosing: ['br', 'col', 'hr', 'img', 'wbr'],
  nonTextTags: [
    'applet',
    'audio',
    'canvas',
    'math',
    'noembed',
    'noframes',
    'object',
    'option',
    'script',
    'select',
    'style',
    'svg',
    'template',
    'textarea',
    'title',
    'video',
    'xmp',
    'plaintext',
  ],
  transformTags: { '*': safeTag },
  // Styles are filtered by safeTag: the parser behind this option costs milliseconds for each message.
  parseStyleAttributes: false,
};

export interface SanitizedHtml {
  html: string;
  /** True when the source was cut to hold the limits. */
  truncated: boolean;
}

/**
 * HTML that is safe to put into a page, of at most MAX_SHOWN_BODY characters. No script, style sheet, form,
 * frame, plug-in, SVG or MathML; no ids, names and classes, which could reach into the page around it; no
 * positioning. Links open in a new context that knows nothing of the page. `cid:` images stay references to
 * attachments. Images on the web keep their address, as in other mail APIs: whether to load them (which tells
 * the sender that the message is read) is for the client to ask.
 */
export function sanitizeHtml(source: string): SanitizedHtml {
  let piece = shallow(cutAt(source, MAX_SHOWN_BODY));
  let html = sanitize(piece, OPTIONS);
  while (html.length > MAX_SHOWN_BODY) {
    piece = cutAt(piece, Math.floor((piece.length * 0.9 * MAX_SHOWN_BODY) / html.length));
    html = sanitize(piece, OPTIONS);
  }
  return { html, truncated: piece.length < source.length };
}

/** The start of the source before elements nest too deep: every end tag is looked up among all open ones. */
function shallow(source: string): string {
  if (countTags(source) <= MAX_HTML_DEPTH) return source;
  let depth = 0;
  let end = source.length;
  const parser = new Parser({
    onopentag: () => {
      if (++depth <= MAX_HTML_DEPTH) return;
      end = Math.min(end, parser.startIndex);
      parser.pause();
      parser.reset();
    },
    onclosetag: () => depth--,
  });
  parser.write(source);
  return source.slice(0, end);
}

function countTags(source: string): number {
  let count = 0;
  for (let at = source.indexOf('<'); at >= 0 && count <= MAX_HTML_DEPTH; at = source.indexOf('<', at + 1)) {
    if (source.charCodeAt(at + 1) >= 65) count++;
  }
  return count;
}

function safeTag(name: string, attributes: sanitize.Attributes): sanitize.Tag {
  if (attributes.style !== undefined) setOrDrop(attributes, 'style', safeStyle(attributes.style));
  if (name === 'a') {
    setOrDrop(attributes, 'href', safeLink(attributes.href ?? ''));
    return { tagName: name, attribs: { ...attributes, target: '_blank', rel: 'noopener noreferrer' } };
  }
  if (name === 'img') setOrDrop(attributes, 'src', safeImage(attributes.src ?? ''));
  // The colours and fonts of a whole message stand on its body.
  return { tagName: name === 'body' ? 'div' : name, attribs: attributes };
}

function setOrDrop(attributes: sanitize.Attributes, name: string, value: string): void {
  if (value === '') delete attributes[name];
  else attributes[name] = value;
}

const LINKS = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);
const IMAGES = new Set(['http:', 'https:']);
const RASTER = /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[a-z0-9+/=\s]*$/i;
const CONTENT_ID = /^cid:[\w!#$%&'*+/=?^`{|}~.@:<>()[\],;-]+$/i;

/** The address of a link when it may be followed, else "". Relative ones would lead into the page around it. */
function safeLink(url: string): string {
  return withProtocol(url, LINKS);
}

/** The address of an image when it may be shown, else "": on the web, a part of the message, raster data. */
function safeImage(url: string): string {
  const trimmed = url.trim();
  if (CONTENT_ID.test(trimmed) || RASTER.test(trimmed)) return trimmed;
  return withProtocol(trimmed, IMAGES);
}

/** Compared and given back as the URL Standard reads it, so that a browser cannot read it differently. */
function withProtocol(url: string, allowed: Set<string>): string {
  const absolute = /^\s*\/\//.test(url) ? `https:${url.trim()}` : url;
  const parsed = URL.parse(absolute);
  return parsed && allowed.has(parsed.protocol) ? parsed.href : '';
}

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
