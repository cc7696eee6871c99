import type { Actor } from './actor.ts';

/** What one client does in one part of the product, and what it knows of it: only it touches what it made. */
export interface Area {
  /** One more write; resolves when it was answered. */
  step(): Promise<void>;
  /** Holds what is there against all that was answered. */
  prove(): Promise<void>;
}

/** A user of the workspace, with a key for everything. */
export interface Person {
  id: string;
  email: string;
  key: string;
}

/** What all clients share. */
export interface World {
  people: Person[];
  rooms: string[];
  document: string;
  spreadsheet: string;
  /** What clients have had acknowledged on what they share; held against it in the end. */
  shared: {
    /** Of the document: the content of each revision. */
    revisions: Map<number, string>;
    /** Of the spreadsheet: rows that were appended. */
    appended: string[];
    /** Of the rooms: who holds them when, as "room hour". */
    bookings: Map<string, string>;
    /** Subjects of messages sent to everybody. */
    sent: string[];
  };
}

/** Everything that one client works with. */
export interface Place {
  actor: Actor;
  person: Person;
  world: World;
}

export type StartArea = (place: Place) => Promise<Area>;
