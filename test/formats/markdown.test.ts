/** What Markdown becomes as HTML, whatever is in it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { markdownToHtml, TooMuchHtml } from '../../src/formats/markdown/html.ts';
import { renderPage } from '../../src/formats/markdown/page-thread.ts';
import { markdownToPage } from '../../src/formats/markdown/page-worker.ts';
import { turnsDuring } from '../turns.ts';

const LINK = 'rel="noopener noreferrer"';

const SHOWN: Record<string, [markdown: string, html: string]> = {
  headings: ['# A\n\nB\n---', '<h1>A</h1>\n<h2>B</h2>\n'],
  emphasis: ['*a* __b__ ~~c~~ `d<`', '<p><em>a</em> <strong>b</strong> <s>c</s> <code>d&lt;</code></p>\n'],
  lists: ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n'],
  code: ['```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>\n'],
  tables: [
    '|a|\n|-:|\n|1|',
    '<table>\n<thead>\n<tr>\n<th style="text-align:right">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style="text-align:right">1</td>\n</tr>\n</tbody>\n</table>\n',
  ],
  links: ['[a](https://b.example "c")', `<p><a href="https://b.example" title="c" ${LINK}>a</a></p>\n`],
  'links beside': ['[a](b.md#c)', `<p><a href="b.md#c" ${LINK}>a</a></p>\n`],
  images: ['![a](https://b.example/c.png)', '<p><img src="https://b.example/c.png" alt="a" /></p>\n'],
};

/** Each must become HTML that has the text and nothing that acts. */
const HOSTILE: Record<string, [markdown: string, text: string]> = {
  'a script': ['<script>alert(1)</script>\n\na', 'a'],
  'a script within a line': ['a <script>b</script> c', 'a b c'],
  'a block of HTML': ['<div onclick="x">\n<b>a</b> & b\n</div>', 'a & b'],
  'an image that acts': ['a<img src=x onerror=alert(1)>b', 'ab'],
  'a link that runs': ['[a](javascript:alert(1))', 'a'],
  'a link that runs, disguised': ['[a](<java\u0001script:alert(1)>) [b](JAVASCRIPT&#x3a;alert)', 'a b'],
  'a reference that runs': ['[a]\n\n[a]: vbscript:x', 'a'],
  'a link without its protocol': ['[a](//evil.example) [b](\\\\evil.example)', 'a b'],
  'a page in a link': ['[a](data:text/html;base64,PHNjcmlwdD4=)', 'a'],
  'an image of script': ['![a](javascript:x) ![b](data:image/svg+xml,x)', ''],
  'a title that breaks out': ['[a](https://b.example "x\\" onmouseover=\\"y")', 'a'],
  'a language that breaks out': ['```"onclick=x\na\n```', 'a'],
  'a frame': ['<iframe srcdoc="<script>x</script>"></iframe>\n\na', 'a'],
  'a style sheet': ['<style>*{}</style>\n\na <style>b</style>', 'a b'],
  'a comment': ['<!-- a --><b\n\nc', 'c'],
};

const SAFE_TAGS = new Set(
  'html head body a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img li ol p pre s strong table tbody td th thead tr ul'.split(
    ' ',
  ),
);
const SAFE_ATTRIBUTES = new Set(['href', 'title', 'rel', 'src', 'alt', 'class', 'start', 'style']);
const SAFE_ADDRESS = /^(?:https?:|mailto:|tel:|ftp:|(?![a-z][a-z0-9+.-]*:|[/\\]{2}))/i;

/** Fails where a browser would read anything out of the HTML but what Markdown makes. */
function assertHarmless(html: string): void {
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      assert.ok(SAFE_TAGS.has(node.tagName), `<${node.tagName}> in ${html}`);
      for (const { name, value } of node.attrs) {
        assert.ok(SAFE_ATTRIBUTES.has(name), `${name} in ${html}`);
        if (name === 'href' || name === 'src') assert.match(value, SAFE_ADDRESS);
        if (name === 'style') assert.match(value, /^text-align:(?:left|right|center)$/);
      }
    }
    assert.notEqual(node.nodeName, '#comment');
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(html));
}

function textOf(html: string): string {
  const collect = (node: DefaultTreeAdapterTypes.Node): string =>
    'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(collect).join('') : '';
  return collect(parse(html)).trim();
}

/** Each brings a long text to many places. */
const MULTIPLYING: Record<string, string> = {
  'links to one address': `[x]: http://a/${'b'.repeat(12_000)}\n\n${'[x] '.repeat(3_000)}`,
  'images of one address': `[x]: http://a/${'b'.repeat(12_000)}\n\n${'![x] '.repeat(3_000)}`,
  'links to one address that is escaped': `[x]: http://a/${'日'.repeat(2_000)}\n\n${'[x] '.repeat(3_000)}`,
  'links of one title of quotes': `[x]: a '${'"'.repeat(3_000)}'\n\n${'[x] '.repeat(3_000)}`,
  'headings that link to one address': `[x]: http://a/${'b'.repeat(12_000)}\n\n${'# [x]\n'.repeat(3_000)}`,
};

describe('Markdown as HTML', () => {
  for (const [name, [markdown, html]] of Object.entries(SHOWN)) {
    test(`has ${name}`, () => assert.equal(markdownToHtml(markdown), html));
  }

  for (const [name, [markdown, text]] of Object.entries(HOSTILE)) {
    test(`makes ${name} harmless`, () => {
      const html = markdownToHtml(markdown);
      assertHarmless(html);
      assert.equal(textOf(html).replace(/\s+/g, ' '), text, html);
    });
  }

  test('is harmless whatever it is made of', () => {
    const pieces = fc.constantFrom(
      ...`< > " ' \` * _ ~ [ ] ( ) ! | - # & ; : / \\ \n \t a javascript: data: onload= <script> </script> <img src=
        <a href=" <!-- --> <![CDATA[ ]]> <? &#x3c; &lt; &colon; http:// "]( \`\`\` > - 1. \u0000 \u0001`
        .split(' ')
        .filter((piece) => piece !== ''),
      '\n\n',
      ' ',
      '    ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (given) =>
        assertHarmless(markdownToHtml(given.join(''))),
      ),
      { numRuns: 2_000 },
    );
  });

  test('is a page with its title', () => {
    const page = markdownToPage('a', '</title><script>"&');
    assert.match(page, /<title>&lt;\/title>&lt;script>"&amp;<\/title>/);
    assert.match(page, /<body>\n<p>a<\/p>\n<\/body>/);
  });

  for (const [name, markdown] of Object.entries(MULTIPLYING)) {
    test(`is refused of ${name}, which would make it a thousand times as long`, async () => {
      assert.throws(() => markdownToHtml(markdown), TooMuchHtml);
      assert.equal(await renderPage(Buffer.from(markdown), 'long'), undefined);
    });
  }

  test('is made beside the event loop', async () => {
    const rendering = renderPage(Buffer.from('# usual\n\n'.repeat(20_000)), 'usual');
    assert.ok((await turnsDuring(rendering)) > 100, 'the event loop stood still');
    const page = Buffer.from((await rendering) ?? []).toString();
    assert.equal(page.split('<h1>usual</h1>').length, 20_001);
  });
});
