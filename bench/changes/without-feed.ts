/** Loaded before a server: it tells no changes, and does everything else as it always does. */
import './without-index.ts';
import { TransactionRun } from '../../src/storage/transaction.ts';

TransactionRun.prototype.emit = () => undefined;
