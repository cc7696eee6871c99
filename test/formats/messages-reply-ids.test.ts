import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseReplyIds } from '../../src/formats/messages/message-ids.ts';

describe('In-Reply-To', () => {
  const read: Record<string, string[]> = {
    'Message from Bob <bob@example.org> of "Mon, 01 Jan 2024 10:00:00 EST." <id@host>': ['<id@host>'],
    'Your message of "Mon, 01 Jan 2024 10:00:00 EST." <id@host>': ['<id@host>'],
    '<one@host> <two@host>': ['<one@host>', '<two@host>'],
    '<one@host>, <two@host>': ['<one@host>', '<two@host>'],
    '<one@host> (Bob of Monday) <two@host>': ['<one@host>', '<two@host>'],
  };
  for (const [value, ids] of Object.entries(read)) {
    it(`names ${ids.join(' and ')} in ${value}`, () => assert.deepEqual(parseReplyIds(value), ids));
  }
});
