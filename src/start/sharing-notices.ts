import type { ComposeNotice } from '../areas/drive/service.ts';
import type { MailService } from '../areas/mail/service.ts';

/** Notices of sharing, as messages of the sharer. `mail` is asked late: it is made after the drive, whose files it attaches. */
export function noticesBy(mail: () => MailService): ComposeNotice {
  return async (sharer, given) => {
    const message = await mail().sending.compose(sharer, given);
    return {
      prepareSend: async (tx, sender) => {
        const send = await mail().sending.prepareSend(tx, sender, message);
        return async () => void (await send());
      },
      discard: () => message.discard(),
    };
  };
}
