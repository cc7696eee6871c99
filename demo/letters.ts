/** The content of a message before formatting. */
export interface Letter {
  from: string;
  to: string;
  subject: string;
  text: string;
  /** The left side of its Message-ID, and of the Message-IDs that it references. */
  id: string;
  references: readonly string[];
  /** Milliseconds since its date. */
  age: number;
  label: string | undefined;
  isStarred: boolean;
  /** Whether it has an attachment. */
  hasTable: boolean;
}

const BOUNDARY = 'demo-boundary';

/** The message in the format of RFC 5322. */
export function rawMessage(letter: Letter): string {
  const { from, to, subject, id, age } = letter;
  const date = new Date(Date.now() - age).toUTCString().replace('GMT', '+0000');
  const references = letter.references.map((reference) => `<${reference}@demo.example>`);
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${encodeSubject(subject)}`,
    `Date: ${date}`,
    `Message-ID: <${id}@demo.example>`,
    ...(references.length > 0
      ? [`In-Reply-To: ${references.at(-1)}`, `References: ${references.join(' ')}`]
      : []),
    'MIME-Version: 1.0',
    ...body(letter),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function body({ text, hasTable }: Letter): string[] {
  const plain = ['Content-Type: text/plain; charset=utf-8', '', text];
  if (!hasTable) return plain;
  const table = ['Content-Type: text/csv', 'Content-Disposition: attachment; filename="numbers.csv"'];
  return [
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
    '',
    ...[`--${BOUNDARY}`, ...plain],
    ...[`--${BOUNDARY}`, ...table, '', 'n,B(n)', '2,1/6', '4,-1/30', '6,1/42'],
    `--${BOUNDARY}--`,
  ];
}

/** Encodes a non-ASCII subject (RFC 2047). */
function encodeSubject(subject: string): string {
  if (/^[\x20-\x7e]*$/.test(subject)) return subject;
  return `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
}
