/** How the owner calls the server from a shell. */
export interface Access {
  ownerEmail: string;
  /** Such as http://127.0.0.1:8080. */
  address: string;
  /** A shell expression for the key. */
  key: string;
}

/** The values that the texts of the welcome mention. */
export interface Named extends Access {
  documentId: string;
  spreadsheetId: string;
  /** YYYY-MM-DD: the first day with an event, and the day after the last. */
  firstDay: string;
  lastDay: string;
}

/** The message in the inbox: what to try next. */
export function letter(named: Named): string {
  const { documentId, spreadsheetId, firstDay, lastDay, ownerEmail, address, key } = named;
  return `Welcome! This workspace is yours: mail, contacts, files, documents, spreadsheets and
calendars behind one HTTP API. A few things are here already, so that every first
call shows something. In a shell, on the machine where you started Atrium:

  ATRIUM=${address}
  KEY=${key}
  get() { curl -s -H "Authorization: Bearer $KEY" "$ATRIUM/v1/$1"; }

This message, and then its folders:

  get 'messages?unread=true'
  get folders

A contact, a file, and a document with its text:

  get 'contacts?q=ada'
  get files
  get documents/${documentId}/content

A spreadsheet that adds up, computed by the server:

  get spreadsheets/${spreadsheetId}/values/A1:D5

When you are busy (five short mornings, from tomorrow):

  curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '{"attendees":["${ownerEmail}"],"start":"${firstDay}T00:00:00Z","end":"${lastDay}T00:00:00Z"}' \\
    "$ATRIUM/v1/freebusy"

And a letter to yourself. Every write has an Idempotency-Key of your own choosing:
send it twice, and there is still one letter.

  curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -H 'Idempotency-Key: my-first-letter' \\
    -d '{"to":["${ownerEmail}"],"subject":"Hello","text":"First light."}' \\
    "$ATRIUM/v1/messages"

Everything else is in the reference: ${address}/docs

Have a good time here!
`;
}

/** The content of the document. */
export const NOTES = `# Start here

This is a document: Markdown with its history. Change it, and every earlier state stays.

- **Read it:** \`GET /v1/documents/:id/content\`. The header \`ETag\` is its state.
- **Write it:** \`PUT /v1/documents/:id/content\` with \`If-Match\`, the state that you have read. Whoever has written
  meanwhile is not overwritten: you get a \`412\` and read again.
- **Look back:** \`GET /v1/documents/:id/revisions\`.
- **Share it:** \`POST /v1/files/:id/permissions\` with the id of a user or a group.
- **Throw it away:** \`DELETE /v1/documents/:id\`. It goes to the trash; nothing is ever gone for good.

What is not here yet comes with \`atrium import mail\`, \`import contacts\` and \`import calendar\`.
`;

/** The cells of the spreadsheet, from A1. */
export const BUDGET = [
  ['Item', 'Price', 'How many', 'Sum'],
  ['Tea', 3.5, 4, '=B2*C2'],
  ['Cake', 12, 1, '=B3*C3'],
  ['Flowers', 9.9, 2, '=B4*C4'],
  ['Together', '', '', '=SUM(D2:D4)'],
];

/** How people run the command line: from a package, whose files are compiled, or from a clone. */
const ATRIUM = import.meta.filename.endsWith('.ts') ? 'npm run -s atrium --' : 'npx atrium';

/** The content of the file. */
export const NOTE = `A file of your drive. Upload more, of any size; run again after a break, it goes on where it stopped:

  ${ATRIUM} upload film.mp4

and get them back in the same way:

  ${ATRIUM} download file_…
`;
