import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readReleases } from '../../scripts/release-notes.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const CHANGELOG = `# Changelog

What happened.

## [Unreleased]

## [1.1.0-beta.1] - 2026-02-28

### Added

- Cake:

  \`\`\`md
  ## [1.0.9] - 2026-02-01
  \`\`\`

## [1.0.0] - 2026-01-31

- Tea.
`;

describe('release notes', () => {
  it('are what stands below the heading of a version', () => {
    assert.deepEqual(
      [...readReleases(CHANGELOG)],
      [
        ['Unreleased', ''],
        ['1.1.0-beta.1', '### Added\n\n- Cake:\n\n  ```md\n  ## [1.0.9] - 2026-02-01\n  ```'],
        ['1.0.0', '- Tea.'],
      ],
    );
  });

  it('are refused where a heading is not that of a version', () => {
    for (const heading of ['1.0.0', '[1.0.0]', '[1.0.0] - soon', '1.0.0 (unreleased)', '[Unreleased'])
      assert.throws(() => readReleases(`## ${heading}\n`), /is not the heading of a version$/, heading);
  });

  it('are printed for a version that is named, and for the newest without one', () => {
    const releases = readReleases(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
    const [newest] = releases.entries();
    assert.ok(newest);
    for (const args of [[], [newest[0]]])
      assert.deepEqual(print(...args), { status: 0, stdout: `${newest[1]}\n`, stderr: '' });
    releases.delete('Unreleased');
    for (const [version, notes] of releases) assert.ok(notes, `CHANGELOG.md says nothing of ${version}`);
  });

  it('are refused in one sentence for a version that is not there', () => {
    const { status, stdout, stderr } = print('99.0.0');
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^CHANGELOG\.md tells nothing of 99\.0\.0, but of \S.*\.\n$/);
  });
});

function print(...args: string[]) {
  const script = join(ROOT, 'scripts/release-notes.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}
