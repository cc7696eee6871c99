/** One mailbox of an address header, decoded (RFC 2047, RFC 6532). */
export interface Address {
  /** The display name; "" when there is none. */
  name: string;
  /** The bare address as written; "" when the header holds none. */
  address: string;
}

/**
 * A part that is not shown as text: attachments, inline images, calendar parts, nested messages. Its position in
 * `attachments` names it.
 */
export interface AttachmentInfo {
  /** 1–255 characters without a path; made up where the message gives none. */
  filename: string;
  /** Lower case, as the message declares it. */
  mimeType: string;
  /** Bytes after decoding. */
  size: number;
}

/** What the product knows of a message from its bytes alone. Nothing in it contains NUL or a lone surrogate. */
export interface ParsedMessage {
  /** The Message-ID with its angle brackets; "" when there is none. */
  messageId: string;
  /** Ids named by In-Reply-To, and by References, with angle brackets, in the order written, each once. */
  inReplyTo: string[];
  references: string[];
  subject: string;
  /** The first mailbox of From (of Sender where From has none); null when neither can be read. */
  from: Address | null;
  to: Address[];
  cc: Address[];
  bcc: Address[];
  replyTo: Address[];
  /** Milliseconds since the epoch of the Date header; null when absent or unreadable. */
  sentAt: number | null;
  /** Milliseconds since the epoch of the newest (topmost readable) Received header; null when there is none. */
  receivedAt: number | null;
  /**
   * Plain text as a person reads it, LF line ends, flowed paragraphs whole; made from the HTML when there is no
   * plain part or an empty one. Several text parts follow each other.
   */
  text: string;
  /** HTML as sanitizeHtml makes it safe to show; "" when there is none. */
  html: string;
  attachments: AttachmentInfo[];
  /** Every header in order: lower-cased name and decoded value. */
  headers: { name: string; value: string }[];
  /** True when text or html was cut at MAX_SHOWN_BODY characters, or a limit of the parser hid parts. */
  truncated: boolean;
}
