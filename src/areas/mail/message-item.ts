import { type FlagSet, flagsJson } from './flags.ts';

/** What the summary of a message is made of. */
export interface ItemParts {
  /** The members that no change of folder, flags or labels changes, as JSON without braces. */
  summary: string;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

/** A message as listings show it, its summary as ready JSON: joined when it is read, so that changes write little. */
export function itemOf({ summary, flags, labels }: ItemParts, folderId: string): string {
  return `{${summary},"folder_id":"${folderId}","flags":${flagsJson(flags)},"labels":${labels}}`;
}
