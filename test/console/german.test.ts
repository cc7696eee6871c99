/** The console in German: no text is left in English, and nothing is too long for a telephone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { openWindow, signedIn, startBrowser } from './browser.ts';
import { sourcesOfConsole, textsByLanguage, textsOfElements } from './catalogues.ts';
import { fillEveryPlace, goTo, type Place } from './every-place.ts';

/** Operators of the search, and types of files. */
const OF_SYNTAX = /\b[a-z]+:\S*|\b[a-z]+\/[\w.+-]+/g;
/** What is the same in each language: names of keys, of languages, of the program. */
const OF_NO_LANGUAGE = /"(?:Ctrl K|Message-Id|English|Deutsch|Atrium|Esc|[A-Z]\d+:[A-Z]\d+)"$/;

const sources = sourcesOfConsole();
const wordsIn = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{L}{2,}/gu) ?? []));

/** Words of the English texts that no German text has. */
function englishWords(): Set<string> {
  const { en, de } = textsByLanguage(sources);
  const german = wordsIn(de);
  const common = [
    'the',
    'and',
    'of',
    'to',
    'is',
    'are',
    'not',
    'this',
    'with',
    'your',
    'you',
    'from',
    'by',
    'for',
  ];
  return new Set([...wordsIn(en), ...common].filter((word) => !german.has(word)));
}

/** What a person reads or hears on the page, each text once. */
async function shownTexts(page: Page): Promise<string[]> {
  const texts = (await page.evaluate(`(() => {
    const found = new Set([document.title]);
    for (const element of document.querySelectorAll('body, body *')) {
      if (element.closest('script,style,noscript,kbd,time,bdi,option')) continue;
      for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'])
        if (element.hasAttribute(name)) found.add(element.getAttribute(name));
      for (const node of element.childNodes) if (node.nodeType === 3 && node.data.trim()) found.add(node.data.trim());
    }
    return [...found];
  })()`)) as string[];
  return texts.map((text) => text.replaceAll(OF_SYNTAX, ''));
}

/** What is cut off at the edges of the window, or makes the page wider. */
async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    const found = document.documentElement.scrollWidth > width ? ['the page'] : [];
    const scrolls = (element) => {
      for (let above = element; above; above = above.parentElement)
        if (/auto|scroll/.test(getComputedStyle(above).overflowX) && above.scrollWidth > above.clientWidth) return true;
      return false;
    };
    for (const element of document.querySelectorAll('button,a,input,textarea,select,h1,h2,p,label,[role=menuitem],[role=option]')) {
      const { left, right, width: own } = element.getBoundingClientRect();
      if (own < 2 || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (element.closest('.visually-hidden') || getComputedStyle(element).position === 'fixed') continue;
      if ((left < -1 || right > width + 1) && !scrolls(element)) found.push(element.outerHTML.slice(0, 160));
    }
    return found;
  })()`);
}

describe('the console in German', () => {
  let app: TestApp;
  let browser: Browser;
  let places: readonly Place[];
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
    places = await fillEveryPlace(app);
  });
  const isThere = async (page: Page, place: Place, found: string[]) =>
    goTo(page, app.address, place).then(
      () => true,
      ({ message }) => void found.push(`${place.name}: ${message}`),
    );
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('elements have their texts from a catalogue', () => {
    const found = sources.flatMap(textsOfElements).filter((text) => !OF_NO_LANGUAGE.test(text));
    assert.deepEqual(found, []);
  });

  it('on each page, in each dialog, no word is left in English', async () => {
    const english = englishWords();
    assert.ok(english.size > 300 && english.has('archive') && !english.has('filter'));
    const { page, problems } = await signedIn(browser, app, { locale: 'de-DE', pagesName: 'Seiten' });
    const found: string[] = [];
    for (const place of places) {
      if (!(await isThere(page, place, found))) continue;
      for (const text of await shownTexts(page)) {
        const left = [...wordsIn([text])].filter((word) => english.has(word));
        if (left.length > 0) found.push(`${place.name}: "${text}" (${left.join(', ')})`);
      }
    }
    assert.deepEqual([...new Set(found)], []);
    assert.deepEqual(problems, []);
  });

  it('whoever has no session is asked in German', async () => {
    const { page } = await openWindow(browser, { locale: 'de-AT' });
    await page.goto(app.address);
    await page.getByRole('heading', { name: 'Bei Atrium anmelden' }).waitFor();
    const english = englishWords();
    const words = [...wordsIn(await shownTexts(page))].filter((word) => english.has(word));
    // Of the command, which is English.
    assert.deepEqual(
      words.filter((word) => word !== 'sign'),
      [],
    );
  });

  it('at 390 pixels nothing is wider than the screen', async () => {
    const { page } = await signedIn(browser, app, {
      locale: 'de-DE',
      pagesName: 'Seiten',
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    const found: string[] = [];
    for (const place of places) {
      if (!(await isThere(page, place, found))) continue;
      for (const what of await tooWide(page)) found.push(`${place.name}: ${what}`);
    }
    assert.deepEqual(found, []);
  });
});
