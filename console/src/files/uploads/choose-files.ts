import { chosenFiles } from './dropped.ts';
import { uploads } from './uploads.ts';

/** Has the person choose files, or a folder with all that is in it, and uploads them into a folder. */
export function chooseFiles(folderId: string, { isFolder = false } = {}): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = isFolder;
  // Some browsers open no choice for an input that is not in the page.
  input.hidden = true;
  document.body.append(input);
  input.oncancel = () => input.remove();
  input.onchange = () => {
    if (input.files) void uploads.add(chosenFiles(input.files), folderId);
    input.remove();
  };
  input.click();
}
