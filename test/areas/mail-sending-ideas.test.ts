/** The pure parts of sending. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { retryDelay } from '../../src/areas/mail/sending/attempt.ts';
import { replyHeaders } from '../../src/areas/mail/sending/compose.ts';
import { distinctAddresses, readAddress } from '../../src/areas/mail/sending/recipients.ts';
import { type RelayError, recipientResults, wireAddress } from '../../src/areas/mail/sending/smtp-relay.ts';
import { formatAddress } from '../../src/formats/messages/addresses.ts';

const MINUTE = 60_000;

describe('the time until the next attempt', () => {
  it('is from about a minute to some hours, and never shrinks but by chance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, chance) => {
          const delay = retryDelay(attempts, chance);
          assert.ok(delay >= 0.75 * MINUTE && delay <= 5 * 60 * MINUTE, `${delay}`);
          assert.ok(retryDelay(attempts + 1, chance) >= delay);
        },
      ),
    );
    assert.deepEqual(
      [1, 2, 3, 20].map((attempts) => retryDelay(attempts, 0.5) / MINUTE),
      [1, 2, 4, 240],
    );
  });
});

describe('an address as it is written', () => {
  const read: Record<string, [name: string, address: string]> = {
    'a@b.example': ['', 'a@b.example'],
    ' a@b.example ': ['', 'a@b.example'],
    '<a@b.example>': ['', 'a@b.example'],
    'Ada <a@b.example>': ['Ada', 'a@b.example'],
    'Lovelace, Ada (Countess) <a@b.example>': ['Lovelace, Ada (Countess)', 'a@b.example'],
    '"Lovelace, \\"Ada\\"" <a@b.example>': ['Lovelace, "Ada"', 'a@b.example'],
    'a <b@c.example> <d@e.example>': ['a <b@c.example>', 'd@e.example'],
  };
  for (const [written, [name, address]] of Object.entries(read)) {
    it(`${written} is read as the name "${name}" and the address ${address}`, () =>
      assert.deepEqual(readAddress(written), { name, address }));
  }

  it('is read back from the form in which the API shows it', () => {
    const name = fc.string().map((text) => text.replace(/[\p{Cc}"]/gu, '').trim());
    fc.assert(
      fc.property(name, (text) => {
        const shown = { name: text, address: 'a@b.example' };
        assert.deepEqual(readAddress(formatAddress(shown)), shown);
      }),
    );
  });

  it('counts once, whatever its case', () => {
    const mailboxes = ['B@x.example', 'a@x.example', 'b@X.example'].map((address) => ({ name: '', address }));
    assert.deepEqual(distinctAddresses(mailboxes), ['B@x.example', 'a@x.example']);
  });
});

describe('an address on the wire', () => {
  const wire: Record<string, string> = {
    'a@b.example': 'a@b.example',
    'a@münchen.example': 'a@xn--mnchen-3ya.example',
    'ü@xn--mnchen-3ya.example': 'ü@münchen.example',
    'a..b@c.example': '"a..b"@c.example',
    'a.@c.example': '"a."@c.example',
  };
  for (const [address, expected] of Object.entries(wire)) {
    it(`${address} becomes ${expected}`, () => {
      assert.equal(wireAddress(address), expected);
    });
  }
});

describe('what became of recipients', () => {
  const error = (fields: Partial<RelayError>): RelayError => Object.assign(new Error('failed'), fields);
  const results = (rejected: RelayError[], failure?: RelayError) =>
    recipientResults(['a@x.example', 'b@x.example'], rejected, failure).map(({ result }) => result);

  it('who are taken', () => assert.deepEqual(results([]), ['taken', 'taken']));

  it('who are refused by themselves', () => {
    const recipient = 'b@x.example';
    const of = (responseCode: number) => [error({ recipient, responseCode, command: 'RCPT TO' })];
    assert.deepEqual(results(of(550)), ['taken', 'refused']);
    assert.deepEqual(results(of(450)), ['taken', 'deferred']);
  });

  it('who are all refused, each for a reason', () => {
    const rejectedErrors = [
      error({ recipient: 'a@x.example', responseCode: 450, command: 'RCPT TO' }),
      error({ recipient: 'b@x.example', responseCode: 550, command: 'RCPT TO' }),
    ];
    const failure = error({ code: 'EENVELOPE', responseCode: 450, command: 'RCPT TO', rejectedErrors });
    assert.deepEqual(results([], failure), ['deferred', 'refused']);
  });

  const shared: [name: string, fields: Partial<RelayError>, result: string][] = [
    ['a sender that is refused', { responseCode: 550, command: 'MAIL FROM' }, 'refused'],
    ['a message that is refused', { responseCode: 554, command: 'DATA' }, 'refused'],
    ['a message that is too large for the relay', { code: 'EMESSAGE' }, 'refused'],
    ['a message that is put off', { responseCode: 451, command: 'DATA' }, 'deferred'],
    ['a session that went wrong', { responseCode: 503, command: 'DATA' }, 'deferred'],
    ['a password that is refused', { responseCode: 535, command: 'AUTH PLAIN', code: 'EAUTH' }, 'deferred'],
    ['a relay that greets nobody', { responseCode: 554, command: 'CONN' }, 'deferred'],
    ['a relay that is down', { code: 'ESOCKET', command: 'CONN' }, 'deferred'],
    ['bytes that cannot be read', {}, 'deferred'],
  ];
  for (const [name, fields, result] of shared) {
    it(`are all ${result} by ${name}`, () => assert.deepEqual(results([], error(fields)), [result, result]));
  }
});

describe('the headers of a reply', () => {
  const original = {
    messageId: '<c@x>',
    inReplyTo: '<b@x>',
    references: ['<a@x>', '<b@x>'],
    subject: 'Plan',
  };

  it('name the message and what it names', () => {
    assert.deepEqual(replyHeaders(original), {
      inReplyTo: '<c@x>',
      references: ['<a@x>', '<b@x>', '<c@x>'],
      subject: 'Re: Plan',
    });
  });

  it('name nothing that no header may hold', () => {
    const { inReplyTo, references } = replyHeaders({
      ...original,
      messageId: `<${'x'.repeat(2_000)}@x>`,
      references: ['<a\r\nb@x>'],
    });
    assert.deepEqual([inReplyTo, references], ['', []]);
    assert.deepEqual(replyHeaders({ ...original, references: ['<ä@x>', '<a\tb@x>'] }).references, ['<c@x>']);
  });

  it('say Re: once', () => {
    const subjects = ['Re: Plan', 'RE: Plan', '', 'Plan\r\nBcc: x'].map(
      (subject) => replyHeaders({ ...original, subject }).subject,
    );
    assert.deepEqual(subjects, ['Re: Plan', 'RE: Plan', 'Re:', 'Re: Plan Bcc: x']);
  });
});
