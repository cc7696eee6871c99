import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/contract/errors.ts';
import { endOfString, parseJson } from '../../src/contract/json.ts';

const refused = (body: string | Buffer) =>
  assert.throws(
    () => parseJson(Buffer.from(body)),
    (error) => error instanceof ApiError && error.code === 'invalid_json',
  );

test('a key given twice is refused wherever it stands (API-8)', () => {
  for (const body of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[{"x":[{"k":0,"k":{}}]}]',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"1":{},"1":{}}',
  ]) {
    refused(body);
  }
});

test('colons and quotes within strings are no members', () => {
  for (const body of ['{"a":":\\":\\\\","b":"\\\\\\":"}', '[":",{":":":"}]', '":"']) {
    assert.deepEqual(parseJson(Buffer.from(body)), JSON.parse(body));
  }
});

test('texts and null among members have none themselves', () => {
  const body = '{"a":"text","b":null,"c":[null,"text",true,1]}';
  assert.deepEqual(parseJson(Buffer.from(body)), JSON.parse(body));
});

test('__proto__ is a member like any other', () => {
  const value = parseJson(Buffer.from('{"__proto__":{"admin":true}}')) as object;
  assert.deepEqual(Object.keys(value), ['__proto__']);
  assert.equal(Reflect.get({}, 'admin'), undefined);
});

test('what is not UTF-8 or not JSON is refused (API-34)', () => {
  refused(Buffer.from([0x22, 0xff, 0x22]));
  refused(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]));
  for (const body of ['{', "{'a':1}", '{"a":1,}', 'NaN', '\ufeff{}', '[1] 2', '']) refused(body);
});

test('nesting is bounded, so that no body holds the server (API-9)', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  refused('['.repeat(10_000_000));
  refused(nested(1_001));
  refused(`${'{"a":'.repeat(1_001)}0${'}'.repeat(1_001)}`);
  refused(`${'[0,'.repeat(1_001)}0${']'.repeat(1_001)}`);
  assert.ok(Array.isArray(parseJson(Buffer.from(nested(1_000)))));
  assert.ok(Array.isArray(parseJson(Buffer.from(`[${'{},[],'.repeat(1_000)}0]`))));
});

test('members and values are bounded, so that nothing is made of a body that has too many (API-9)', () => {
  const tooMany = (body: string) =>
    assert.throws(
      () => parseJson(Buffer.from(body)),
      (error) => error instanceof ApiError && error.code === 'validation_failed',
    );
  const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(',')}}`;
  assert.ok(parseJson(Buffer.from(members(10_000))));
  tooMany(members(10_001));
  tooMany(`[${members(6_000)},${members(6_000)}]`);
  assert.ok(parseJson(Buffer.from(`[${'0,'.repeat(299_998)}0]`)));
  tooMany(`[${'0,'.repeat(300_000)}0]`);
  tooMany(`[${'[],'.repeat(200_000)}0]`);
});

test('a refusal says what is wrong (API-9)', () => {
  const refusal = (body: string | Buffer) => {
    try {
      return parseJson(Buffer.from(body));
    } catch (error) {
      assert.ok(error instanceof ApiError);
      return error;
    }
  };
  const messageOf = (body: string | Buffer) => (refusal(body) as ApiError).message;
  assert.equal(messageOf(Buffer.from([0xff])), 'The body is not valid UTF-8.');
  assert.equal(messageOf('{"a":1,"a":2}'), 'The body gives a key twice in one object.');
  assert.equal(messageOf('['.repeat(1_001)), 'The body nests deeper than 1000 levels.');
  const broken = refusal('{') as ApiError;
  assert.ok(broken.cause instanceof SyntaxError);
  assert.equal(broken.message, `The body is not JSON: ${broken.cause.message}`);
  for (const [body, message] of [
    ['"":'.repeat(10_001), 'The body has more than 10000 members.'],
    [','.repeat(300_000), 'The body has more than 300000 values.'],
  ] as const) {
    const { message: told, details } = refusal(body) as ApiError;
    assert.equal(told, `body: ${message}`);
    assert.deepEqual(details, { errors: [{ pointer: '', code: 'too_many', message }] });
  }
});

test('the end of a text is the first quote that is not escaped', () => {
  assert.equal(endOfString('"a"b"', 0), 2);
  assert.equal(endOfString('"\\""', 0), 3);
  assert.equal(endOfString('"\\\\""', 0), 3);
  assert.equal(endOfString('x"\\"\\\\"y"', 1), 6);
  assert.equal(endOfString('"', 0), 1);
  assert.equal(endOfString('"\\"', 0), 3);
});

test('every JSON value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});
