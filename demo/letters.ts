/** A message before it is bytes. */
export interface Letter {
  from: string;
  to: string;
  subject: string;
  text: string;
  /** The left side of its Message-ID, and those of the messages that it answers. */
  id: string;
  answers: readonly string[];
  /** Milliseconds since it was written. */
  age: number;
  label: string | undefined;
  isStarred: boolean;
  /** Whether it has a file with it. */
  hasTable: boolean;
}

const BOUNDARY = 'demo-boundary';

/** The message as RFC 5322 has it. */
export function rawMessage(letter: Letter): string {
  const { from, to, subject, id, answers, age } = letter;
  const date = new Date(Date.now() - age).toUTCString().replace('GMT', '+0000');
  const references = answers.map((answer) => `<${answer}@demo.example>`);
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${encoded(subject)}`,
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

/** RFC 2047, where it is needed. */
function encoded(subject: string): string {
  if (/^[\x20-\x7e]*$/.test(subject)) return subject;
  return `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
}
