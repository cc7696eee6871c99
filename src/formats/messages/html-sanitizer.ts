import { Parser } from 'htmlparser2';
import sanitize from 'sanitize-html';
import { safeStyle } from './html-style.ts';
import { safeImage, safeLink } from './html-urls.ts';
import { MAX_HTML_DEPTH, MAX_SHOWN_BODY } from './limits.ts';
import { cutAt } from './plain-strings.ts';

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
