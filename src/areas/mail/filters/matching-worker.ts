import { parentPort } from 'node:worker_threads';
import type { FilteredMessage } from './filtered-message.ts';
import { MessageTexts } from './message-texts.ts';
import { preparedRule } from './prepared-rules.ts';

/** A message, and rules as they are stored. */
export interface MatchingQuestion {
  message: FilteredMessage;
  rules: readonly string[];
}

parentPort?.on('message', ({ message, rules }: MatchingQuestion) => {
  const texts = new MessageTexts(message);
  parentPort?.postMessage(rules.map((rule) => preparedRule(rule).matches(texts)));
});
