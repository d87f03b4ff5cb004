import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

export interface ConsoleFile {
  readonly type: string;
  readonly bodies: Readonly<Partial<Record<Encoding, Buffer>>> & { readonly identity: Buffer };
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** Compressed already. */
const packed: ReadonlySet<string> = new Set(['.png', '.woff2', '.ico']);

/** Names of a build's files: no hidden files, nothing above the folder. */
const namePattern = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** Ten times as fast as the best quality, and a few percent larger. */
const brotliQuality = 9;

interface Kept {
  readonly changedMs: number;
  readonly file: Promise<ConsoleFile>;
}

/**
 * The files of the built console, compressed once and cached: a build has a few megabytes. Files that change on disk
 * are read again.
 */
export class ConsoleFiles {
  readonly #folder: string;
  /** Bounded by the number of files in the folder. */
  readonly #kept = new Map<string, Kept>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Finds a file by its path below the folder, without a leading slash; `undefined` if it does not exist. */
  async find(name: string): Promise<ConsoleFile | undefined> {
    const ending = extname(name);
    const type = types[ending];
    if (type === undefined || !namePattern.test(name)) return undefined;
    const path = join(this.#folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) return undefined;
    let kept = this.#kept.get(name);
    if (kept?.changedMs !== found.mtimeMs) {
      kept = { changedMs: found.mtimeMs, file: readPacked(path, type) };
      this.#kept.set(name, kept);
    }
    return kept.file;
  }
}

async function readPacked(path: string, type: string): Promise<ConsoleFile> {
  const identity = await readFile(path);
  if (packed.has(extname(path))) return { type, bodies: { identity } };
  const [br, gzipped] = await Promise.all([
    brotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    zip(identity),
  ]);
  return { type, bodies: { identity, br, gzip: gzipped } };
}

/** The smallest encoding that the browser accepts. */
export function encodingFor(file: ConsoleFile, accepted: string | undefined): Encoding {
  const names = new Set((accepted ?? '').split(',').map((part) => part.split(';', 1)[0]!.trim()));
  return (['br', 'gzip'] as const).find((one) => names.has(one) && file.bodies[one] !== undefined) ?? 'identity';
}
