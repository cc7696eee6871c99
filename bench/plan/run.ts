/**
 * `npm run plan` says what installations of a million, a hundred million and a billion mailboxes need, from what was measured
 * (figures.json) and what is assumed (assumptions.ts; each is an option). `--mailboxes` is another number, `--seed` places the
 * workspaces otherwise, `--json` prints all of it, `--plot` writes tables and pictures into docs/scaling.md.
 */
import { documentPlan } from './page.ts';
import { basisText, planned, printed } from './planned.ts';

const asked = planned(process.argv.slice(2));
if (asked.isPlotted) await documentPlan();
else console.log(asked.isJson ? JSON.stringify(asked.plans, null, 2) : `${printed(asked)}\n\n${basisText()}`);
