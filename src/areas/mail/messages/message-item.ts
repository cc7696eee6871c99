import { type FlagSet, flagsJson } from '../changes/flags.ts';

/** What the summary of a message is made of. */
export interface ItemParts {
  /** The members that no change of folder, flags or labels changes, as JSON without braces. */
  summary: string;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

/** A message as listings show it, as ready JSON: put together when it is read, so that changes write little. */
export function itemOf(parts: ItemParts, folderId: string): string {
  return `{${itemMembers(parts, folderId)}}`;
}

/** The members of a message as listings show it, as ready JSON. */
export function itemMembers({ summary, flags, labels }: ItemParts, folderId: string): string {
  return `${summary},"folder_id":"${folderId}","flags":${flagsJson(flags)},"labels":${labels}`;
}
