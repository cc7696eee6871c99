import { AtriumError } from '../../../client/src/index.ts';
import { catalogue, language } from './texts.ts';

/** What tells of a refusal: the server's error, as the client gives it or as it was answered. */
export interface Refusal {
  code: string;
  message: string;
  details: Record<string, unknown>;
}

/** The codes of refusals that a person can meet on these pages, in words that say what to do. */
const refusalTexts = catalogue({
  en: {
    validation_failed: ({ message }: Refusal) => message,
    messages_not_in_folder: 'Some of the messages are not in this folder any more.',
    digest_mismatch: 'What arrived is not what was sent. Try it again.',
    unauthenticated: 'Your session has ended. Sign in again.',
    invalid_api_key: 'This key is not known, or it has ended.',
    invalid_sign_in_code: 'The code is unknown, was used, or is older than ten minutes. Ask for another one.',
    foreign_site: 'This did not come from a page of this server.',
    insufficient_scope: 'The key of your session does not allow this. Sign in with one that does.',
    forbidden: 'Your role does not allow this here. The owner can give you another one.',
    not_found: 'It is not there any more, or it is not shared with you.',
    request_timeout: 'The connection was too slow. Try it again.',
    upload_timeout: 'The connection was too slow for this upload. Try it again.',
    folder_exists: 'There is a folder of this name already. Choose another name.',
    folder_too_deep: 'Folders lie in each other to a depth of 100. Choose a place further up.',
    folder_not_empty: 'The folder is not empty. Move or delete first what is in it.',
    folder_has_role: 'Atrium needs this folder: it cannot be deleted.',
    folder_cycle: 'A folder cannot be put into itself.',
    folder_trashed: 'The folder is in the trash. Restore it first.',
    draft_sending: 'This draft is being sent.',
    cursor_expired: 'The list has become too old. Open it again.',
    workspace_moved: ({ details }: Refusal) =>
      typeof details.location === 'string'
        ? `This workspace has moved to ${details.location}.`
        : 'This workspace has moved to another server. Ask for its address.',
    upload_expired: 'The upload was not finished in time. Begin it again.',
    upload_aborted: 'The upload was given up.',
    state_mismatch: 'Somebody has changed this meanwhile. Look at it again.',
    payload_too_large: 'This is too large.',
    file_too_large: 'The file is larger than this server takes.',
    unsupported_media_type: 'Files of this kind cannot be read here.',
    trashed: 'It is in the trash. Restore it first.',
    unreadable_file: 'The file cannot be read.',
    no_relay: ({ details }: Refusal) =>
      `This server sends no mail to others, so ${listed(details.recipients)} cannot be reached. Nothing was sent.`,
    no_recipients: 'Nobody is named whom this is for.',
    unknown_recipient: ({ details }: Refusal) =>
      `Nobody here has the address ${listed(details.recipients)}. Nothing was sent.`,
    rate_limited: 'That was too much in a short time. Wait a moment.',
    internal: 'The server has failed. Its log tells why.',
    unavailable: 'The server cannot do this now. Try it again in a moment.',
    quota_exceeded: 'There is no more room. Delete something, or ask for more.',
  },
  de: {
    validation_failed: ({ message }: Refusal) =>
      `Eine Angabe ist so nicht möglich. Der Server sagt: ${message}`,
    messages_not_in_folder: 'Manche der Nachrichten sind nicht mehr in diesem Ordner.',
    digest_mismatch: 'Was ankam, ist nicht, was gesendet wurde. Versuch es noch einmal.',
    unauthenticated: 'Deine Sitzung ist zu Ende. Melde dich neu an.',
    invalid_api_key: 'Dieser Schlüssel ist nicht bekannt, oder er gilt nicht mehr.',
    invalid_sign_in_code:
      'Der Code ist unbekannt, schon benutzt oder älter als zehn Minuten. Lass dir einen neuen geben.',
    foreign_site: 'Das kam nicht von einer Seite dieses Servers.',
    insufficient_scope:
      'Der Schlüssel deiner Sitzung erlaubt das nicht. Melde dich mit einem an, der es tut.',
    forbidden: 'Deine Rolle erlaubt das hier nicht. Der Eigentümer kann dir eine andere geben.',
    not_found: 'Das gibt es nicht mehr, oder es ist nicht für dich freigegeben.',
    request_timeout: 'Die Verbindung war zu langsam. Versuch es noch einmal.',
    upload_timeout: 'Die Verbindung war für diese Datei zu langsam. Versuch es noch einmal.',
    folder_exists: 'Einen Ordner mit diesem Namen gibt es schon. Wähl einen anderen Namen.',
    folder_too_deep: 'Ordner liegen höchstens hundertfach ineinander. Wähl einen Platz weiter oben.',
    folder_not_empty: 'Der Ordner ist nicht leer. Verschieb oder lösch zuerst, was darin ist.',
    folder_has_role: 'Diesen Ordner braucht Atrium: er lässt sich nicht löschen.',
    folder_cycle: 'Ein Ordner kann nicht in sich selbst liegen.',
    folder_trashed: 'Der Ordner ist im Papierkorb. Stell ihn zuerst wieder her.',
    draft_sending: 'Dieser Entwurf wird gerade gesendet.',
    cursor_expired: 'Die Liste ist zu alt geworden. Öffne sie neu.',
    workspace_moved: ({ details }: Refusal) =>
      typeof details.location === 'string'
        ? `Dieser Arbeitsbereich ist umgezogen, nach ${details.location}.`
        : 'Dieser Arbeitsbereich ist auf einen anderen Server umgezogen. Frag nach seiner Adresse.',
    upload_expired: 'Das Hochladen wurde nicht rechtzeitig fertig. Beginn es neu.',
    upload_aborted: 'Das Hochladen wurde abgebrochen.',
    state_mismatch: 'Das hat inzwischen jemand geändert. Sieh es dir noch einmal an.',
    payload_too_large: 'Das ist zu groß.',
    file_too_large: 'Die Datei ist größer, als dieser Server annimmt.',
    unsupported_media_type: 'Dateien dieser Art lassen sich hier nicht lesen.',
    trashed: 'Das ist im Papierkorb. Stell es zuerst wieder her.',
    unreadable_file: 'Die Datei lässt sich nicht lesen.',
    no_relay: ({ details }: Refusal) =>
      `Dieser Server sendet nichts nach außen, also ist ${listed(details.recipients)} nicht erreichbar. Es wurde nichts gesendet.`,
    no_recipients: 'Es ist niemand genannt, an den das geht.',
    unknown_recipient: ({ details }: Refusal) =>
      `Die Adresse ${listed(details.recipients)} hat hier niemand. Es wurde nichts gesendet.`,
    rate_limited: 'Das war zu viel in kurzer Zeit. Warte einen Moment.',
    internal: 'Der Server hat einen Fehler. Sein Protokoll sagt, welchen.',
    unavailable: 'Der Server kann das gerade nicht. Versuch es gleich noch einmal.',
    quota_exceeded: 'Es ist kein Platz mehr. Lösch etwas, oder bitte um mehr.',
  },
});

/** Why something was refused, in the language of the page; the server's own words where the page has none for its code. */
export function reasonOf(error: unknown): string {
  if (error instanceof AtriumError) return refusalText(error);
  return error instanceof Error ? error.message : String(error);
}

export function refusalText(refusal: Refusal): string {
  const texts: Record<string, string | ((refusal: Refusal) => string)> = refusalTexts[language()];
  const text = Object.hasOwn(texts, refusal.code) ? texts[refusal.code] : undefined;
  if (text === undefined) return refusal.message;
  return typeof text === 'string' ? text : text(refusal);
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.join(', ') : '';
}
