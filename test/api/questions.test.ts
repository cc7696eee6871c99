import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Questions } from '../../src/api/questions.ts';
import type { ReadInput } from '../../src/api/validation.ts';

const questionOf = (body: unknown, problems: ReadInput['problems'] = []): ReadInput => ({
  params: {},
  query: {},
  body,
  problems,
  fitting: { query: {}, body: {} },
});

test('the same bytes at the same place are read once, others by themselves', () => {
  const questions = new Questions();
  let read = 0;
  const ask = (url: string, body: string) =>
    questions.of(url, Buffer.from(body), () => questionOf({ text: body, number: ++read }));
  assert.equal(ask('/a', '{}'), ask('/a', '{}'));
  assert.equal(read, 1);
  ask('/b', '{}');
  ask('/a', '{ }');
  ask('/a', '"é"');
  ask('/a', Buffer.from('"é"').toString('latin1'));
  assert.equal(read, 5);
});

test('what is wrong, and what is long, is read each time', () => {
  const questions = new Questions();
  let read = 0;
  const wrong = () => questionOf({ number: ++read }, [{ pointer: '', code: 'required', message: 'x' }]);
  const long = () => questionOf({ number: ++read });
  for (let time = 0; time < 2; time++) {
    questions.of('/', Buffer.from('{}'), wrong);
    questions.of('/', Buffer.alloc(10_001, 0x20), long);
  }
  assert.equal(read, 4);
});

test('nobody can change what others are given', () => {
  const body = { list: [{ deep: 1 }] };
  new Questions().of('/', Buffer.from('{}'), () => questionOf(body));
  assert.throws(() => body.list.push({ deep: 2 }), TypeError);
  assert.throws(() => Object.assign(body.list[0] ?? {}, { deep: 2 }), TypeError);
});
