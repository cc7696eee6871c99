import { parentPort } from 'node:worker_threads';
import type { FilteredMessage } from './filtered-message.ts';
import { MessageTexts } from './message-texts.ts';
import { preparedRule } from './prepared-rules.ts';

/** A message and the rules, in their stored form, to evaluate on it. */
export interface MatchingRequest {
  message: FilteredMessage;
  rules: readonly string[];
}

parentPort?.on('message', ({ message, rules }: MatchingRequest) => {
  const texts = new MessageTexts(message);
  parentPort?.postMessage(rules.map((rule) => preparedRule(rule).matches(texts)));
});
