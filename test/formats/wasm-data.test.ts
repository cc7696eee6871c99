import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { WasmData } from '../../src/formats/content-type/wasm-data.ts';

/** A memory of one page that is exported as "m", and two segments: "abc" at 10 and "d" at 300. */
const MODULE = Buffer.concat([
  Buffer.from('0061736d01000000', 'hex'),
  Buffer.from('0503010001', 'hex'),
  Buffer.from('07050101' + '6d0200', 'hex'),
  Buffer.from('0c0102', 'hex'),
  Buffer.from('0b10' + '02' + '00410a0b03616263' + '0041ac020b0164', 'hex'),
]);

function copied(start: number, end: number): string {
  const target = Buffer.alloc(4, '.');
  new WasmData(MODULE).copy({ start, end }, target, 1);
  return target.toString();
}

test('data of a range of addresses is copied, and only that', () => {
  assert.equal(copied(10, 13), '.abc');
  assert.equal(copied(11, 12), '.b..');
  assert.equal(copied(9, 12), '..ab');
  assert.equal(copied(298, 400), '...d');
  assert.equal(copied(13, 300), '....');
});

test('segments that are not active are refused', () => {
  const passive = Buffer.concat([MODULE.subarray(0, 23), Buffer.from('0b0601' + '01' + '03616263', 'hex')]);
  assert.throws(() => new WasmData(passive).copy({ start: 0, end: 1 }, Buffer.alloc(1), 0), /not active/);
});

test('the module without its data is what it was otherwise', () => {
  const { code } = new WasmData(MODULE);
  assert.deepEqual(code, MODULE.subarray(0, 20));
});

test('the module of libmagic needs a tenth without its data', () => {
  const path = createRequire(import.meta.url).resolve('wasmagic/dist/libmagic-wrapper.wasm');
  const module = readFileSync(path);
  assert.ok(new WasmData(module).code.length < module.length / 10);
});
