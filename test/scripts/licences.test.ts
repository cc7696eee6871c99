import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..');

/** Licences that leave those who run or change the program every freedom, and ask for no more than their notices. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Whether one may use it under allowed licences alone; `expression` is one of SPDX, such as (MIT OR CC0-1.0). */
function isAllowed(expression: unknown): boolean {
  // Whoever needs more of the grammar gets a refusal, never a yes.
  const [, inner] = /^\(?([^()]+)\)?$/.exec(String(expression)) ?? [];
  return (inner ?? '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((name) => ALLOWED.has(name)));
}

describe('licences', () => {
  it('of everything that the program runs with are allowed, by what is installed', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; license?: string }>;
    };
    const wanted = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    const licences = wanted.map(([path, { optional, license }]) => {
      const file = join(ROOT, path, 'package.json');
      // What is made for another platform is known by what package-lock.json quotes.
      if (optional && !existsSync(file)) return [path, license];
      return [path, JSON.parse(readFileSync(file, 'utf8')).license];
    });
    assert.ok(licences.length > 100);
    assert.deepEqual(
      licences.filter(([, license]) => !isAllowed(license)),
      [],
    );
  });

  it('are allowed by every name in an expression that one cannot choose against', () => {
    for (const allowed of ['MIT', '(MIT OR GPL-3.0-only)', 'GPL-2.0 OR MIT AND ISC'])
      assert.equal(isAllowed(allowed), true, allowed);
    const refused = [
      'GPL-3.0-only',
      'MIT AND GPL-2.0',
      '(MIT OR ISC) AND GPL-2.0',
      'SEE LICENSE IN X',
      '',
      undefined,
    ];
    for (const licence of [...refused, { type: 'MIT' }])
      assert.equal(isAllowed(licence), false, String(licence));
  });
});
