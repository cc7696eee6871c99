import { parentPort } from 'node:worker_threads';
import { WASMagic, WASMagicFlags } from 'wasmagic';
import type { MagicQuestion, MagicRules } from './magic-question.ts';

const FLAGS: Readonly<Record<MagicRules, WASMagicFlags>> = {
  all: WASMagicFlags.MIME_TYPE,
  binary: WASMagicFlags.MIME_TYPE | WASMagicFlags.NO_CHECK_TEXT,
};

const made = new Map<MagicRules, Promise<WASMagic>>();

parentPort?.on('message', async ({ head, rules }: MagicQuestion) => {
  const magic = made.get(rules) ?? WASMagic.create({ flags: FLAGS[rules] });
  made.set(rules, magic);
  parentPort?.postMessage((await magic).detect(head));
});
