// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Pages } from '../pages.ts';
import type { RequestOptions, Requests } from '../requests.ts';

export interface SearchQuery {
  /** Words that all stand in an object, as wholes or with "*" as a beginning (invo*), without regard to case, accents and width. "a phrase", -without, OR between two. Operators: from: to: cc: subject: body: filename: label: in: is:unread, read, starred, answered; has:attachment; before: after: larger: smaller: kind: owner:. What is no operator is text. */
  q: string;
  /** Kinds to search; repeat it for several. Without it, all that the key may read. */
  kinds?: 'message' | 'contact' | 'file' | 'document' | 'spreadsheet' | ('message' | 'contact' | 'file' | 'document' | 'spreadsheet')[];
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface SearchHit {
  /** A kind of objects. */
  kind: 'message' | 'contact' | 'file' | 'document' | 'spreadsheet';
  /** The id of the object. */
  id: string;
  /** The subject, the name or the title. */
  title: string;
  /** The place in its texts that shows most of the words, about 160 characters on one line. */
  snippet: string;
  /** The words of the query in the snippet, in order. */
  highlights: number[][];
  /** When the message came, or when the object last changed. RFC 3339, UTC, with milliseconds. */
  at: string;
  /** The object as the list of its kind shows it. */
  record: Record<string, unknown>;
}

/** Search: one method for each operation. */
export class Search {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * Search everything
   *
   * Messages, contacts, files, documents and spreadsheets that the caller sees and that match, newest first. What was written is found within two seconds. Trash and junk are found only where in: names them.
   *
   * Any key may call this.
   */
  search(query: SearchQuery, options: RequestOptions = {}): Pages<SearchHit> {
    return this.requests.pages({ path: '/v1/search', query }, options);
  }
}
