/** Undoes a Content-Transfer-Encoding piece by piece. Broken input is decoded as far as it makes sense. */
export interface TransferDecoder {
  update(bytes: Uint8Array): Uint8Array;
  finish(): Uint8Array;
}

export const NOTHING = new Uint8Array(0);
