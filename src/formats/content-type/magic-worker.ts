import { parentPort } from 'node:worker_threads';
import { WASMagicFlags } from 'wasmagic';
import { Libmagic } from './libmagic.ts';
import type { MagicQuestion, MagicRules } from './magic-question.ts';

const FLAGS: Readonly<Record<MagicRules, WASMagicFlags>> = {
  all: WASMagicFlags.MIME_TYPE,
  binary: WASMagicFlags.MIME_TYPE | WASMagicFlags.NO_CHECK_TEXT,
};

const loaded = new Map<MagicRules, Promise<Libmagic>>();

parentPort?.on('message', async ({ head, rules }: MagicQuestion) => {
  const libmagic = loaded.get(rules) ?? Libmagic.load(FLAGS[rules]);
  loaded.set(rules, libmagic);
  parentPort?.postMessage((await libmagic).detect(head));
});
