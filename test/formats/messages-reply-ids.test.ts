import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseReferences, parseReplyIds } from '../../src/formats/messages/message-headers.ts';

const MH = 'Message from Bob <bob@example.org> of "Mon, 01 Jan 2024 10:00:00 EST."';

/** Field values, and the ids that they name. */
const REPLIES: Record<string, string[]> = {
  [`${MH} <id@host>`]: ['<id@host>'],
  [MH]: ['<bob@example.org>'],
  '"bob" <bob@example.org> message of today': ['<bob@example.org>'],
  '<one@host> of Monday <two@host> and Tuesday': ['<two@host>'],
  'Your message of "Mon, 01 Jan 2024 10:00:00 EST." <id@host>': ['<id@host>'],
  '<id@host> of Monday': ['<id@host>'],
  '<id@host> (message from Bob on Monday)': ['<id@host>'],
  '<one@host> <two@host>': ['<one@host>', '<two@host>'],
  '<one@host>, <two@host>': ['<one@host>', '<two@host>'],
  '<one@host> (Bob of Monday) <two@host>': ['<one@host>', '<two@host>'],
};

const REFERENCES: Record<string, string[]> = {
  'Bob <bob@example.org> <id@host>': ['<id@host>'],
  '<one@host> Bob <bob@example.org> of Monday <two@host>': ['<one@host>', '<two@host>'],
  'Your message of Monday <id@host>': ['<id@host>'],
  '<one@host> <two@host>': ['<one@host>', '<two@host>'],
  '<one@host>\t<two@host>, <three@host': ['<one@host>', '<two@host>', '<three@host>'],
};

describe('the ids of a reply', () => {
  for (const [value, ids] of Object.entries(REPLIES))
    it(`In-Reply-To: ${value} names ${ids.join(' and ') || 'none'}`, () =>
      assert.deepEqual(parseReplyIds(value), ids));

  for (const [value, ids] of Object.entries(REFERENCES))
    it(`References: ${value} names ${ids.join(' and ')}`, () =>
      assert.deepEqual(parseReferences(value), ids));
});
