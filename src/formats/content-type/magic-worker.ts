import { parentPort } from 'node:worker_threads';
import { WASMagic } from 'wasmagic';

const magic = await WASMagic.create();

parentPort?.on('message', (head: Uint8Array) => parentPort?.postMessage(magic.detect(head)));
