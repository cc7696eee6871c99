import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { composeMessage } from '../../src/formats/messages/compose.ts';

const ADDRESS = { name: '', address: 'a@x.example' };

async function sent(given: string): Promise<string> {
  const message = await composeMessage({
    messageId: '<1@x.example>',
    date: new Date(0),
    from: ADDRESS,
    to: [ADDRESS],
    cc: [],
    subject: '',
    text: given,
    html: undefined,
    inReplyTo: '',
    references: [],
    attachments: [],
  });
  const whole = await text(message);
  return whole.slice(whole.indexOf('\r\n\r\n') + 4);
}

it('each kind of line end becomes one CR LF, wherever in a long text it is', async () => {
  const unit = 'a\r\nb\rc\nd\r\r\n';
  for (let shift = 0; shift < unit.length; shift++) {
    const given = `${'x'.repeat(shift)}${unit.repeat(20_000)}z`;
    const body = await sent(given);
    // The composer ends the last line.
    assert.equal(body.trimEnd(), `${'x'.repeat(shift)}${'a\r\nb\r\nc\r\nd\r\n\r\n'.repeat(20_000)}z`);
  }
});
