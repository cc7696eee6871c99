import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import { readWholeXml } from './xml.ts';

/** What a part says of another one. */
export interface Relationship {
  /** The last word of the type, such as "worksheet": its beginning differs between the editions of the standard. */
  readonly kind: string;
  /** The name of the part; what is outside of the file names none that there is. */
  readonly target: string;
}

/** The relationships of a part by their ids; "" is the file as a whole. */
export async function readRelationships(archive: Archive, part: string): Promise<Map<string, Relationship>> {
  const { dir, base } = posix.parse(part);
  const path = posix.join(dir, '_rels', `${base}.rels`);
  const relationships = new Map<string, Relationship>();
  await readWholeXml(path, archive.read(path), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship') return;
      const kind = type.slice(type.lastIndexOf('/') + 1);
      relationships.set(id, { kind, target: posix.resolve('/', dir, target).slice(1) });
    },
  });
  return relationships;
}
