import { statSync } from 'node:fs';
import {
  type AddressList,
  MmdbFile,
  type NetworkData,
  type NetworkKind,
  networkKinds,
  readAddressList,
  shippedTable,
  type WorldTable,
} from '@ringfence/intel';
import { filesInForce, type IntelFile, manifestPath, readIntelFile } from './intel-folder.ts';

export interface NetworkSourceOptions {
  readonly home: string;
  /** Called when another set of files has become active. */
  readonly onChange: (names: readonly string[]) => void;
  /** Called when the active files cannot be used; the previous data stay in use. */
  readonly onError: (error: unknown) => void;
}

/** How often the folder is checked: as often as settings are. */
const lookEveryMs = 5_000;

/** The data that ingest looks IP addresses up in. Picks up newly activated files while it runs. */
export class NetworkSource {
  readonly #options: NetworkSourceOptions;
  readonly #world: WorldTable = shippedTable();
  #looking: NodeJS.Timeout | undefined;
  #current: NetworkData;
  #files: readonly IntelFile[];
  /** Identifies the set of active files. */
  #mark: string;

  /** @throws OperatorError when the active files cannot be used */
  constructor(options: NetworkSourceOptions) {
    this.#options = options;
    this.#mark = markOf(options.home);
    this.#files = filesInForce(options.home);
    this.#current = networkData(options.home, this.#world);
  }

  /** The data in use. Immutable: read it once for all lookups of one address. */
  get current(): NetworkData {
    return this.#current;
  }

  /** When the oldest data in use were built, in milliseconds since the epoch. */
  get oldestDataAtMs(): number {
    return oldestDataAtMs(this.#world, this.#files);
  }

  start(): void {
    this.#looking = setInterval(() => this.look(), lookEveryMs);
  }

  close(): void {
    clearInterval(this.#looking);
  }

  /** Loads the active files if they have changed. */
  look(): void {
    const { home, onChange, onError } = this.#options;
    const mark = markOf(home);
    if (mark === this.#mark) return;
    this.#mark = mark;
    try {
      this.#current = networkData(home, this.#world);
      this.#files = filesInForce(home);
      onChange(this.#files.map(({ name }) => name));
    } catch (error) {
      onError(error);
    }
  }
}

/**
 * The active files; the shipped table has the lowest priority.
 *
 * @throws OperatorError when one of them cannot be used
 */
export function networkData(home: string, world: WorldTable = shippedTable()): NetworkData {
  const files = filesInForce(home);
  const lists: Partial<Record<NetworkKind, AddressList>> = {};
  for (const kind of networkKinds) {
    const file = files.find((one) => one.kind === kind);
    if (file !== undefined) lists[kind] = readAddressList(readIntelFile(home, file).toString('utf8'));
  }
  const databases = files.filter(({ kind }) => kind === 'database');
  return { world, databases: databases.map((file) => new MmdbFile(readIntelFile(home, file))), lists };
}

/** When the oldest data in use were built. The shipped table counts only if no database is installed. */
export function oldestDataAtMs({ head }: WorldTable, files: readonly IntelFile[]): number {
  const hasDatabase = files.some(({ kind }) => kind === 'database');
  return Math.min(hasDatabase ? Infinity : Date.parse(head.date), ...files.map(({ dataAtMs }) => dataAtMs));
}

function markOf(home: string): string {
  const found = statSync(manifestPath(home), { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeMs} ${found.ino}`;
}
