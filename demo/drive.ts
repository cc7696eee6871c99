import type { Cast } from './people.ts';

/** A red image of 1 × 1 pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** File names and contents. */
const FILES: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ['Notes on the engine.md', '# Notes\n\nIt weaves algebraical patterns.\n'],
  ['numbers.csv', 'n,B(n)\n2,1/6\n4,-1/30\n6,1/42\n'],
  ['plan.json', '{"steps":["read","think","write"]}'],
  ['page.html', '<!doctype html><title>Page</title><p>Hello'],
  ['pixel.png', new Uint8Array(Buffer.from(PIXEL, 'base64'))],
];

/** Creates folders with files of several types, one in the trash, and one shared with a group. */
export async function makeDrive({ people: [owner, other], groups: [everyone] }: Cast): Promise<void> {
  if (!owner || !other || !everyone) return;
  const { files } = owner.atrium;
  const work = await files.createFileFolder({ name: 'Work' });
  const drafts = await files.createFileFolder({ name: 'Drafts', parent_id: work.id });
  const made = [];
  for (const [index, [filename, content]] of FILES.entries()) {
    const folderId = [work.id, drafts.id, ''][index % 3] ?? '';
    made.push(await files.upload(new Blob([content]), { filename, folderId }));
  }
  const [notes, numbers] = made;
  if (notes)
    await files.shareFile(notes.id, { principal_id: everyone.id, principal_type: 'group', role: 'viewer' });
  if (numbers) await files.shareFile(numbers.id, { principal_id: other.user.id, role: 'editor' });
  const old = await files.upload(new Blob(['thrown away']), { filename: 'old.txt' });
  await files.trashFile(old.id);
}

const NOTES = [
  '# The plan',
  '# The plan\n\n1. Read\n2. Think\n',
  '# The plan\n\n1. Read\n2. Think\n3. Write\n',
];
const ROWS = [
  ['Month', 'Income', 'Costs', 'Left', 'Share'],
  ...['January', 'February', 'March', 'April', 'May', 'June'].map((month, index) => {
    const row = index + 2;
    return [month, 1200 + index * 45, 900 + ((index * 137) % 200), `=B${row}-C${row}`, `=D${row}/B${row}`];
  }),
  ['Together', '=SUM(B2:B7)', '=SUM(C2:C7)', '=SUM(D2:D7)', '=D8/B8'],
];

/** Creates a document with a history that a colleague may edit, and a workbook whose sheets refer to each other. */
export async function makeDocuments({ people: [owner, other] }: Cast): Promise<void> {
  if (!owner || !other) return;
  const { documents, spreadsheets, files } = owner.atrium;
  const plan = await documents.createDocument({
    type: 'document',
    title: 'The plan',
    metadata: { project: 'demo' },
  });
  for (const text of NOTES) {
    const { state } = await documents.getDocumentContent(plan.id);
    await documents.putDocumentContent(plan.id, text, { ...(state !== undefined && { ifMatch: state }) });
  }
  await files.shareFile(plan.id, { principal_id: other.user.id, role: 'editor' });
  const book = await documents.createDocument({ type: 'spreadsheet', title: 'Household' });
  const { state } = await spreadsheets.writeRange(book.id, 'A1', { values: ROWS });
  const operations = [{ type: 'add_sheet' as const, sheet: 'Summary' }];
  await spreadsheets.changeSpreadsheetStructure(book.id, { operations }, { ifMatch: state });
  const summary = [
    ['Best month', '=INDEX(Sheet1!A2:A7,MATCH(MAX(Sheet1!D2:D7),Sheet1!D2:D7,0))'],
    ['Average', '=ROUND(AVERAGE(Sheet1!D2:D7),2)'],
  ];
  await spreadsheets.writeRange(book.id, 'Summary!A1', { values: summary });
}
