import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment, serialize } from 'parse5';
import { safeStyle, sanitizeHtml } from '../../src/formats/messages/html-sanitizer.ts';
import { htmlText } from '../../src/formats/messages/html-text.ts';
import { MAX_SHOWN_BODY } from '../../src/formats/messages/message.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
const FORBIDDEN =
  /^(?:script|style|iframe|frame|frameset|object|embed|applet|svg|math|base|meta|link|form|input|button|textarea|select|option|template|noscript|video|audio|source|portal|title|xmp|plaintext|body|head|html)$/;
const LINK = /^(?:https?|mailto|tel|ftp):/;
const IMAGE = /^(?:https?:|cid:|data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[a-z0-9+/=\s]*$)/i;

function elementsOf(html: string): Element[] {
  const found: Element[] = [];
  const visit = (node: Node) => {
    assert.notEqual(node.nodeName, '#comment');
    if ('tagName' in node) found.push(node);
    for (const child of 'childNodes' in node ? node.childNodes : []) visit(child);
  };
  visit(parseFragment(html));
  return found;
}

/** Reads sanitized HTML as a browser does and looks at every element and attribute that is there. */
function assertSafe(html: string): void {
  for (const element of elementsOf(html)) {
    assert.equal(element.namespaceURI, HTML_NAMESPACE, html);
    assert.ok(!FORBIDDEN.test(element.tagName), html);
    for (const { name, value } of element.attrs) assertSafeAttribute(element.tagName, name, value);
  }
}

function assertSafeAttribute(tag: string, name: string, value: string): void {
  assert.ok(
    !/^on|^(?:id|name|class|srcdoc|srcset|action|formaction|background|poster|ping|xlink)/.test(name),
    name,
  );
  if (name === 'href') assert.match(value, LINK);
  if (name === 'src') assert.match(value, tag === 'img' ? IMAGE : /^$/);
  if (name === 'style') {
    // The bare words do no harm, and are left where a vector was cut in the middle.
    assert.doesNotMatch(
      value,
      /(?:url|expression) *\(|(?:javascript|behavior|binding|position) *:|[\\@<>*{}]/i,
    );
  }
}

const VECTORS = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.test/x.js></SCRIPT>',
  '<script/x>alert(1)</script>',
  '<<script>alert(1)//<</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<script>alert(1)',
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src=x onerror="alert(1)"',
  '<img """><script>alert(1)</script>">',
  '<img src=javascript:alert(1)>',
  '<img src="jav&#x09;ascript:alert(1)">',
  '<img src=" &#14; javascript:alert(1)">',
  '<img src=x:x onerror\n=\nalert(1)>',
  '<img/src="x"/onerror=alert(1)>',
  '<img src=`x` onerror=alert(1)>',
  '<img srcset="javascript:alert(1) 1x, https://a.test/x 2x">',
  '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+">',
  '<img src="data:text/html,<script>alert(1)</script>">',
  '<img src="data:image/png;base64,AAAA&quot; onerror=alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="java&Tab;script:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="&#0000106avascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="javascript&colon;alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href="blob:https://a.test/1">x</a>',
  '<a href="file:///etc/passwd">x</a>',
  '<a href="/v1/logout">x</a>',
  '<a href="https://a.test/" onclick=alert(1) target=_self rel=opener>x</a>',
  '<a href="https://a.test/&quot; onmouseover=alert(1) x=&quot;">x</a>',
  '<a xlink:href="javascript:alert(1)">x</a>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><a><set attributeName=href to=javascript:alert(1)><text>x</text></a></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<svg><foreignObject><iframe src=javascript:alert(1)></foreignObject></svg>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '<math><a xlink:href="javascript:alert(1)">x</a></math>',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea><p title="</textarea><img src=x onerror=alert(1)>">',
  '<title><p title="</title><img src=x onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<noembed><p title="</noembed><img src=x onerror=alert(1)>">',
  '<noframes><p title="</noframes><img src=x onerror=alert(1)>">',
  '<plaintext><img src=x onerror=alert(1)>',
  '<template><img src=x onerror=alert(1)></template>',
  '<iframe src=javascript:alert(1)></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<iframe><img src=x onerror=alert(1)></iframe>',
  '<object data=javascript:alert(1)></object>',
  '<object type=text/x-scriptlet data=//evil.test></object>',
  '<embed src=javascript:alert(1)>',
  '<applet code=x></applet>',
  '<base href="javascript:alert(1)//">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href=javascript:alert(1)>',
  '<style>@import "javascript:alert(1)";</style>',
  '<style>body{background:url(javascript:alert(1))}</style>',
  '<style><!--</style><script>alert(1)</script>--></style>',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<div style="background-image:url(https://evil.test/track.gif)">x</div>',
  '<div style="background:\\75rl(https://evil.test/x)">x</div>',
  '<div style="width:expression(alert(1))">x</div>',
  '<div style="wid/**/th:exp/**/ression(alert(1))">x</div>',
  '<div style="-moz-binding:url(//evil.test/x.xml#a)">x</div>',
  '<div style="behavior:url(x.htc)">x</div>',
  '<div style="position:fixed;top:0;left:0;width:100%;height:100%;z-index:9999">x</div>',
  '<div style="color:red;}body{display:none">x</div>',
  '<div style="font-family:&quot;;background:url(x)">x</div>',
  '<form action=javascript:alert(1)><input type=submit></form>',
  '<form action=https://evil.test><input name=password><button formaction=javascript:alert(1)>x</button></form>',
  '<input autofocus onfocus=alert(1)>',
  '<select autofocus onfocus=alert(1)><option>x</select>',
  '<video><source onerror=alert(1)></video>',
  '<video poster=javascript:alert(1)></video>',
  '<audio src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<body onload=alert(1) background=javascript:alert(1)>x</body>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<table background=javascript:alert(1)><td background=javascript:alert(1)>x</table>',
  '<b id=location name=body class=modal>x</b>',
  '<img id=x name=getElementById src=https://a.test/x>',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!-- --!><img src=x onerror=alert(1)>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml version="1.0"?><script>alert(1)</script>',
  '<?import namespace=t implementation=#default#time2>',
  '<x onclick=alert(1)>x</x>',
  '<a\u00a0href=javascript:alert(1)>x</a>',
  '<div\u000conclick=alert(1)>x</div>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<p title="&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;">x</p>',
  "<p title='\"><img src=x onerror=alert(1)>'>x</p>",
  '<img alt="<x" title="/><img src=x onerror=alert(1)>" src=https://a.test/x>',
];

