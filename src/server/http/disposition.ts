import { create } from 'content-disposition';

/**
 * The header of a download to be saved under this name. It always has `filename*` too, where others name a file of plain
 * letters once: whoever reads only that reads it of every file.
 */
export function dispositionOf(filename: string): string {
  const header = create(filename);
  // The name itself may look like a parameter: within its quotes it is none.
  const hasExtended = header.lastIndexOf("; filename*=UTF-8''") > header.lastIndexOf('"');
  return hasExtended ? header : `${header}; filename*=UTF-8''${extended(filename)}`;
}

/** As RFC 8187, 3.2 writes a value. */
function extended(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
