/** What files are told to be, by all ways in which they come. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type Person, putFile, theOwner } from './files-world.ts';
import { complete, sendPart, start } from './uploads-world.ts';