describe('HTML of messages', () => {
  for (const vector of VECTORS) {
    it(`is safe: ${JSON.stringify(vector)} (MAIL-41)`, () => assertSafe(sanitizeHtml(vector).html));
  }

  it('is safe where vectors are mixed and cut', () => {
    const piece = fc.constantFrom(
      ...VECTORS,
      '<table>',
      '</table>',
      '<p>',
      '</p>',
      '<b',
      '">',
      "'",
      '<!--',
      '-->',
    );
    const mixed = fc.array(
      fc.tuple(piece, fc.nat(60)).map(([text, cut]) => text.slice(0, cut + 1)),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(mixed, (pieces) => assertSafe(sanitizeHtml(pieces.join('')).html)),
      { numRuns: 500 },
    );
  });

  it('reads the same again after a browser has read and written it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...VECTORS), { maxLength: 4 }), (pieces) => {
        assertSafe(serialize(parseFragment(sanitizeHtml(pieces.join('')).html)));
      }),
    );
  });

  it('keeps what messages are laid out with', () => {
    const source =
      '<table width="600" cellpadding="0"><tr><td style="color: #333; padding: 4px 8px" bgcolor="#fff">' +
      '<a href="https://a.test/?x=1&amp;y=2">Link</a> <font face="Arial" size="2">Text</font></td></tr></table>';
    const shown = sanitizeHtml(source).html;
    assert.equal(
      shown,
      '<table width="600" cellpadding="0"><tr><td style="color: #333; padding: 4px 8px" bgcolor="#fff">' +
        '<a href="https://a.test/?x=1&amp;y=2" target="_blank" rel="noopener noreferrer">Link</a> ' +
        '<font face="Arial" size="2">Text</font></td></tr></table>',
    );
  });

  it('HTML keeps images of the message, of the web, and raster data (MAIL-41)', () => {
    for (const url of [
      'cid:part1.abc@example.com',
      'https://a.test/x.png',
      'data:image/png;base64,iVBORw0KGgo=',
    ]) {
      const [image] = elementsOf(sanitizeHtml(`<img src="${url}">`).html);
      assert.deepEqual(image?.attrs, [{ name: 'src', value: url }]);
    }
  });

  it('gives links without a scheme https, and drops where relative ones lead', () => {
    const [absolute, relative] = elementsOf(sanitizeHtml('<a href="//a.test/x">x</a><a href="x">x</a>').html);
    assert.ok(absolute?.attrs.some(({ name, value }) => name === 'href' && value === 'https://a.test/x'));
    assert.ok(!relative?.attrs.some(({ name }) => name === 'href'));
  });

  it('filters style declarations one by one', () => {
    assert.equal(
      safeStyle('color:red; background:url(x); margin:-9px; font: 12px "Arial", sans-serif'),
      'color:red; font: 12px "Arial", sans-serif',
    );
    assert.equal(
      safeStyle('background-color: rgb(1, 2, 3); COLOR: hsla(1,2%,3%,.5) !important; x'),
      'background-color: rgb(1, 2, 3); COLOR: hsla(1,2%,3%,.5) !important',
    );
  });

  it('leaves no length by which a message could reach over the page', () => {
    const reaching = [
      'letter-spacing: 9999px',
      'letter-spacing: -40px',
      'word-spacing: 1e9px',
      'text-indent: 3000px',
      'width: 99999px',
      'width: 100vw',
      'min-width: 900%',
      'height: 100dvh',
      'padding: 0+99999px',
      'padding: 1px 2px/99999px',
      'margin-left: 5000px',
      'border-top: 3000px solid red',
      'border-spacing: 0,9999px',
      'vertical-align: -900px',
      'font-size: 900pt',
      'font: 5000px/1 Arial',
      'line-height: 900',
      'width: 99999999999999px',
      'background: red 1px+99999px',
    ];
    for (const style of reaching) assert.equal(safeStyle(style), '', style);
    const usual =
      'width: 600px; max-width: 100%; line-height: 1.5; letter-spacing: -.5px; font: 12pt/1.4 "Font 99999px", Arial; ' +
      'border: 1px solid #99999f; padding: 0 1.5em; opacity: .5; font-weight: 700; text-indent: 2em; line-height: 150%; ' +
      'color: rgb(255, 255, 255); margin: 0 auto; vertical-align: -3px; height: 1in';
    assert.equal(safeStyle(usual), usual);
  });

  for (const [name, source] of Object.entries({
    'deep nesting': '<b>'.repeat(300_000),
    'end tags without start': `${'<div>'.repeat(250)}${'</i>'.repeat(250_000)}`,
    'many links': '<a href=http://a>x'.repeat(60_000),
    'many attributes': `<a ${Array.from({ length: 100_000 }, (_, index) => `a${index}`).join(' ')}>x</a>`,
    'open comments': '<!--'.repeat(250_000),
    'open tags': '<'.repeat(1_000_000),
  })) {
    it(`is bounded with ${name}`, () => {
      const started = performance.now();
      const { html } = sanitizeHtml(source);
      assertSafe(html.slice(0, 10_000).replace(/<[^>]*$/, ''));
      assert.ok(html.length <= MAX_SHOWN_BODY);
      assert.ok(performance.now() - started < 120_000);
    });
  }

  it('HTML tells that it was cut (MAIL-44)', () => {
    assert.deepEqual(
      ['<b>'.repeat(300), 'x'.repeat(MAX_SHOWN_BODY + 1), '<b>x</b>'].map(
        (source) => sanitizeHtml(source).truncated,
      ),
      [true, true, false],
    );
  });

  it('reads as text without tags and addresses', () => {
    assert.equal(
      htmlText(
        '<h1>Title</h1><p>One <a href="https://a.test/">link</a><img src="https://a.test/x"></p><p>Two</p>',
      ).text,
      'Title\n\nOne link\n\nTwo',
    );
  });
});
