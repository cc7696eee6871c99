import { parentPort } from 'node:worker_threads';
import { Libmagic } from './libmagic.ts';
import type { MagicQuestion, MagicRules } from './magic-question.ts';

/** As libmagic(3) has them: answer with the type, and leave the rules for texts out. */
const MIME_TYPE = 0x10;
const NO_CHECK_TEXT = 0x20000;

const FLAGS: Readonly<Record<MagicRules, number>> = { all: MIME_TYPE, binary: MIME_TYPE | NO_CHECK_TEXT };

const loaded = new Map<MagicRules, Promise<Libmagic>>();

parentPort?.on('message', async ({ head, rules }: MagicQuestion) => {
  const libmagic = loaded.get(rules) ?? Libmagic.load(FLAGS[rules]);
  loaded.set(rules, libmagic);
  parentPort?.postMessage((await libmagic).detect(head));
});
