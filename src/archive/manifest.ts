import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { ArchiveError } from './archive-error.ts';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0 });

/** One file of rows: a JSON array of values a line, in the order of the columns; bytes are in base64. */
const ArchivedTable = Type.Object({
  name: Type.String({ pattern: '^[a-z_]+$' }),
  columns: Type.Array(Type.String()),
  bytes: Type.Array(Type.String()),
  rows: Count,
  sha256: Digest,
});
export type ArchivedTable = Static<typeof ArchivedTable>;

/** What a backup is made of. It is written last, so a directory without one is no backup. */
const Manifest = Type.Object({
  product: Type.Literal('atrium'),
  format: Type.Literal(1),
  version: Type.String(),
  created_at: Type.String(),
  /** The steps of the schema that the rows fit. */
  migrations: Type.Array(Type.String()),
  tables: Type.Array(ArchivedTable),
  /** Of the list of blobs: one line {key, size, sha256} each. */
  blobs: Type.Object({ count: Count, bytes: Count, sha256: Digest }),
});
export type Manifest = Static<typeof Manifest>;

const validator = Compile(Manifest);

/** Throws ArchiveError where the text is no manifest that this version understands. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ArchiveError('The manifest of the backup is damaged: it is not JSON.', { cause });
  }
  if (!validator.Check(value))
    throw new ArchiveError(
      'The manifest of the backup is damaged, or of a version that this one cannot read.',
    );
  return value;
}

/** A blob in the list of blobs. */
const ArchivedBlob = Type.Object({
  key: Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' }),
  size: Count,
  sha256: Digest,
});
export type ArchivedBlob = Static<typeof ArchivedBlob>;

const blobValidator = Compile(ArchivedBlob);

/** Throws ArchiveError where the line is not one of the list of blobs. */
export function checkedBlob(value: unknown): ArchivedBlob {
  if (!blobValidator.Check(value)) throw new ArchiveError('The list of blobs of the backup is damaged.');
  return value;
}
