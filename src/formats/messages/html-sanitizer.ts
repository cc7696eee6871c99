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
  // safeTag filters styles: the parser behind this option costs milliseconds for each message.
  parseStyleAttributes: false,
};

export interface SanitizedHtml {
  html: string;
  /** True when the source was cut to obey the limits. */
  truncated: boolean;
}

/**
 * Makes HTML that is safe to embed in a page, of at most MAX_SHOWN_BODY characters. Removes scripts, style sheets,
 * forms, frames, plug-ins, SVG and MathML; ids, names and classes, which could affect the surrounding page; and
 * positioning. Links open in a new context without access to the page. `cid:` images remain references to
 * attachments. Remote images keep their address, as in other mail APIs: the client decides whether to load them,
 * because loading tells the sender that the message is read.
 */
export function sanitizeHtml(source: string): SanitizedHtml {
  let piece = limitDepth(cutAt(source, MAX_SHOWN_BODY));
  let html = sanitize(piece, OPTIONS);
  while (html.length > MAX_SHOWN_BODY) {
    piece = cutAt(piece, Math.floor((piece.length * 0.9 * MAX_SHOWN_BODY) / html.length));
    html = sanitize(piece, OPTIONS);
  }
  return { html, truncated: piece.length < source.length };
}

/**
 * The start of the source, up to the point where elements nest too deeply: the sanitizer compares every end tag
 * with all open elements.
 */
function limitDepth(source: string): string {
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
  // The body element holds the colours and fonts of the whole message.
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

/** The URL of a link if it is safe, else "". A relative URL would lead into the surrounding page. */
function safeLink(url: string): string {
  return withProtocol(url, LINKS);
}

/** The URL of an image if it is safe, else "": remote, a part of the message, or raster data. */
function safeImage(url: string): string {
  const trimmed = url.trim();
  if (CONTENT_ID.test(trimmed) || RASTER.test(trimmed)) return trimmed;
  return withProtocol(trimmed, IMAGES);
}

/** Returns the URL as the URL Standard parses it, so that a browser cannot parse it differently. */
function withProtocol(url: string, allowed: Set<string>): string {
  const absolute = /^\s*\/\//.test(url) ? `https:${url.trim()}` : url;
  const parsed = URL.parse(absolute);
  return parsed && allowed.has(parsed.protocol) ? parsed.href : '';
}

/** Properties for layout that cannot leave the message's box, cover other content, or load anything. */
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

/** No backslash, colon, at sign or angle bracket: without them CSS cannot hold a URL, an escape or a script. */
const SAFE_VALUE = /^(?:[\w\s#.,%+/!"'-]|(?<=(?:rgb|hsl)a?)\([\d\s.,%/]{1,60}\))+$/i;
const MOVES_OUT = /^(?:margin|text-indent)/;
const MAX_DECLARATION = 500;

/**
 * CSS pixels of a unit; font-relative units as for a font of usual size. Viewport units are not allowed in a
 * message.
 */
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

/** The range of a property's lengths in pixels, and its largest percentage. */
interface Bounds {
  least: number;
  most: number;
  percent: number;
}

/** Longer lengths serve no layout and would cover the content beside the message. */
const USUAL: Bounds = { least: 0, most: 2_000, percent: 100 };
const BOUNDS: readonly [RegExp, Bounds][] = [
  [/^(?:letter|word)-spacing$/, { least: -5, most: 50, percent: 0 }],
  [/^(?:vertical-align)$/, { least: -50, most: 200, percent: 100 }],
  [/^(?:text-indent|margin|padding|border)/, { least: 0, most: 200, percent: 100 }],
  [/^(?:font|line-height)/, { least: 0, most: 200, percent: 300 }],
];
/** A multiple of the font size. */
const MOST_LINE_HEIGHT = 10;
const STRING_OR_COLOR = /"[^"]*"|'[^']*'|\([^()]*\)/g;
const NUMBER = /^([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))([a-z]{0,4}|%)$/i;

/** The safe declarations of a style attribute. */
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

/** Whether the property allows every number of the value. A token that only starts like a number is not allowed. */
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
