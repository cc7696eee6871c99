/** The type of dragged messages. */
export const DRAGGED = 'application/x-atrium-messages';

export function draggedIds(data: DataTransfer): string[] {
  const text = data.getData(DRAGGED);
  return text === '' ? [] : text.split(' ');
}
