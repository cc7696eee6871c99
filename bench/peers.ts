/** What a server of the same kind did at the same work, requests a second unless the figure has another unit. */
export interface Peer {
  readonly server: string;
  readonly bench: string;
  /** The beginning of the name of the figure that it stands beside. */
  readonly figure: string;
  readonly value: number;
}

/**
 * Medians of what the servers of others did on a machine of the same kind (2 cores) on 2026-11-21, with the workload of
 * `bench/mail`, `bench/contacts` and `bench/free-busy` over the protocol that each speaks, 16 connections. Neither tus nor
 * nginx syncs what it stores; Atrium does.
 */
export const PEERS: readonly Peer[] = [
  { server: 'Dovecot, IMAP', bench: 'mail-reading', figure: 'newest 50 of a folder', value: 1391 },
  { server: 'Cyrus, IMAP', bench: 'mail-reading', figure: 'newest 50 of a folder', value: 352 },
  { server: 'Cyrus, JMAP', bench: 'mail-reading', figure: 'newest 50 of a folder', value: 105 },
  { server: 'Dovecot, IMAP', bench: 'mail-reading', figure: '50 after 10000', value: 1226 },
  { server: 'Cyrus, IMAP', bench: 'mail-reading', figure: '50 after 10000', value: 345 },
  { server: 'Cyrus, JMAP', bench: 'mail-reading', figure: '50 after 10000', value: 62 },
  { server: 'Dovecot, IMAP', bench: 'mail-reading', figure: 'unread', value: 363 },
  { server: 'Cyrus, JMAP', bench: 'mail-reading', figure: 'unread', value: 70 },
  { server: 'Dovecot, IMAP', bench: 'mail-reading', figure: 'one label', value: 370 },
  { server: 'Cyrus, JMAP', bench: 'mail-reading', figure: 'one label', value: 108 },
  { server: 'Dovecot, IMAP', bench: 'mail-changing', figure: 'flags of 100', value: 47 },
  { server: 'Cyrus, JMAP', bench: 'mail-changing', figure: 'flags of 100', value: 27 },
  { server: 'Dovecot, IMAP', bench: 'mail-changing', figure: 'moves of 100', value: 16 },
  { server: 'Cyrus, JMAP', bench: 'mail-changing', figure: 'moves of 100', value: 9.5 },
  { server: 'Dovecot, LMTP', bench: 'mail-delivery', figure: 'deliveries, 16 connections', value: 613 },
  { server: 'Cyrus, LMTP', bench: 'mail-delivery', figure: 'deliveries, 16 connections', value: 146 },
  { server: 'Cyrus, CardDAV', bench: 'contacts', figure: 'search for three characters', value: 9 },
  { server: 'Cyrus, CalDAV', bench: 'free-busy', figure: 'a week of one', value: 103 },
  { server: 'Cyrus, CalDAV', bench: 'free-busy', figure: 'a week of ten', value: 4.6 },
  { server: 'tus', bench: 'files-uploading', figure: '256 MiB in parts', value: 370 },
  { server: 'nginx, PUT', bench: 'files-uploading', figure: '256 MiB in parts', value: 650 },
  { server: 'tus', bench: 'files-uploading', figure: '200 files of 1 MiB', value: 213 },
  { server: 'nginx, PUT', bench: 'files-uploading', figure: '200 files of 1 MiB', value: 950 },
];
