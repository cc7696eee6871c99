import { createRequire } from 'node:module';
import { giveBack, readIntoPages } from './pages.ts';
import { type AddressRange, WasmData } from './wasm-data.ts';

const require = createRequire(import.meta.url);

/** A file as Emscripten keeps it in memory. */
interface MemoryFile {
  usedBytes: number;
  stream_ops: {
    read(stream: unknown, target: Uint8Array, offset: number, length: number, position: number): number;
  };
}

/** What is used of what Emscripten has made of libmagic. */
interface Module {
  HEAPU8: Uint8Array;
  FS: {
    unlink(path: string): void;
    createFile(
      parent: string,
      name: string,
      properties: object,
      canRead: boolean,
      canWrite: boolean,
    ): MemoryFile;
  };
  ccall(name: string, returns: 'string', types: string[], values: unknown[]): string;
  _malloc(size: number): number;
  _free(address: number): void;
}

// The types of Node leave WebAssembly to those of browsers.
declare namespace WebAssembly {
  class Module {
    constructor(code: Uint8Array);
  }
  class Instance {
    readonly exports: { memory: { buffer: ArrayBuffer } };
    constructor(module: Module, imports: Imports);
  }
  type Imports = Record<string, object>;
}

type Received = (instance: WebAssembly.Instance) => void;
type ModuleFactory = (options: {
  instantiateWasm(imports: WebAssembly.Imports, received: Received): object;
}) => Promise<Module>;

/**
 * libmagic in WebAssembly, made without the class that the package has for it. Its database comes with the module, to be
 * put into the memory, from there into a file and from that into the memory again: ten million bytes each time. Here it
 * goes once, from the module to where libmagic reads it.
 */
export class Libmagic {
  readonly #module: Module;

  private constructor(module: Module) {
    this.#module = module;
  }

  /** @param flags as libmagic(3) has them. Rejects when the database cannot be used. */
  static async load(flags: number): Promise<Libmagic> {
    const file = readIntoPages(require.resolve('wasmagic/dist/libmagic-wrapper.wasm'));
    try {
      const data = new WasmData(file);
      const { module, database } = await instantiated(data);
      addDatabase(module, data, database);
      const failure = module.ccall(
        'magic_wrapper_load',
        'string',
        ['number', 'string'],
        [flags, '/magic.mgc'],
      );
      if (failure !== '') throw new Error(`libmagic: ${failure}`);
      module.FS.unlink('/magic.mgc');
      return new Libmagic(module);
    } finally {
      giveBack(file);
    }
  }

  /** What it makes of some content. */
  detect(content: Uint8Array): string {
    const { length } = content;
    const address = this.#module._malloc(length);
    this.#module.HEAPU8.set(content, address);
    try {
      return this.#module.ccall('magic_wrapper_detect', 'string', ['number', 'number'], [address, length]);
    } finally {
      this.#module._free(address);
    }
  }
}

/** Answers the module, whose memory has all of its data but the database, and where that would be. */
async function instantiated(data: WasmData): Promise<{ module: Module; database: AddressRange }> {
  const create = require('wasmagic/dist/libmagic-wrapper.js') as ModuleFactory;
  const code = new WebAssembly.Module(data.code);
  let database: AddressRange = { start: 0, end: 0 };
  const module = await create({
    instantiateWasm(imports, received) {
      // The first that the module does is to say where the entry of the file in it is.
      const embedded = (entry: number) => {
        const memory = new Uint8Array(instance.exports.memory.buffer);
        database = databaseOf(data, entry);
        data.copy({ start: 0, end: database.start }, memory, 0);
        data.copy({ start: database.end, end: memory.length }, memory, database.end);
      };
      const env = { ...imports.env, _emscripten_fs_load_embedded_files: embedded };
      const instance = new WebAssembly.Instance(code, { ...imports, env });
      received(instance);
      return instance.exports;
    },
  });
  return { module, database };
}

/** An entry is the address of a name, the size of the content and its address. */
function databaseOf(data: WasmData, entry: number): AddressRange {
  const fields = new Uint32Array(3);
  data.copy({ start: entry, end: entry + fields.byteLength }, new Uint8Array(fields.buffer), 0);
  const [, size = 0, start = 0] = fields;
  if (size === 0) throw new TypeError('There is no database in the module of libmagic');
  return { start, end: start + size };
}

/** A file of which nothing is kept. */
function addDatabase({ FS }: Module, data: WasmData, { start, end }: AddressRange): void {
  const file = FS.createFile('/', 'magic.mgc', {}, true, false);
  file.usedBytes = end - start;
  file.stream_ops = {
    ...file.stream_ops,
    read(_stream, memory, offset, length, position) {
      const read = { start: start + position, end: Math.min(start + position + length, end) };
      const size = Math.max(0, read.end - read.start);
      memory.fill(0, offset, offset + size);
      data.copy(read, memory, offset);
      return size;
    },
  };
}
