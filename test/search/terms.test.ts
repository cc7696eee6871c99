import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TERMS_VERSION, termsOf } from '../../src/storage/full-text/terms.ts';

describe('terms', () => {
  it('of a text are the same as long as the version of the index is', async () => {
    const subject = { field: 'subject', text: 'Übung macht den Meister' } as const;
    const body = { field: 'body', text: 'a b a b, 東京' } as const;
    const terms = await termsOf({ kind: 'message', hasAttachment: true, texts: [subject, body] });
    assert.equal(TERMS_VERSION, 5);
    const ofSubject =
      'hubung iu iub iubu subung hmacht im ima imac smacht q80u9reg r80u9reg hden id ide iden sden q1y71h3x r1y71h3x hmeister ime imei smeister q0ayvo7x r0ayvo7x';
    const ofBody = 'ba la bb lb pp9x03b8 pu7mbf47 b東京 l東 l東京 p9ky9av6';
    assert.equal([...terms].join(' '), `a km x ${ofSubject} ${ofBody}`);
  });
});
