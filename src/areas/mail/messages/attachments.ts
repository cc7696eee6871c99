import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ByteRange } from '../../../blobs/blob-store.ts';
import type { RawLocation } from '../../../blobs/staging.ts';
import {
  contentTypeOf,
  HEAD_BYTES,
  type ReadableContent,
} from '../../../formats/content-type/content-type.ts';
import {
  type AttachmentPart,
  readAttachmentAt,
  readAttachmentParts,
} from '../../../formats/messages/attachment-parts.ts';
import { Cache } from '../../../platform/cache.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import type { RecordedAttachment } from './record.ts';

/** An attachment as the full record lists it. */
export interface ListedAttachment {
  id: string;
  filename: string;
  /** Told from its bytes. */
  mime_type: string;
  /** As the sender declares it. */
  declared_type: string;
  /** Bytes, decoded. */
  size: number;
  /** Of a message within the message: what is attached to it. */
  attachments?: ListedAttachment[];
}

/** What the bytes of an attachment tell; `within` for a message. */
interface KnownPart {
  filename: string;
  mimeType: string;
  declaredType: string;
  size: number;
  within: KnownPart[] | undefined;
}

/** The parts of recently read messages by their content, at most 8 MB. */
const known = new Cache<KnownPart[]>({ room: 4_000_000, largest: 1_000_000 });
const ROOM_OF_PART = 100;

/** Identifies the raw bytes of a message: other bytes have another tag. */
export function contentTag({ raw, blobKey }: RawLocation): string {
  return blobKey ?? createHash('sha256').update(raw).digest('base64url');
}

/**
 * The attachments of a message with their types, and what is within attached messages. Reads the message once and asks
 * for the types in a thread; nothing is read where there is no attachment. Call it outside of a transaction.
 */
export async function listAttachments(
  staging: MessageStaging,
  location: RawLocation,
  recorded: readonly RecordedAttachment[],
): Promise<ListedAttachment[]> {
  if (recorded.length === 0) return [];
  const parts = await partsOf(staging, location);
  return recorded.map(({ id, filename, mime_type: declared, size }, position) => {
    const part = parts[position];
    const within = part?.within;
    return {
      id,
      filename,
      mime_type: part?.mimeType ?? 'application/octet-stream',
      declared_type: declared,
      size,
      ...(within && { attachments: listedWithin(id, within) }),
    };
  });
}

/** What is within an attachment is named by its position there, which its bytes alone decide. */
function listedWithin(outer: string, parts: readonly KnownPart[]): ListedAttachment[] {
  return parts.map(({ filename, mimeType, declaredType, size, within }, position) => {
    const id = `${outer}.${position + 1}`;
    return {
      id,
      filename,
      mime_type: mimeType,
      declared_type: declaredType,
      size,
      ...(within && { attachments: listedWithin(id, within) }),
    };
  });
}

/** An attachment of a message, and where its bytes are. */
export interface FoundAttachment {
  listed: ListedAttachment;
  /** Its position in the message, after those of the messages that it is within. */
  path: readonly number[];
}

/** The attachment with this id among those that a message lists; undefined when there is none. */
export function attachmentNamed(
  attachments: readonly ListedAttachment[],
  id: string,
): FoundAttachment | undefined {
  for (const [position, listed] of attachments.entries()) {
    if (listed.id === id) return { listed, path: [position] };
    if (!id.startsWith(`${listed.id}.`)) continue;
    const found = attachmentNamed(listed.attachments ?? [], id);
    return found && { listed: found.listed, path: [position, ...found.path] };
  }
  return undefined;
}

/** The decoded bytes of an attachment, or a range of them. Rejects with BlobsUnavailable. */
export async function openAttachment(
  staging: MessageStaging,
  location: RawLocation,
  path: readonly number[],
  range?: ByteRange,
): Promise<Readable> {
  const content = readAttachmentAt(await staging.open(location), path);
  if (!range) return content;
  const part = Readable.from(sliceOf(content, range), { objectMode: false });
  return part.once('close', () => content.destroy());
}

async function* sliceOf(content: Readable, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    const piece = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
    at += chunk.length;
    if (piece.length > 0) yield piece;
    if (at >= end) return;
  }
}

async function partsOf(staging: MessageStaging, location: RawLocation): Promise<KnownPart[]> {
  const tag = contentTag(location);
  const cached = known.get(tag);
  if (cached) return cached;
  const parts: KnownPart[] = [];
  let room = 0;
  /** Attachments of the messages that are still open, by the path of the message. */
  const within = new Map<string, KnownPart[]>();
  for await (const part of readAttachmentParts(await staging.open(location), HEAD_BYTES)) {
    const key = part.path.join('.');
    const found = {
      filename: part.filename,
      mimeType: await typeOf(staging, location, part),
      declaredType: part.declaredType,
      size: part.size,
      within: part.isMessage ? (within.get(key) ?? []) : undefined,
    };
    within.delete(key);
    room += ROOM_OF_PART + part.filename.length;
    if (part.path.length === 1) parts.push(found);
    else within.getOrInsertComputed(part.path.slice(0, -1).join('.'), () => []).push(found);
  }
  known.set(tag, parts, room);
  return parts;
}

async function typeOf(staging: MessageStaging, location: RawLocation, part: AttachmentPart): Promise<string> {
  const { path, filename, isMessage, size, head } = part;
  const read = async (start: number, end: number) => {
    const range = { start: Math.max(0, start), end: Math.min(end, size) };
    return range.start < range.end
      ? buffer(await openAttachment(staging, location, path, range))
      : Buffer.alloc(0);
  };
  const whole = async (): Promise<ReadableContent> => ({ size, read });
  // Only the ending of a name tells a message from another text; a declared message need not be named so.
  return contentTypeOf({ filename: isMessage ? `${filename}.eml` : filename, head, whole });
}
