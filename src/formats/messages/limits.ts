/**
 * Bounds that keep the reading of hostile mail linear in its size. What they leave out sets `truncated`;
 * the raw message keeps it. Each is far above what 842 real messages hold.
 */

/** Most UTF-16 units of `text` and of `html`. */
export const MAX_SHOWN_BODY = 1024 * 1024;

/** Most decoded bytes kept for the text of one kind: four bytes for each shown character. */
export const MAX_TEXT_BYTES = 4 * MAX_SHOWN_BODY;

/** Most bytes of one header section; of one header field within it; most fields. */
export const MAX_HEAD_BYTES = 1024 * 1024;
export const MAX_FIELD_BYTES = 256 * 1024;
export const MAX_FIELDS = 10_000;

/** Most bytes that are read of a Content-Type or Content-Disposition. */
export const MAX_STRUCTURED = 32 * 1024;

/** Most parts of a message, and most multiparts within each other; a deeper one is listed as an attachment. */
export const MAX_PARTS = 10_000;
export const MAX_DEPTH = 100;

/** Most mailboxes of one kind (to, cc …), and most ids of one kind. */
export const MAX_ADDRESSES = 10_000;
export const MAX_IDS = 10_000;

/** Deepest nesting of HTML elements; browsers stop at 512. */
export const MAX_HTML_DEPTH = 256;

/** The largest message that any way in takes: what the SMTP door announces, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
