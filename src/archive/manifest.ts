import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { ArchiveError } from './backup-directory.ts';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0 });
const BlobKey = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' });

/** A file of rows: one JSON array of values per line, in the order of the columns; bytes are in base64. */
const ArchivedTable = Type.Object({
  name: Type.String({ pattern: '^[a-z_]+$' }),
  columns: Type.Array(Type.String()),
  bytes: Type.Array(Type.String()),
  rows: Count,
  sha256: Digest,
});
export type ArchivedTable = Static<typeof ArchivedTable>;

/** The file with the list of blobs: one line {key, size, sha256} per blob. */
const BlobList = Type.Object({ count: Count, bytes: Count, sha256: Digest });
export type BlobList = Static<typeof BlobList>;

/** A blob that the store has lost or damaged, although rows refer to it. */
const LostBlob = Type.Object({
  key: BlobKey,
  /** The owners of the blob, such as "file file_…". */
  of: Type.Array(Type.String()),
  reason: Type.String(),
});
export type LostBlob = Static<typeof LostBlob>;

const COMMON = {
  product: Type.Literal('atrium'),
  version: Type.String(),
  created_at: Type.String(),
  /** The migrations that created the tables. */
  migrations: Type.Array(Type.String()),
  tables: Type.Array(ArchivedTable),
  blobs: BlobList,
};

/** The contents of a backup. It is written last, so a directory without a manifest is not a backup. */
const Manifest = Type.Object({
  ...COMMON,
  format: Type.Literal(2),
  /** Blobs that are not in the backup. */
  missing_blobs: Type.Array(LostBlob),
  /** Blobs that are in the backup with the damaged bytes of the store. */
  damaged_blobs: Type.Array(LostBlob),
});
export type Manifest = Static<typeof Manifest>;

/** The written form: with the SHA-256 (hex) of the remaining fields as compact JSON. */
const Written = Compile(
  Type.Object({ ...Manifest.properties, sha256: Digest }, { additionalProperties: false }),
);

/** The format of version 0.1.0, which could not make a backup with missing blobs, and had no digest in the manifest. */
const First = Compile(Type.Object({ ...COMMON, format: Type.Literal(1) }, { additionalProperties: false }));

/** The text of a manifest. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: digestOf(manifest) }, null, 2)}\n`;
}

function digestOf(manifest: Manifest): string {
  return hash('sha256', JSON.stringify(manifest));
}

/** Throws ArchiveError if this version does not understand the text, or the digest does not match. */
export function parseManifest(text: string): Manifest {
  const value = parse(text);
  if (First.Check(value)) return { ...value, format: 2, missing_blobs: [], damaged_blobs: [] };
  if (!Written.Check(value))
    throw new ArchiveError(
      'The manifest of the backup is damaged, or of a version that this one cannot read.',
    );
  const { sha256, ...manifest } = value;
  if (digestOf(manifest) !== sha256)
    throw new ArchiveError('The manifest of the backup is damaged: its digest is another.');
  return manifest;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ArchiveError('The manifest of the backup is damaged: it is not JSON.', { cause });
  }
}

/** One sentence for each blob that is missing or damaged in the backup. */
export function lossSentences({ missing_blobs, damaged_blobs }: Manifest): string[] {
  return [
    ...missing_blobs.map((blob) => lossSentence(blob, 'and so it is not in the backup')),
    ...damaged_blobs.map((blob) => lossSentence(blob, 'and is in the backup as it is')),
  ];
}

function lossSentence({ key, of, reason }: LostBlob, consequence: string): string {
  return `The blob ${key} ${reason}, ${consequence}; it is that of ${of.join(', ')}.`;
}

/** An entry in the list of blobs. */
const ArchivedBlob = Type.Object({ key: BlobKey, size: Count, sha256: Digest });
export type ArchivedBlob = Static<typeof ArchivedBlob>;

const blobValidator = Compile(ArchivedBlob);

/** Throws ArchiveError if the line is not an entry of the list of blobs. */
export function parseArchivedBlob(value: unknown): ArchivedBlob {
  if (!blobValidator.Check(value)) throw new ArchiveError('The list of blobs of the backup is damaged.');
  return value;
}

/** What has been copied or verified so far. */
export interface Progress {
  rows: number;
  blobs: number;
  bytes: number;
}
