/** Prints what CHANGELOG.md says of a version, for where a release is announced: of the one that is named, else of the newest. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import MarkdownIt from 'markdown-it';

/** As Keep a Changelog has them: [Unreleased], and [1.2.3] - 2026-01-31. */
const VERSION = /^\[(Unreleased|\d+\.\d+\.\d+\S*(?=\] - \d{4}-\d\d-\d\d$))\]/;

/** What a changelog says of each of its versions, the newest first. Throws where the heading of one has another form. */
export function readReleases(changelog: string): Map<string, string> {
  const lines = changelog.split('\n');
  const tokens = new MarkdownIt().parse(changelog, {});
  const headings = tokens.flatMap(({ type, tag, map }, index) =>
    type === 'heading_open' && tag === 'h2' && map
      ? [{ text: tokens[index + 1]?.content ?? '', start: map[0], end: map[1] }]
      : [],
  );
  return new Map(
    headings.map(({ text, end }, index) => {
      const version = VERSION.exec(text)?.[1];
      if (version === undefined) throw new Error(`"${text}" is not the heading of a version`);
      return [
        version,
        lines
          .slice(end, headings[index + 1]?.start)
          .join('\n')
          .trim(),
      ];
    }),
  );
}

function main(wanted?: string): void {
  const releases = readReleases(readFileSync(resolve(import.meta.dirname, '..', 'CHANGELOG.md'), 'utf8'));
  const notes = releases.get(wanted ?? releases.keys().next().value ?? '');
  if (notes === undefined) {
    console.error(`CHANGELOG.md tells nothing of ${wanted}, but of ${[...releases.keys()].join(', ')}.`);
    process.exitCode = 1;
  } else {
    console.log(notes);
  }
}

if (import.meta.main) main(process.argv[2]);
