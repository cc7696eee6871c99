/** Loaded before a server: it indexes nothing. What follows the feed is not a cost of keeping it. */
import { Indexer } from '../../src/areas/search/indexer.ts';

Indexer.prototype.start = () => undefined;
